"""What a decision cost by playouts: the best move is found with one part of the deals and measured with the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from liarsdice.analysis.review.decisions import Decision
from liarsdice.analysis.review.reasons import total_probs
from liarsdice.analysis.review.results import Z_95, MoveValue, Source
from liarsdice.bots.neural.belief import Belief
from liarsdice.bots.neural.explain import Explanation
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.strategy.action_values import Action
from liarsdice.values.endgames import endgame_policy
from liarsdice.values.playouts import Playouts
from liarsdice.values.round_ends import RoundEndValues

MIXED_PROB = 0.01
"""A move that a solved strategy makes with this probability or more costs nothing."""
CHANCE_DIGITS = 2
CHOOSING_SHARE = 1 / 3
"""The share of the deals with which the best move is found."""


class Assessment(msgspec.Struct, frozen=True):
    """What a decision cost.

    `cost`: the share of the match (0..1) that the move made gave away, 0 if its 95% interval holds 0. `error`: half the
    width of that interval. `best`: the best move, the move made if it costs nothing. `moves`: the moves that were
    compared, the most valuable first. `explanation`: what the champion makes of the view, None if it was not asked.
    `p_challenged`: how likely it was that a bid that was compared was challenged, as the champion plays. `p_loses`: how
    likely each seat was to lose dice in the round after each move, by seat, with two digits. `p_gains`: how likely the
    player was to gain some. All three are empty in solved rounds and where nothing was compared.
    """

    decision: Decision
    source: Source
    cost: float
    error: float
    best: PlayerAction | None
    moves: tuple[MoveValue, ...]
    explanation: Explanation | None = None
    p_challenged: dict[Bid, float] = {}
    p_loses: dict[PlayerAction | None, tuple[float, ...]] = {}
    p_gains: dict[PlayerAction | None, float] = {}


def played_assessment(
    values: RoundEndValues,
    decision: Decision,
    moves: Sequence[PlayerAction | None],
    playouts: Playouts,
    explanation: Explanation,
) -> Assessment:
    """Return the cost of a decision by playouts of all compared moves, the one that was made among them."""
    choosing = round(playouts.outcomes.shape[1] * CHOOSING_SHARE)
    first, rest = playouts.of_deals(slice(choosing)), playouts.of_deals(slice(choosing, None))
    seat, stakes = decision.seat, decision.view.stakes

    def difference(best: int, move: int) -> tuple[float, float]:
        """Return how much less a move is worth than the best one, and half of the 95% interval of that."""
        if best == move:
            return 0.0, 0.0
        less, standard_error = rest.difference(values, seat, best, move)
        return less, Z_95 * standard_error

    best, made = int(first.mean(values, seat).argmax()), moves.index(decision.move)
    cost, error = difference(best, made)
    if cost <= error:
        cost, best = 0.0, made
    errors = [difference(best, move)[1] for move in range(len(moves))]
    compared = dict(zip(moves, zip(rest.mean(values, seat).tolist(), errors, strict=True), strict=True))
    challenged = rest.challenged.mean(axis=1).tolist()
    loses = [rest.p_loses(*seat_stakes).round(CHANCE_DIGITS).tolist() for seat_stakes in enumerate(stakes)]
    gains = rest.p_gains(seat, stakes[seat]).round(CHANCE_DIGITS).tolist()
    return Assessment(
        decision=decision,
        source=Source.PLAYOUTS,
        cost=cost,
        error=error,
        best=moves[best],
        moves=move_values(compared, decision, explanation),
        explanation=explanation,
        p_challenged={move: p for move, p in zip(moves, challenged, strict=True) if isinstance(move, Bid)},
        p_loses=dict(zip(moves, zip(*loses, strict=True), strict=True)),
        p_gains=dict(zip(moves, gains, strict=True)),
    )


def solved_assessment(decision: Decision, values: Mapping[Action, float], explanation: Explanation) -> Assessment:
    """Return the cost by the exact values; what the solved strategy mixes costs nothing."""
    best = max(values, key=lambda move: values[move])
    made = decision.move
    assert isinstance(made, Bid | Challenge | Exact)
    policy = endgame_policy(decision.view) or {}
    cost = 0.0 if policy.get(made, 0.0) >= MIXED_PROB else max(values[best] - values[made], 0.0)
    found = move_values({move: (value, 0.0) for move, value in values.items()}, decision, explanation)
    return Assessment(decision, Source.SOLVED, cost, 0.0, best if cost else made, found, explanation)


def move_values(
    values: Mapping[PlayerAction | None, tuple[float, float]] | Mapping[Action, tuple[float, float]],
    decision: Decision,
    explanation: Explanation,
) -> tuple[MoveValue, ...]:
    """Return the moves with their values and errors, the most valuable first."""
    p_right = {estimate.move: estimate.p_right_given_bids for estimate in explanation.moves}
    for move in values:
        if p_right.get(move) is None:
            p_right[move] = _p_right(decision.view, explanation.beliefs, move)
    ordered = sorted(values.items(), key=lambda item: -item[1][0])
    return tuple(MoveValue(move, value, error, p_right.get(move)) for move, (value, error) in ordered)


def _p_right(shown: View, beliefs: Mapping[int, Belief], move: PlayerAction | None) -> float | None:
    """Return the probability that a bid is true or a call right; None for other moves."""
    match move:
        case Bid():
            return sum(total_probs(shown, beliefs, move)[move.quantity :])
        case Challenge() if shown.bid is not None:
            return sum(total_probs(shown, beliefs, shown.bid)[: shown.bid.quantity])
        case Exact() if shown.bid is not None:
            return sum(total_probs(shown, beliefs, shown.bid)[shown.bid.quantity : shown.bid.quantity + 1])
        case _:
            return None
