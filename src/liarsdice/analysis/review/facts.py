"""What a review shows of a match before anything is computed: its rounds with all hands, and its decisions."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from liarsdice.analysis.review.decisions import Decision, decisions_of, require_finished
from liarsdice.core.actions import PlayerAction
from liarsdice.core.events import (
    Challenged,
    Dealt,
    Event,
    ExactCalled,
    KindChosen,
    Revealed,
    RoundStarted,
    SpecialDeclared,
)
from liarsdice.core.records.record import Record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.core.rules.visibility import RoundKind


class DecisionFacts(msgspec.Struct, frozen=True):
    """A decision as it was made: who decided, the own dice, the standing bid, and the move.

    `bid`, `bidder`: None before the first bid. `wilds_count`: whether the special face was wild. `move`: None for a
    standing bid that was not called out of turn.
    """

    number: int
    round_number: int
    seat: int
    hand: Hand
    bid: Bid | None
    bidder: int | None
    wilds_count: bool
    on_turn: bool
    move: PlayerAction | None


class RoundFacts(msgspec.Struct, frozen=True):
    """A round: the hands as they were dealt, by seat, and how it ended.

    `special_seat`: None unless it is the special round of a seat. `caller`: who called, `exact`: whether the call was
    that the bid is exactly right. `count`: how many dice counted for the bid.
    """

    number: int
    starter: int
    special_seat: int | None
    hands: tuple[Hand, ...]
    caller: int | None = None
    exact: bool = False
    count: int | None = None


class MatchFacts(msgspec.Struct, frozen=True):
    """A finished match: players and winners by seat, its rounds, and its decisions."""

    names: tuple[str, ...]
    ruleset: Ruleset
    winners: tuple[int, ...]
    rounds: tuple[RoundFacts, ...]
    decisions: tuple[DecisionFacts, ...]


def match_facts(record: Record) -> MatchFacts:
    """Return the facts of a finished match. Raises `UnfinishedError` for a match that is not over."""
    require_finished(record)
    state = record.state
    decisions = tuple(map(decision_facts, decisions_of(record.events)))
    return MatchFacts(state.names, state.ruleset, state.winners, round_facts(record.events), decisions)


def decision_facts(decision: Decision) -> DecisionFacts:
    """Return what a review shows of a decision before it is assessed."""
    shown = decision.view
    return DecisionFacts(
        number=decision.number,
        round_number=shown.round_number,
        seat=decision.seat,
        hand=shown.hand,
        bid=shown.bid,
        bidder=shown.bidder,
        wilds_count=shown.wilds_count,
        on_turn=shown.on_turn,
        move=decision.move,
    )


def round_facts(events: Sequence[Event]) -> tuple[RoundFacts, ...]:
    """Return the rounds of a match, from the events of a record that was read."""
    rounds: list[RoundFacts] = []
    for event in events:
        match event:
            case RoundStarted():
                rounds.append(RoundFacts(event.number, event.starter, event.special_seat, ()))
            case Dealt(hands):
                rounds[-1] = msgspec.structs.replace(rounds[-1], hands=hands)
            case KindChosen(seat, kind):
                if kind is not RoundKind.ORDINARY and rounds[-1].special_seat is None:
                    rounds[-1] = msgspec.structs.replace(rounds[-1], special_seat=seat)
            case SpecialDeclared(seat):
                rounds[-1] = msgspec.structs.replace(rounds[-1], special_seat=seat)
            case Challenged() | ExactCalled():
                exact = isinstance(event, ExactCalled)
                rounds[-1] = msgspec.structs.replace(rounds[-1], caller=event.seat, exact=exact)
            case Revealed():
                rounds[-1] = msgspec.structs.replace(rounds[-1], count=event.count)
            case _:
                pass
    return tuple(rounds)
