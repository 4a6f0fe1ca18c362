"""Playouts of a round: each move of a decision is played on by the champion's network, on the same sampled dice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.review.decisions import Decision
from liarsdice.analysis.review.round_ends import EndValues, FloatArray, RoundEnd, compiled_for, round_ends
from liarsdice.bots.neural.batch_observation import BatchObserver, sample_actions, to_sim_actions
from liarsdice.bots.neural.belief import Belief
from liarsdice.bots.neural.features import SILENT, encode
from liarsdice.bots.neural.network import Network
from liarsdice.core.actions import MOVES, PlayerAction
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.sim import array_schema as schema
from liarsdice.sim.agent_selector import AgentSelector
from liarsdice.sim.policies import ExternalPolicy
from liarsdice.sim.vector_env import VectorEnv

IntArray = NDArray[np.int64]


class Playouts(NamedTuple):
    """The results of playouts.

    `outcomes`: int64 [move, deal], an index into `ends`, the round ends that occurred. `challenged`: bool [move, deal],
    whether somebody challenged the move, which was a bid.
    """

    outcomes: IntArray
    ends: list[RoundEnd]
    challenged: NDArray[np.bool_]

    def of_deals(self, deals: slice) -> Playouts:
        """Return the results of some of the deals."""
        return Playouts(self.outcomes[:, deals], self.ends, self.challenged[:, deals])

    def mean(self, values: EndValues, seat: int) -> FloatArray:
        """Return the share of the match that a seat wins on average after each move, float64 [move]."""
        shares: FloatArray = values.shares(self.ends)[:, seat][self.outcomes].mean(axis=1)
        return shares

    def difference(self, values: EndValues, seat: int, first: int, second: int) -> tuple[float, float]:
        """Return how much more a seat wins after one move than after another, and the standard error of that.

        The error counts the chance of the deals, and that of the values of round ends.
        """
        shares = values.shares(self.ends)[:, seat]
        by_deal = shares[self.outcomes[first]] - shares[self.outcomes[second]]
        deals = len(by_deal)
        counts = [np.bincount(self.outcomes[move], minlength=len(shares)) / deals for move in (first, second)]
        variances = values.variances(self.ends)[:, seat]
        error = np.sqrt(by_deal.var(ddof=1) / deals + ((counts[0] - counts[1]) ** 2 * variances).sum())
        return float(by_deal.mean()), float(error)


def sample_hands(
    decision: Decision, beliefs: dict[int, Belief], deals: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Return hands of all seats, int32 [deal, seat, face]: the own hand, and others as they are believed to be."""
    shown = decision.view
    faces = shown.ruleset.dice.faces
    hands = np.zeros((deals, len(shown.dice), faces), np.int32)
    hands[:, decision.seat] = _face_counts([shown.hand], faces)[0]
    for seat, belief in beliefs.items():
        probs = np.array(belief.probs)
        drawn = rng.choice(len(probs), deals, p=probs / probs.sum())
        hands[:, seat] = _face_counts(belief.hands, faces)[drawn]
    return hands


def _face_counts(hands: Sequence[Hand], faces: int) -> NDArray[np.int32]:
    """Return how many dice show each face, int32 [hand, face]."""
    return np.stack([np.bincount(np.array(hand, np.int64) - 1, minlength=faces) for hand in hands]).astype(np.int32)


def highest_quantity(decision: Decision) -> int:
    """Return the highest quantity that may be bid in a playout."""
    return compiled_for(decision.view.ruleset, decision.round_dice).bids[-1].quantity


def is_playable(decision: Decision) -> bool:
    """Return whether the simulator knows all bids of a round, and the move made.

    Under rules that do not limit quantities, it knows none above the number of dice on the table.
    """
    bids = [bid for _, bid in decision.view.bids] + ([decision.move] if isinstance(decision.move, Bid) else [])
    return all(bid.quantity <= highest_quantity(decision) for bid in bids)


def play_rounds_out(
    decision: Decision,
    moves: Sequence[PlayerAction | None],
    hands: NDArray[np.int32],
    network: Network,
    rng: np.random.Generator,
) -> Playouts:
    """Play the round on after each move, once for each deal; all seats play as the network does.

    `moves`: legal moves of the player; None lets the bid stand. `hands`: int32 [deal, seat, face], as
    `sample_hands` returns them. The same deal has the same dice and the same random numbers after every move.
    """
    deals = len(hands)
    env = copies_of(decision, len(moves) * deals)
    env.state.hands[:] = np.tile(hands, (len(moves), 1, 1))
    first_actions = [env.rules.action_id(move) if isinstance(move, MOVES) else schema.NO_ACTION for move in moves]
    is_silent = np.repeat([move is None for move in moves], deals)
    seats, bid_count = np.full(len(env), decision.seat, np.int32), len(decision.view.bids)
    env.step(np.repeat(first_actions, deals), seats)
    selector, observer = AgentSelector(env, (ExternalPolicy(),)), BatchObserver(env)
    hands_seen, histories = _hand_numbers(env.hands), np.repeat(np.arange(len(moves)), deals)
    selector.advance()
    while (goes_on := ~env.over & (env.match_field(schema.ROUND) == decision.view.round_number)).any():
        acting_seats, rows = selector.seats, np.flatnonzero(goes_on)
        views = _numbers(histories[rows], acting_seats[rows], hands_seen[rows, acting_seats[rows]])
        _, firsts, places = np.unique(views, return_index=True, return_inverse=True)
        inputs = encode(observer.observe(acting_seats, rows[firsts]), knows_stairs=network.knows_stairs)
        probs = network.drop_unlikely(network.action_probs(inputs.features, inputs.action_mask))
        inputs = inputs._replace(quantities=inputs.quantities[places])
        chosen = sample_actions(probs[places], np.tile(rng.random(deals), len(moves))[rows])
        keeps_silent = is_silent & selector.out_of_turn & (acting_seats == decision.seat)
        keeps_silent &= env.match_field(schema.BID_COUNT) == bid_count
        actions = np.full(len(env), schema.NO_ACTION, np.int32)
        actions[rows] = to_sim_actions(inputs, np.where(keeps_silent[rows], SILENT, chosen), env, rows)
        selector.step(actions, goes_on)
        public = (schema.BID_COUNT, schema.STANDING_BID, schema.STEP)
        histories = _numbers(histories, *(env.match_field(field) for field in public))
    ends, outcomes = round_ends(env)
    on_the_move = env.match_field(schema.CALL_BID) == np.repeat(first_actions, deals) - schema.FIRST_BID
    challenged = on_the_move & (env.match_field(schema.CALL) == schema.CHALLENGE)
    return Playouts(outcomes.reshape(len(moves), deals), ends, challenged.reshape(len(moves), deals))


def _hand_numbers(hands: NDArray[np.int32]) -> IntArray:
    """Return a number for each hand, int64 [deal, seat], from hands [deal, seat, face]; equal hands share theirs."""
    return _numbers(*np.moveaxis(hands, 2, 0))


def _numbers(*columns: NDArray[np.signedinteger]) -> IntArray:
    """Return a number from 0 for each place of arrays of the same shape; places with the same values share theirs.

    Playouts in the same situation need the network only once.
    """
    numbers = np.zeros(columns[0].shape, np.int64)
    for column in columns:
        low, high = int(column.min()), int(column.max())
        if numbers.max() >= 2**62 // (high - low + 1):
            numbers = np.unique(numbers, return_inverse=True)[1].reshape(numbers.shape)
        numbers = numbers * (high - low + 1) + (column - low)
    return np.unique(numbers, return_inverse=True)[1].reshape(numbers.shape)


def copies_of(decision: Decision, count: int) -> VectorEnv:
    """Return an environment with this many copies of the match at a decision, with random hands."""
    shown = decision.view
    special = -1 if shown.special_seat is None else shown.special_seat
    env = VectorEnv(compiled_for(shown.ruleset, decision.round_dice), count, deals=False)
    every = np.ones(count, np.bool_)
    env.reset(every, starters=shown.starter, dice=decision.round_dice, special=special)
    env.state.matches[:, schema.ROUND] = shown.round_number
    env.state.matches[:, schema.STEP] = shown.direction.step
    env.state.matches[:, schema.DIRECTION_CHOSEN] = shown.direction_chosen
    env.state.matches[:, schema.ALIVE_COUNT] = shown.alive_count
    env.state.seats[:, :, schema.DICE] = shown.dice
    env.state.seats[:, :, schema.EXACT_CALLS] = shown.exact_calls or 0
    env.state.seats[:, :, schema.HAD_SPECIAL] = [seat in shown.had_special for seat in range(len(shown.dice))]
    env.state.seats[:, :, schema.EXEMPT] = [seat in shown.exempt for seat in range(len(shown.dice))]
    for seat, bid in shown.bids:
        env.step(np.full(count, env.rules.action_id(bid)), np.full(count, seat, np.int32))
    if shown.max_quantity is not None:  # penalties may have lowered it since the round was dealt
        env.state.matches[:, schema.HIGHEST_QUANTITY] = shown.max_quantity
        np.minimum(env.state.bid_ranges[:, 1], shown.max_quantity, out=env.state.bid_ranges[:, 1])
    return env
