"""The review of a match: the cost of every decision, and what each player gave away in all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, hypot

import msgspec

from liarsdice.analysis.review.assess import Assessment, Assessor, MoveValue, Source
from liarsdice.analysis.review.decisions import decisions_of
from liarsdice.analysis.review.round_ends import RoundEndValues
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import MalformedError, UnfinishedError
from liarsdice.core.records.record import Record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand

DEALS = 240
"""The usual number of deals for each decision."""
MIN_DEALS, MAX_DEALS = 30, 100_000
MATCHES_PER_DEAL = 4
"""How many matches value each round end, for each deal: their chance then adds little to the errors."""
ACCURACY_RATE = 0.3
"""How fast accuracy falls: by 26% for each hundredth of a match given away in a decision."""


class DecisionReview(msgspec.Struct, frozen=True):
    """What a decision cost; see `Assessment`.

    `bid`: the standing bid, None before the first. `bidder`: who made it. `hand`: the own dice. `move`: None for a
    standing bid that was not called out of turn.
    """

    number: int
    round_number: int
    seat: int
    hand: Hand
    bid: Bid | None
    bidder: int | None
    on_turn: bool
    move: PlayerAction | None
    source: Source
    cost: float
    error: float
    best: PlayerAction | None
    moves: tuple[MoveValue, ...]


class PlayerReview(msgspec.Struct, frozen=True):
    """What a player gave away in all.

    `decisions`: how many the player made; `costly` of them cost something. `cost`: the sum of their costs as a share of
    the match, with `error` as half of its 95% interval. `accuracy`: 0 to 100, see `accuracy`.
    """

    seat: int
    name: str
    decisions: int
    costly: int
    cost: float
    error: float
    accuracy: float


class MatchReview(msgspec.Struct, frozen=True):
    """The review of a match: its players by seat, its decisions in order, and the number of deals for each of them."""

    names: tuple[str, ...]
    winners: tuple[int, ...]
    rounds: int
    deals: int
    players: tuple[PlayerReview, ...]
    decisions: tuple[DecisionReview, ...]


def accuracy(cost: float, decisions: int) -> float:
    """Return 100 exp(-0.3 c), where c is the mean cost of a decision in hundredths of a match; 100 without decisions.

    >>> accuracy(0.0, 10), round(accuracy(0.1, 10), 1)
    (100.0, 74.1)
    """
    return 100 * exp(-ACCURACY_RATE * 100 * cost / decisions) if decisions else 100.0


def review_decisions(record: Record, *, deals: int = DEALS, seed: int = 0) -> Iterator[DecisionReview]:
    """Yield the decisions of a finished match with their costs.

    The same record, `deals` (30 to 100,000 for each decision) and `seed` give the same costs. Raises `MalformedError`
    for another number of deals, `UnfinishedError` for a match that is not over, and `UnavailableError` if the dice have
    too many faces for the network or more bids than the simulator compiles.
    """
    if not MIN_DEALS <= deals <= MAX_DEALS:
        raise MalformedError(f"a review plays out {MIN_DEALS} to {MAX_DEALS:,} deals for each decision, not {deals}")
    if record.state.phase is not Phase.OVER:
        raise UnfinishedError("the match in this record is not over, and only finished matches are reviewed")
    assessor = Assessor(RoundEndValues(record.state.ruleset, MATCHES_PER_DEAL * deals), deals, seed)
    return map(_decision_review, map(assessor.assess, decisions_of(record.events)))


def _decision_review(assessment: Assessment) -> DecisionReview:
    decision = assessment.decision
    shown = decision.view
    return DecisionReview(
        number=decision.number,
        round_number=shown.round_number,
        seat=decision.seat,
        hand=shown.hand,
        bid=shown.bid,
        bidder=shown.bidder,
        on_turn=shown.on_turn,
        move=decision.move,
        source=assessment.source,
        cost=assessment.cost,
        error=assessment.error,
        best=assessment.best,
        moves=assessment.moves,
    )


def summarize_review(record: Record, decisions: Sequence[DecisionReview], deals: int) -> MatchReview:
    """Return the review of a match from its decisions, all of which were reviewed with this number of deals."""
    state = record.state
    players = tuple(_player_review(seat, name, decisions) for seat, name in enumerate(state.names))
    return MatchReview(state.names, state.winners, state.round_number, deals, players, tuple(decisions))


def _player_review(seat: int, name: str, decisions: Sequence[DecisionReview]) -> PlayerReview:
    own = [decision for decision in decisions if decision.seat == seat]
    costly = [decision for decision in own if decision.cost > 0]
    cost = sum(decision.cost for decision in costly)
    error = hypot(*(decision.error for decision in costly))
    return PlayerReview(seat, name, len(own), len(costly), cost, error, accuracy(cost, len(own)))
