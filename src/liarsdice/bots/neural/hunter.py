"""The hunter: a bot that knows how its target plays, and looks for the best answer by playouts.

It shows how much can be won from a champion by knowing it. The hands of the others follow from Bayes' rule with the
target's probabilities. Each move is played out against the target on the same dice and random numbers; the first reply
is not drawn, but weighted by its probability. Against a blueprint, nothing is drawn: what follows a move is weighted by
its probability to the end of the round. Such a search is called a local best response (Lisý and Bowling,
"Equilibrium Approximation Quality of Current No-Limit Poker Bots", 2017).
"""

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache

import numpy as np

from liarsdice.bots.neural.batch_observation import sample_actions
from liarsdice.bots.neural.belief import Belief, hand_prior, views_before_bids
from liarsdice.bots.neural.champion import Champion, champion_network, decode_action, possible_actions
from liarsdice.bots.neural.features import CHALLENGE, EXACT, encode, is_supported, observe
from liarsdice.bots.neural.playouts import NetworkPlayouts, face_counts, sample_hands
from liarsdice.bots.policy import probs_one_by_one
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import UnavailableError
from liarsdice.core.records.position import read_position
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.rule_costs import is_learned
from liarsdice.core.rules.tally import Hand
from liarsdice.sim import array_schema as schema
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.solve.round_game import RoundStart
from liarsdice.solve.strategy.action_values import Action
from liarsdice.values.blueprint_values import BlueprintPlayouts
from liarsdice.values.blueprints import RoundBlueprint
from liarsdice.values.playouts import copies_of, knows_bids, round_ends
from liarsdice.values.round_ends import FloatArray, learned_values

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
    """Return whether the simulator knows the rules and all bids of the round, and values the rules."""
    try:
        return is_learned(view.ruleset) and knows_bids(view, view.dice)
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
        hands = face_counts(sample_hands(view, beliefs, CALL_DEALS, rng), view.ruleset.dice.faces)
        values = []
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
        sampled = face_counts(sample_hands(view, beliefs, deals, rng), view.ruleset.dice.faces)
        hands = np.tile(sampled, (len(bids), 1, 1))

        def after_bids() -> VectorEnv:
            env = copies_of(view, view.dice, len(hands))
            env.state.hands[:] = hands
            env.step(np.repeat([env.rules.action_id(bid) for bid in bids], deals))
            return env

        env = after_bids()
        playouts = NetworkPlayouts(env, self._target, np.repeat(np.arange(len(bids)), deals))
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


FIRST_POSITION = "bidding 14/25/36 0 - 1 perudo Ann,Ben,Cy"
"""A position whose decision runs all kernels of a search."""
MIN_PLAYERS = 3
"""With fewer players left the searcher plays as the champion."""
USUAL_BUDGET, MOST_BUDGET = 100, 10_000
"""Budgets of a decision, in hundredths of the usual work."""
PLAYOUTS = 1_500
"""How many playouts the bids of a decision share with the usual budget."""
TEMPERATURE = 0.01
"""The share of the match (0..1) for which a move becomes e times as likely; at 0 the best move would be made."""
MIN_PROB = 0.01
"""Bids that the champion's network makes less often are not compared; calls always are."""
MIN_PRIOR = 0.001
"""The least probability that a move which is compared starts from."""
MIN_TRUST = 0.05
"""Where it is less likely that all others play as the champion, nothing is played out."""
MIN_PROB_RATIO = 0.2
"""Moves that end up less likely than this, as a fraction of the likeliest one, are not made."""


class Searcher:
    """Draws a move from the champion's probabilities times exp(share of the match / `TEMPERATURE`).

    Out of turn, with two players left, and under rules that the simulator does not know, it plays as the champion. The
    same seed and the same views give the same moves. `budget`: the work of a decision, in hundredths of the usual.
    `trust`: how likely (0..1) all other players play as the champion. The less so, the less it follows its playouts.
    """

    def __init__(
        self,
        champion: Champion,
        seed: int | str | None = None,
        budget: int = USUAL_BUDGET,
        *,
        trust: Callable[[View], float] = lambda _: 1.0,
    ) -> None:
        self._champion = champion
        self.trust = trust
        self._playouts = Hunter(
            champion,
            None if seed is None else f"playouts {seed}",
            playouts=PLAYOUTS * budget // USUAL_BUDGET,
        )
        self._random = random.Random(seed)

    @property
    def champion(self) -> Champion:
        """The champion that decides with two players left."""
        return self._champion

    @property
    def memory(self) -> int | None:
        """That of the champion, whose play it is with two players left (`bots.policy`)."""
        return self._champion.memory

    def act(self, view: View) -> PlayerAction | None:
        """Draw a move; out of turn the champion's."""
        probs = self._searched_probs(view)
        return self._random.choices(list(probs), list(probs.values()))[0] if probs else self._champion.act(view)

    def action_probs(self, view: View) -> dict[PlayerAction | None, float]:
        """Return the probability of each move; None is silence out of turn. Raises as `Champion.action_probs`."""
        probs: dict[PlayerAction | None, float] = dict(self._searched_probs(view).items())
        return probs or self._champion.action_probs(view)

    def probs_by_hand(
        self, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
    ) -> FloatArray:
        """Return the probability of each action with each hand, float64 [view, action, hand] (`bots.policy`)."""
        if self._searches(views[0]):
            return probs_one_by_one(self, views, hands, actions)
        return self._champion.probs_by_hand(views, hands, actions)

    def _searched_probs(self, view: View) -> dict[PlayerAction, float]:
        """Return the probability of each move after a search; empty where the champion decides."""
        trust = self.trust(view) if self._searches(view) else 0.0
        if trust < MIN_TRUST:
            return {}
        priors = self._priors(view)
        values = self._playouts.move_values(view, priors)
        return stepped({move: priors[move] for move in values}, values, trust) if values else {}

    def _searches(self, view: View) -> bool:
        """Return whether the playouts know the situation, and there is something to choose."""
        return (
            view.on_turn
            and not view.may_answer
            and not view.is_blind
            and len(view.moves) > 1
            and sum(count > 0 for count in view.dice) >= MIN_PLAYERS
            and is_supported(view.ruleset)
            and is_simulated(view)
        )

    def _priors(self, view: View) -> dict[PlayerAction, float]:
        """Return the probability of each move that is compared, by the champion's network."""
        network = self._champion.network(view.ruleset)
        inputs = encode(observe(view))
        mask = possible_actions(inputs, view.ruleset)
        probs = network.action_probs(inputs.features, mask)[0]
        compared = probs >= MIN_PROB
        compared[[CHALLENGE, EXACT]] = mask[0, [CHALLENGE, EXACT]]
        priors: dict[PlayerAction, float] = {}
        for action in np.flatnonzero(compared).tolist():
            move = decode_action(view, inputs, action)
            if move is not None:
                priors[move] = max(float(probs[action]), MIN_PRIOR)
        return priors


def stepped(
    priors: dict[PlayerAction, float], values: dict[PlayerAction, float], trust: float = 1.0
) -> dict[PlayerAction, float]:
    """Return the probability of each move after a step of mirror descent, without unlikely moves.

    `priors`: the probability of each move before, above 0. `values`: the share of the match that each move wins.
    `trust`: the length of the step (0..1).
    """
    best = max(values.values())
    weights = {move: prior * np.exp(trust * (values[move] - best) / TEMPERATURE) for move, prior in priors.items()}
    least = MIN_PROB_RATIO * max(weights.values())
    kept = {move: float(weight) for move, weight in weights.items() if weight >= least}
    total = sum(kept.values())
    return {move: weight / total for move, weight in kept.items()}


@cache
def load_kernels() -> None:
    """Make the first decision of a process as quick as others: read or compile what they all run, about a second."""
    from liarsdice.solve.blueprint.blueprint_trainer import quick_blueprint  # noqa: PLC0415  it loads numba

    state = read_position(FIRST_POSITION)
    quick_blueprint(state.ruleset, RoundStart((1, 1)), work=1)
    Searcher(Champion(champion_network(), 0), 0, budget=1).act(view(state, state.turn))
