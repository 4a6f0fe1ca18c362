"""Playouts of a round: each move of a decision is played on by the champion, on the same sampled dice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.review.decisions import Decision
from liarsdice.bots.neural.batch_observation import sample_actions
from liarsdice.bots.neural.features import SILENT
from liarsdice.bots.neural.network import Network
from liarsdice.bots.neural.playouts import NetworkPlayouts, copies_of, knows_bids
from liarsdice.core.actions import MOVES, PlayerAction
from liarsdice.core.errors import UnavailableError
from liarsdice.sim import array_schema as schema
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.values.round_ends import FloatArray, RoundEnd, RoundEndValues
from liarsdice.values.round_plays import RoundPlays
from liarsdice.values.simulator import compiled_for, round_ends

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

    def mean(self, values: RoundEndValues, seat: int) -> FloatArray:
        """Return the share of the match that a seat wins on average after each move, float64 [move]."""
        shares: FloatArray = values.shares(self.ends)[:, seat][self.outcomes].mean(axis=1)
        return shares

    def p_loses(self, seat: int, dice: int) -> FloatArray:
        """Return how likely a seat with this many dice is to lose some in the round after each move, float64 [move].

        At the end of a match, every player but its winners counts as having lost dice.
        """
        lost = np.array(
            [
                dice > 0 and (end.dice[seat] < dice if end.winners is None else not end.winners[seat])
                for end in self.ends
            ]
        )
        shares: FloatArray = lost[self.outcomes].mean(axis=1)
        return shares

    def p_gains(self, seat: int, dice: int) -> FloatArray:
        """Return how likely a seat with this many dice is to gain some in the round after each move, float64 [move]."""
        gained = np.array([end.dice[seat] > dice for end in self.ends])
        shares: FloatArray = gained[self.outcomes].mean(axis=1)
        return shares

    def difference(self, values: RoundEndValues, seat: int, first: int, second: int) -> tuple[float, float]:
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


def highest_quantity(decision: Decision) -> int:
    """Return the highest quantity that may be bid in a playout."""
    return compiled_for(decision.view.ruleset, decision.round_dice).bids[-1].quantity


def is_playable(decision: Decision) -> bool:
    """Return whether the simulator knows all bids of a round, and the move made (`knows_bids`)."""
    return knows_bids(decision.view, decision.round_dice, decision.move)


def play_rounds_out(
    decision: Decision,
    moves: Sequence[PlayerAction | None],
    hands: NDArray[np.int32],
    network: Network,
    rng: np.random.Generator,
) -> Playouts:
    """Play the round on after each move, once for each deal; all seats play as the champion does.

    That is as the network does, in rounds of two players with a solved strategy or a blueprint as that does.
    `moves`: legal moves of the player; None lets the bid stand. `hands`: int32 [deal, seat, face], as
    `sample_hands` returns them. The same deal has the same dice and the same random numbers after every move.
    """
    deals = len(hands)
    env = copies_of(decision.view, decision.round_dice, len(moves) * deals)
    env.state.hands[:] = np.tile(hands, (len(moves), 1, 1))
    first_actions = [env.rules.action_id(move) if isinstance(move, MOVES) else schema.NO_ACTION for move in moves]
    is_silent = np.repeat([move is None for move in moves], deals)
    seats, bid_count = np.full(len(env), decision.seat, np.int32), len(decision.view.bids)
    env.step(np.repeat(first_actions, deals), seats)
    playouts = NetworkPlayouts(env, network, np.repeat(np.arange(len(moves)), deals))
    round_plays = _round_plays(env)
    while (goes_on := playouts.in_round(decision.view.round_number)).any():
        rows = np.flatnonzero(goes_on)
        inputs, probs = playouts.probs(rows)
        draws = np.tile(rng.random(deals), len(moves))[rows]
        chosen = sample_actions(probs, draws)
        keeps_silent = is_silent & playouts.out_of_turn & (playouts.seats == decision.seat)
        keeps_silent &= env.match_field(schema.BID_COUNT) == bid_count
        planned = np.full(len(rows), schema.NO_ACTION, np.int32)
        if round_plays is not None:
            on_turn = ~playouts.out_of_turn[rows]
            planned[on_turn] = round_plays.draw(rows[on_turn], draws[on_turn])[1]
        playouts.play(inputs, np.where(keeps_silent[rows], SILENT, chosen), rows, planned)
    ends, outcomes = round_ends(env)
    on_the_move = env.match_field(schema.CALL_BID) == np.repeat(first_actions, deals) - schema.FIRST_BID
    challenged = on_the_move & (env.match_field(schema.CALL) == schema.CHALLENGE)
    return Playouts(outcomes.reshape(len(moves), deals), ends, challenged.reshape(len(moves), deals))


def _round_plays(env: VectorEnv) -> RoundPlays | None:
    """Return the rounds that the champion plays by more than its network, or None if there are none by these rules."""
    try:
        return RoundPlays(env)
    except UnavailableError:
        return None
