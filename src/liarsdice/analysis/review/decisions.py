"""The decisions of a recorded match: who could do something, what they saw, what they did, and the odds of it."""

from collections.abc import Iterator, Sequence

import msgspec

from liarsdice.core.actions import MOVES, BidAndShow, Deal, PlayerAction
from liarsdice.core.engine.evolve import evolve
from liarsdice.core.engine.legal import legal
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import UnfinishedError
from liarsdice.core.events import (
    BidMade,
    Challenged,
    Dealt,
    Event,
    ExactCalled,
    KindChosen,
    Revealed,
    RolledAgain,
    RoundStarted,
    SpecialDeclared,
)
from liarsdice.core.records.record import Record, recorded_actions, recorded_start
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import RoundKind
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, hands_that_count, tally


class PastMove(msgspec.Struct, frozen=True):
    """A move that was made: what everybody saw before it (the view of a spectator), by whom, and which."""

    shown: View
    seat: int
    action: PlayerAction


class Decision(msgspec.Struct, frozen=True):
    """A decision of a player during the bidding.

    `number`: the place among the decisions of the match, from 0. `view`: what the player saw, with the legal moves.
    `move`: what the player did; None for a player who might have called the standing bid out of turn and let it stand.
    `round_dice`: the dice by seat when the round was dealt, which penalties may have reduced since. `history`: the
    moves of the round before, in order.
    """

    number: int
    view: View
    move: PlayerAction | None
    round_dice: tuple[int, ...]
    history: tuple[PastMove, ...] = ()

    @property
    def seat(self) -> int:
        """The seat of the player who decided."""
        assert self.view.seat is not None
        return self.view.seat


def require_finished(record: Record) -> None:
    """Raise `UnfinishedError` unless the match in a record is over."""
    if record.state.phase is not Phase.OVER:
        raise UnfinishedError("the match in this record is not over, and only finished matches are reviewed")


def decisions_of(events: Sequence[Event]) -> Iterator[Decision]:
    """Yield the decisions of a match in their order, from the events of a record that was read.

    Bids, calls and choices of a direction are decisions. A bid follows a decision of each player who might have called
    the bid before it out of turn. Reported penalties are no decisions.
    """
    round_dice: tuple[int, ...] = ()
    history: tuple[PastMove, ...] = ()
    number = 0
    for state, seat, action in recorded_actions(events):
        if isinstance(action, Deal):
            round_dice, history = state.dice, ()
        if seat is None or not isinstance(action, MOVES):
            continue
        silent_seats = _possible_callers(state) if isinstance(action, Bid | BidAndShow) else ()
        for decider, move in (*((other, None) for other in silent_seats), (seat, action)):
            yield Decision(number, view(state, decider), move, round_dice, history)
            number += 1
        history = (*history, PastMove(view(state, None), seat, action))


def _possible_callers(state: State) -> tuple[int, ...]:
    """Return the seats that may call the standing bid out of turn, in seat order."""
    moves = legal(state)
    return tuple(sorted({*moves.challengers, *moves.exact_callers} - {state.turn}))


class BidCount(msgspec.Struct, frozen=True):
    """What counts for a bid, with all hands known.

    `own`: what the hand of whoever decides counts for alone, so that wild dice that need another player's die count
    nothing. `counted`: the share of each hand in the count, by seat. `held`: whether the bid was true.
    """

    own: int
    counted: tuple[int, ...]
    held: bool


class DecisionFacts(msgspec.Struct, frozen=True):
    """A decision as it was made: who decided, the own dice, the standing bid, and the move.

    `bid`, `bidder`: None before the first bid. `wilds_count`: whether the special face was wild. `move`: None for a
    standing bid that was not called out of turn. `standing_count`: what counts for the standing bid, and `made_count`
    for the bid that was made; None without such a bid.
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
    standing_count: BidCount | None
    made_count: BidCount | None


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
    """A finished match: players (`Record.result_names`) and winners by seat, its rounds, and its decisions."""

    names: tuple[str, ...]
    ruleset: Ruleset
    winners: tuple[int, ...]
    rounds: tuple[RoundFacts, ...]
    decisions: tuple[DecisionFacts, ...]


def match_facts(record: Record) -> MatchFacts:
    """Return the facts of a finished match. Raises `UnfinishedError` for a match that is not over."""
    require_finished(record)
    state, events = record.state, record.events
    return MatchFacts(record.result_names, state.ruleset, state.winners, round_facts(events), decision_facts(events))


def decision_facts(events: Sequence[Event]) -> tuple[DecisionFacts, ...]:
    """Return what a review shows of the decisions of a match before they are assessed."""
    states, made = _states_after_bids(events), 0
    facts: list[DecisionFacts] = []
    for decision in decisions_of(events):
        standing = states[made - 1] if decision.view.bid is not None else None
        makes_bid = isinstance(decision.move, Bid | BidAndShow)
        facts.append(_decision_facts(decision, standing, states[made] if makes_bid else None))
        made += makes_bid
    return tuple(facts)


def _decision_facts(decision: Decision, standing: State | None, after: State | None) -> DecisionFacts:
    """Return the facts of a decision. `standing`: a state with the standing bid; `after`: one with the bid made."""
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
        standing_count=None if standing is None else _bid_count(standing, decision, exactly=shown.claimed),
        made_count=None if after is None else _bid_count(after, decision),
    )


def _states_after_bids(events: Sequence[Event]) -> list[State]:
    """Return the state after each bid of a match, with the dice that the bidder rolled again for it."""
    state, states = recorded_start(events), list[State]()
    for event in events[1:]:
        state = evolve(state, event)
        if isinstance(event, BidMade):
            states.append(state)
        elif isinstance(event, RolledAgain) and not state.rerolls:
            states[-1] = state
    return states


def _bid_count(state: State, decision: Decision, *, exactly: bool = False) -> BidCount:
    """Return what counts for the standing bid of a state; `exactly`: which is claimed to be exactly right."""
    rules, (bidder, bid) = state.ruleset, state.bids[-1]
    own_alone = tuple(decision.view.hand if seat == decision.seat else () for seat in range(len(state.hands)))
    own, whole = (
        tally(rules, hands_that_count(rules, hands, bidder), bid.face, wilds_count=state.wilds_in_challenge)
        for hands in (own_alone, state.hands)
    )
    held = whole.count == bid.quantity if exactly else whole.count >= bid.quantity
    return BidCount(own.count, whole.counted, held)


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
