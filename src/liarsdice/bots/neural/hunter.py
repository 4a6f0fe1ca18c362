"""The hunter: a bot that knows how its target plays, and looks for the best answer by playouts.

It shows how much can be won from a champion by knowing it. The hands of the others follow from Bayes' rule with the
target's probabilities. Each move is played out against the target on the same dice and random numbers; the first reply
is not drawn, but weighted by its probability. Against a blueprint, nothing is drawn: what follows a move is weighted by
its probability to the end of the round. Such a search is called a local best response (Lisý and Bowling,
"Equilibrium Approximation Quality of Current No-Limit Poker Bots", 2017).
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from liarsdice.bots.neural.action_moves import decode_action
from liarsdice.bots.neural.batch_observation import sample_actions
from liarsdice.bots.neural.belief import Belief, hand_prior, views_before_bids
from liarsdice.bots.neural.champion import Champion
from liarsdice.bots.neural.features import CHALLENGE, EXACT, encode
from liarsdice.bots.neural.observation import is_supported, observe
from liarsdice.bots.neural.playouts import NetworkPlayouts, sample_hands
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.sim import array_schema as schema
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.solve.strategy.action_values import Action
from liarsdice.values.blueprint_values import BlueprintPlayouts
from liarsdice.values.blueprints import RoundBlueprint
from liarsdice.values.playouts import copies_of, knows_bids
from liarsdice.values.round_ends import FloatArray, learned_values
from liarsdice.values.simulator import round_ends

STRANGE_SHARE = 0.05
"""The share of the target's bids that is taken as uniform, so that no bid proves anything."""
DEALS = 50
"""How often each bid is played out, if nothing else is asked for."""
MOST_DEALS = 300
"""How often each bid is played out at most."""
CALL_DEALS = 1_000
"""On how many deals a call is settled."""
MIN_RAISE_PROB = 1e-3
"""Where the first reply is a raise less often, it is not played out."""


def is_simulated(view: View) -> bool:
    """Return whether the simulator knows the rules, and all bids of the round."""
    try:
        return knows_bids(view, view.dice)
    except UnavailableError:  # it does not know these rules
        return False


class Hunter:
    """Plays the move that wins most against players who all play as `target` does, by playouts of its network.

    Where the target follows a solved strategy, and out of turn, the hunter plays as the target. The same seed and the
    same views give the same moves. `playouts`: how many playouts all bids of a decision share,
    None for `DEALS` of each bid.
    """

    def __init__(
        self,
        target: Champion,
        seed: int | str | None = None,
        *,
        playouts: int | None = None,
    ) -> None:
        self._target = target
        self._playout_count = playouts
        self._random = random.Random(seed)
        self._playouts: tuple[tuple[object, ...], BlueprintPlayouts] | None = None

    def act(self, view: View) -> PlayerAction | None:
        """Return the best move of the player on turn; out of turn the target's."""
        knows_round = is_supported(view.ruleset) and not view.face_off
        if not view.on_turn or view.may_answer or not knows_round or self._target.plays_solved(view):
            return self._target.act(view)
        if (blueprint := self._target.blueprint(view)) is not None:
            round_values = self.values_against(blueprint, view)
            return max(round_values, key=lambda move: round_values[move])
        if len(view.moves) == 1 or not is_simulated(view):
            return self._target.act(view)
        values = self.move_values(view)
        return max(values, key=lambda move: values[move])

    def move_values(
        self, view: View, moves: Collection[PlayerAction | None] | None = None
    ) -> dict[PlayerAction, float]:
        """Return the share of the match that each move wins against the target.

        `moves`: the moves that are compared, by default those that the target's network chooses among. Only bids and
        calls that the simulator knows have a value.
        """
        rng = np.random.default_rng(self._random.getrandbits(64))
        seat_beliefs = self.beliefs(view)
        moves = self._network_moves(view) if moves is None else moves
        calls = [move for move in moves if isinstance(move, Challenge | Exact)]
        bids = [move for move in moves if isinstance(move, Bid) and knows_bids(view, view.dice, move)]
        values: dict[PlayerAction, float] = {}
        if calls:
            values |= zip(calls, self._call_values(view, calls, seat_beliefs, rng), strict=True)
        if bids:
            values |= zip(bids, self._bid_values(view, bids, seat_beliefs, rng), strict=True)
        return values

    def _network_moves(self, view: View) -> list[PlayerAction | None]:
        """Return the moves that the network chooses among; None is silence."""
        inputs = encode(observe(view))
        return [decode_action(view, inputs, action) for action in np.flatnonzero(inputs.action_mask[0]).tolist()]

    def values_against(self, blueprint: RoundBlueprint, view: View) -> dict[Action, float]:
        """Return what each move of a round wins, from -1 to 1, if both players follow a blueprint after it."""
        (belief,) = self.beliefs(view).values()
        bids = [bid for _, bid in view.bids]
        key = (blueprint.start, view.round_number, view.hand)
        if self._playouts is None or self._playouts[0] != key:
            seat = len(bids) % 2
            values = (1 if seat == 0 else -1) * blueprint.outcome_values[:, np.newaxis]
            self._playouts = key, BlueprintPlayouts(blueprint, seat, view.hand, values)
        found = self._playouts[1].move_values(bids, np.array(belief.probs))
        return {move: float(value) for move, (value,) in found.items()}

    def beliefs(self, view: View) -> dict[int, Belief]:
        """Return the probability of each hand of each other seat, by seat, from its bids of the round."""
        beliefs = {}
        for seat, count in enumerate(view.dice):
            if not count or seat == view.seat:
                continue
            hands, prior = hand_prior(view.ruleset, count)
            probs = prior.astype(np.float64)
            for bidder, bid, bidder_view in views_before_bids(view):
                if bidder == seat:
                    target_probs = self._target.probs_by_hand([bidder_view], hands, [bid])[0, 0]
                    probs *= (1 - STRANGE_SHARE) * target_probs + STRANGE_SHARE / len(bidder_view.moves)
            beliefs[seat] = Belief(hands, tuple((probs / probs.sum()).tolist()))
        return beliefs

    def _call_values(
        self, view: View, calls: Sequence[PlayerAction], beliefs: Mapping[int, Belief], rng: np.random.Generator
    ) -> list[float]:
        """Return the value of each call of the player on turn."""
        hands, values = sample_hands(view, beliefs, CALL_DEALS, rng), []
        for call in calls:
            env = copies_of(view, view.dice, CALL_DEALS)
            env.state.hands[:] = hands
            env.step(np.full(CALL_DEALS, schema.EXACT if isinstance(call, Exact) else schema.CHALLENGE))
            values.append(float(self._shares(env, view).mean()))
        return values

    def _bid_values(
        self, view: View, bids: Sequence[Bid], beliefs: Mapping[int, Belief], rng: np.random.Generator
    ) -> list[float]:
        """Return the value of each bid."""
        deals = self._deals(len(bids))
        hands = np.tile(sample_hands(view, beliefs, deals, rng), (len(bids), 1, 1))

        def after_bids() -> VectorEnv:
            env = copies_of(view, view.dice, len(hands))
            env.state.hands[:] = hands
            env.step(np.repeat([env.rules.action_id(bid) for bid in bids], deals))
            return env

        env = after_bids()
        playouts = NetworkPlayouts(env, self._target.network(view.ruleset), np.repeat(np.arange(len(bids)), deals))
        every = np.arange(len(env))
        inputs, probs = playouts.probs(every)
        value = np.zeros(len(env))
        for column, action in ((CHALLENGE, schema.CHALLENGE), (EXACT, schema.EXACT)):
            called = probs[:, column] > 0
            if called.any():
                settled = after_bids()
                settled.step(np.where(called, action, schema.NO_ACTION), playouts.seats)
                value[called] += probs[called, column] * self._shares(settled, view)[called]
        raises = probs.copy()
        raises[:, [CHALLENGE, EXACT]] = 0
        p_raise = raises.sum(axis=1)
        goes_on = p_raise > MIN_RAISE_PROB
        rows = every[goes_on]
        draws = np.tile(rng.random(deals), len(bids))
        inputs = inputs._replace(quantities=inputs.quantities[rows])
        playouts.play(inputs, sample_actions(raises[rows], draws[rows]), rows)
        playouts.finish_round(view.round_number, rng, len(bids), goes_on=goes_on)
        value[goes_on] += p_raise[goes_on] * self._shares(env, view)[goes_on]
        weights = np.where(goes_on, 1.0, 1 - p_raise)
        means: FloatArray = value.reshape(-1, deals).sum(axis=1) / weights.reshape(-1, deals).sum(axis=1)
        return [float(mean) for mean in means]

    def _deals(self, bids: int) -> int:
        """Return how often each of so many bids is played out."""
        return DEALS if self._playout_count is None else min(max(self._playout_count // bids, 1), MOST_DEALS)

    def _shares(self, env: VectorEnv, view: View) -> FloatArray:
        """Return the share of the match that the player wins after the round of each match, float64 [match]."""
        assert view.seat is not None
        values = learned_values(view.ruleset, len(view.dice))
        over = env.over | (env.match_field(schema.ROUND) != view.round_number)
        shares = np.zeros(len(env))
        if not over.any():
            return shares
        ends, numbers = round_ends(env)
        used = np.unique(numbers[over])
        known = values.shares([ends[number] for number in used.tolist()])[:, view.seat]
        shares[over] = known[np.searchsorted(used, numbers[over])]
        return shares
