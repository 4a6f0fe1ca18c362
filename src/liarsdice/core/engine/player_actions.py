"""Judging the players' actions: bids, calls, directions and penalties."""

from __future__ import annotations

from typing import NoReturn

from msgspec import UNSET, UnsetType

from liarsdice.core.actions import (
    AnswerDouble,
    BidAndShow,
    Challenge,
    ChallengePass,
    ChooseKind,
    DeclareSpecial,
    Exact,
    Pass,
    Penalise,
    PlayerAction,
    SetDirection,
)
from liarsdice.core.engine.answering import answer_double, is_of_opening
from liarsdice.core.engine.bid_refusal import explain_refusal
from liarsdice.core.engine.legal import (
    bid_is_legal,
    challengers,
    directions,
    doublers,
    exact_call_refusal,
    exact_call_refusal_for_seat,
    exact_callers,
    penalties_now,
)
from liarsdice.core.engine.passing import pass_refusal
from liarsdice.core.engine.settle import Settlement, settle
from liarsdice.core.engine.shown_dice import require_show_types, require_showable
from liarsdice.core.engine.special_rounds import choose_kind, declare_special
from liarsdice.core.engine.state import Phase, State, require_seat
from liarsdice.core.errors import IllegalActionError, MalformedError, described
from liarsdice.core.events import (
    BidMade,
    Cause,
    Challenged,
    DirectionSet,
    Doubled,
    Event,
    ExactCalled,
    PassChallenged,
    Passed,
    Penalised,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction, PenaltyTiming, PenaltyTrigger, WhoCalls, WhoCallsExact
from liarsdice.core.rules.meaning import (
    doubles_are_answered,
    has_double_challenge,
    has_passes,
    kind_is_chosen,
    may_show_dice,
    special_round_is_declared,
)
from liarsdice.core.rules.parts import find_penalty
from liarsdice.core.rules.ruleset import Ruleset


def decide_player(state: State, seat: int, action: PlayerAction) -> list[Event]:
    """Return the events of a player's action. Raises `MalformedError` and `IllegalActionError` as `decide`."""
    require_seat(seat, len(state.names))
    if not state.dice[seat]:
        raise IllegalActionError(f"{state.names[seat]} is out and plays no more")
    missing = _missing_rule(state.ruleset, action)
    if missing is not None:
        raise IllegalActionError(missing)
    match action:
        case Bid():
            return _bid(state, seat, action)
        case BidAndShow():
            return _bid_and_show(state, seat, action)
        case Challenge():
            return _challenge(state, seat, action)
        case AnswerDouble():
            return answer_double(state, seat, action)
        case Exact():
            return _exact(state, seat)
        case Pass():
            return _pass(state, seat)
        case ChallengePass():
            return _challenge_pass(state, seat)
        case SetDirection(direction):
            return _set_direction(state, seat, direction)
        case DeclareSpecial():
            _require_bidding(state, "declare a special round")
            return declare_special(state, seat)
        case ChooseKind():
            _require_bidding(state, "choose the kind of the round", choosing=True)
            return choose_kind(state, seat, action)
        case Penalise():
            return _penalise(state, seat, action)
        case _:
            raise MalformedError(f"{described(action)} is no action of a player")


def _missing_rule(rules: Ruleset, action: PlayerAction) -> str | None:
    """Return why these rules never allow a move of this kind, and what to do instead; None if they do."""
    match action:
        case BidAndShow() if not may_show_dice(rules):
            return "these rules let nobody show dice (bid alone)"
        case Challenge() if action.double is True and not has_double_challenge(rules):
            return "these rules have no challenge for twice the stake (challenge without doubling)"
        case AnswerDouble() if not doubles_are_answered(rules):
            return "these rules have no answer to a challenge (bid or call)"
        case Exact() if rules.exact_call is None:
            return "these rules have no exact call (challenge or bid)"
        case Pass() | ChallengePass() if not has_passes(rules):
            return "these rules have no pass (bid or call)"
        case SetDirection() if not rules.turn.starter_may_reverse:
            return "these rules do not let a player choose the direction (bid or call)"
        case DeclareSpecial() if kind_is_chosen(rules) or not special_round_is_declared(rules):
            return "these rules have no special round that a player declares (bid or call)"
        case ChooseKind() if not kind_is_chosen(rules):
            return "these rules do not let a player choose the kind of a round (bid or call)"
        case Penalise() if not rules.penalties:
            return "these rules have no penalties"
        case _:
            return None


def _bid(state: State, seat: int, bid: Bid) -> list[Event]:
    _require_bidding(state, "bid")
    if seat != state.turn:
        raise IllegalActionError(f"{state.names[seat]} may not bid: it is the turn of {state.names[state.turn]}")
    if not bid_is_legal(state, bid):
        raise IllegalActionError(explain_refusal(state, bid))
    return [BidMade(seat, bid)]


def _bid_and_show(state: State, seat: int, action: BidAndShow) -> list[Event]:
    require_show_types(action)
    _bid(state, seat, action.bid)
    require_showable(state, state.hands[seat], action)
    return [BidMade(seat, action.bid, action.shown)]


def _challenge(state: State, seat: int, action: Challenge) -> list[Event]:
    if type(action.double) is not bool:
        raise MalformedError(f"a challenge is for twice the stake or not, True or False, not {action.double!r:.80}")
    who: WhoCalls | UnsetType | None = state.ruleset.challenge.double if action.double else state.ruleset.challenge.who
    assert isinstance(who, WhoCalls)
    _require_bidding(state, "challenge")
    if seat not in (doublers(state) if action.double else challengers(state)):
        _refuse_call(state, seat, "challenge for twice the stake" if action.double else "challenge", who)
    bidder, bid = state.bids[-1]
    double: bool | UnsetType = action.double or UNSET
    call = Challenged(seat, bidder, bid, seat != state.turn, is_of_opening(state), double)
    if not (action.double and doubles_are_answered(state.ruleset)):
        return [call, *settle(state, call)]
    doubled = Doubled(seat, bidder, bid, seat != state.turn)
    return [doubled] if state.dice[bidder] else [doubled, call, *settle(state, call)]


def _exact(state: State, seat: int) -> list[Event]:
    exact = state.ruleset.exact_call
    assert exact is not None
    _require_bidding(state, "call exact")
    if seat not in exact_callers(state):
        reason = exact_call_refusal(state, exact) or exact_call_refusal_for_seat(state, exact, seat)
        if reason:
            raise IllegalActionError(f"{state.names[seat]} may not call exact: {reason}")
        _refuse_call(state, seat, "call exact", exact.who)
    bidder, bid = state.bids[-1]
    call = ExactCalled(seat, bidder, bid, seat != state.turn)
    return [call, *settle(state, call)]


def _pass(state: State, seat: int) -> list[Event]:
    name = state.names[seat]
    _require_bidding(state, "pass")
    if seat != state.turn:
        raise IllegalActionError(f"{name} may not pass: it is the turn of {state.names[state.turn]}")
    reason = pass_refusal(state)
    if reason is not None:
        raise IllegalActionError(f"{name} may not pass: {reason}")
    return [Passed(seat)]


def _challenge_pass(state: State, seat: int) -> list[Event]:
    _require_bidding(state, "doubt a pass")
    if state.passer is None:
        raise IllegalActionError("there is no pass to doubt (only that of the player before can be doubted)")
    if seat != state.turn:
        turn = state.names[state.turn]
        raise IllegalActionError(f"{state.names[seat]} may not doubt the pass: only {turn}, whose turn it is, may")
    call = PassChallenged(seat, state.passer)
    return [call, *settle(state, call)]


def _refuse_call(state: State, seat: int, call: str, who: WhoCalls | WhoCallsExact) -> NoReturn:
    if not state.bids:
        raise IllegalActionError(f"there is no bid to {call} yet (the round opens with a bid)")
    raise IllegalActionError(f"{state.names[seat]} may not {call}: {_allowed_callers(state, who)} may")


def _allowed_callers(state: State, who: WhoCalls | WhoCallsExact) -> str:
    turn, bidder = state.names[state.turn], state.names[state.bids[-1][0]]
    match who:
        case WhoCalls.NEXT_PLAYER | WhoCallsExact.NEXT_PLAYER if state.turn == state.bidder:
            return f"nobody calls while it is the turn of the bidder, {bidder}, so nobody"
        case WhoCalls.NEXT_PLAYER | WhoCallsExact.NEXT_PLAYER:
            return f"only {turn}, whose turn it is,"
        case WhoCalls.ANYONE_BUT_BIDDER | WhoCallsExact.ANYONE_BUT_BIDDER:
            return f"anyone but the bidder, {bidder},"
        case WhoCallsExact.OUT_OF_TURN:
            return f"anyone but the bidder, {bidder}, and {turn}, whose turn it is,"


def _set_direction(state: State, seat: int, direction: Direction) -> list[Event]:
    _require_bidding(state, "choose the direction")
    if seat != state.turn or direction not in directions(state):
        raise IllegalActionError(
            f"{state.names[seat]} may not choose the direction: only the starter of a round may, once, before it bids"
        )
    return [DirectionSet(seat, direction)]


def _penalise(state: State, seat: int, action: Penalise) -> list[Event]:
    rules, name = state.ruleset, state.names[seat]
    penalty = find_penalty(penalties_now(state), action.trigger, action.offence)
    if penalty is None:
        known = ", ".join(_penalty_text(*known.punishes) for known in penalties_now(state)) or "none now"
        punished = _penalty_text(action.trigger, action.offence)
        raise IllegalActionError(f"there is no penalty for {punished} (penalties: {known})")
    dice = penalty.dice
    if rules.penalty_timing is PenaltyTiming.END_OF_ROUND:
        if action.taken:
            raise MalformedError("no dice are picked for a penalty that is taken at the end of the round")
        return [Penalised(seat, action.trigger, dice, offence=penalty.offence)]
    dice = min(dice, state.stakes[seat])
    taken_count = dice if state.phase is Phase.BIDDING and not state.lives else 0
    positions = set(action.taken)
    is_pick = len(action.taken) == len(positions) == taken_count and positions <= set(range(state.dice[seat]))
    if not is_pick:
        raise MalformedError(
            f"the dealer picks {taken_count} of the {state.dice[seat]} dice of {name}, not {action.taken!r}"
        )
    settlement = Settlement(state)
    settlement.lose(seat, dice, Cause.PENALTY)
    settlement.eliminate(state.stakes)
    settlement.end_if_decided()
    taken = Penalised(seat, action.trigger, dice, immediate=True, taken=action.taken, offence=penalty.offence)
    return [taken, *settlement.events]


def _penalty_text(trigger: PenaltyTrigger, offence: str) -> str:
    return f"{trigger} ({offence!r:.60})" if offence else str(trigger)


def _require_bidding(state: State, action: str, *, choosing: bool = False) -> None:
    match state.phase:
        case Phase.BIDDING if state.kinds and not choosing:
            raise IllegalActionError(
                f"nobody can {action} now: {state.names[state.turn]} says first which kind of round it is"
            )
        case Phase.BIDDING if state.doubled_by is None:
            return
        case Phase.BIDDING:
            raise IllegalActionError(
                f"nobody can {action} now: {state.names[state.turn]} answers the challenge for twice the stake first"
            )
        case Phase.OVER:
            raise IllegalActionError(f"nobody can {action}: the match is over")
        case Phase.ROLL_AGAIN:
            raise IllegalActionError(f"nobody can {action} now: the bidder rolls dice again first")
        case Phase.DEAL:
            raise IllegalActionError(f"nobody can {action} now: the next round has not been dealt")
        case Phase.STARTER:
            raise IllegalActionError(f"nobody can {action} now: the first starter is not known yet")
