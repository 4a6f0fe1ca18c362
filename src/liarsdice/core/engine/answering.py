"""Judging the answers to a challenge for twice the stake: it is accepted, redoubled or folded."""

from __future__ import annotations

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from liarsdice.core.actions import AnswerDouble
from liarsdice.core.engine.settle import settle, settle_fold
from liarsdice.core.engine.state import State, next_seat
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.events import Challenged, DoubleAnswered, Event
from liarsdice.core.rules.choices import Answer
from liarsdice.core.rules.meaning import may_fold


def answer_double(state: State, seat: int, action: AnswerDouble) -> list[Event]:
    """Return the events of an answer. Raises `MalformedError` and `IllegalActionError` as `decide`."""
    if type(action.answer) is not Answer:
        raise MalformedError(f"an answer is one of {', '.join(map(str, Answer))}, not {action.answer!r:.80}")
    if state.doubled_by is None:
        raise IllegalActionError("there is no challenge for twice the stake to answer (call double to make one)")
    if seat != state.turn:
        raise IllegalActionError(f"{state.names[seat]} may not answer: {state.names[state.turn]} does")
    legal_answers = state.answers
    if action.answer not in legal_answers:
        raise IllegalActionError(f"nobody may {action.answer} now (answers: {', '.join(map(str, legal_answers))})")
    bidder = state.bids[-1][0]
    answered = DoubleAnswered(seat, state.doubled_by if seat == bidder else bidder, action.answer)
    match action.answer:
        case Answer.ACCEPT:
            call = _call(state, redoubled=state.redoubled)
            return [answered, call, *settle(state, call)]
        case Answer.REDOUBLE if may_fold(state.ruleset):
            return [answered]
        case Answer.REDOUBLE:
            call = _call(state, redoubled=True)
            return [answered, call, *settle(state, call)]
        case Answer.FOLD:
            return [answered, *settle_fold(state, _call(state, redoubled=state.redoubled), seat)]


def is_of_opening(state: State) -> bool | UnsetType:
    """Return True for a challenge of the opening bid where such a challenge costs more; unset otherwise."""
    return (len(state.bids) == 1 and isinstance(state.ruleset.loss.opening_factor, int)) or UNSET


def _call(state: State, *, redoubled: bool) -> Challenged:
    """Return the challenge that is answered."""
    assert state.doubled_by is not None
    bidder, bid = state.bids[-1]
    latest = bidder if state.passer is None else state.passer
    out_of_turn = state.doubled_by != next_seat(state.dice, latest, state.direction)
    call = Challenged(state.doubled_by, bidder, bid, out_of_turn, is_of_opening(state), double=True)
    return replace(call, redoubled=True) if redoubled else call
