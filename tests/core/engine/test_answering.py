"""Challenges for twice the stake are answered before the dice are shown, by whoever may and as the rules say."""

from __future__ import annotations

from typing import Any

import pytest

from liarsdice.core.actions import Action, AnswerDouble, Challenge, ChallengePass, ChooseStarter, Deal, Pass, Penalise
from liarsdice.core.engine.engine import decide, evolve_all, legal, start
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import view
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.events import (
    Cause,
    Challenged,
    DoubleAnswered,
    Doubled,
    Eliminated,
    LivesLost,
    MatchEnded,
    Revealed,
    RoundEnded,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, DoubleAnswers, PassHand, PenaltyTiming, PenaltyTrigger, WhoCalls
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset

ANN, BO, CY = range(3)
COUNTER_PI = preset("chui-niu+counter-pi").ruleset
DRINKS = preset("chui-niu+counter-pi+drinks").ruleset
ACCEPT, REDOUBLE, FOLD = map(AnswerDouble, Answer)
BID = Bid(4, 2)


def after(rules: Ruleset, *moves: tuple[int | None, Action], dice: int = 5) -> State:
    """A state of Ann, Bo and Cy after the deal, in which Ann has all twos and the others none, and some moves."""
    hands = tuple((face,) * dice for face in (2, 3, 4))
    state = start(patched(rules, dice__per_player=dice), ("Ann", "Bo", "Cy"))
    dealt: tuple[tuple[int | None, Action], ...] = ((None, ChooseStarter(ANN)), (None, Deal(hands)))
    for seat, action in (*dealt, *moves):
        state = evolve_all(state, decide(state, seat, action))
    return state


DOUBLED = ((ANN, BID), (CY, Challenge(double=True)))


def test_a_doubled_call_waits_for_the_bidder_and_everybody_sees_that() -> None:
    state = after(COUNTER_PI, (ANN, BID))
    assert decide(state, CY, Challenge(double=True)) == [Doubled(CY, ANN, BID, out_of_turn=True)]
    state = after(COUNTER_PI, *DOUBLED)
    assert (state.phase, state.turn, state.doubled_by, state.redoubled) == (Phase.BIDDING, ANN, CY, False)
    assert legal(state).moves(ANN) == (ACCEPT, REDOUBLE, FOLD)
    assert legal(state).moves(BO) == legal(state).moves(CY) == ()
    assert view(state, BO).doubled_by == CY
    assert view(state, ANN).may_answer == tuple(Answer)


def test_a_plain_challenge_is_not_answered() -> None:
    state = after(COUNTER_PI, (ANN, BID))
    assert isinstance(decide(state, BO, Challenge())[1], Revealed)


def test_an_accepted_call_is_settled_for_twice_the_stake() -> None:
    answered, call, revealed, lost, ended = decide(after(COUNTER_PI, *DOUBLED), ANN, ACCEPT)
    assert answered == DoubleAnswered(ANN, CY, Answer.ACCEPT)
    assert call == Challenged(CY, ANN, BID, out_of_turn=True, double=True)
    assert isinstance(revealed, Revealed)
    assert (getattr(lost, "seat", None), getattr(lost, "dice", None)) == (CY, 2)
    assert isinstance(ended, RoundEnded)


def test_a_redoubled_call_waits_for_the_challenger_who_accepts_or_folds() -> None:
    state = after(COUNTER_PI, *DOUBLED, (ANN, REDOUBLE))
    assert (state.turn, state.redoubled, legal(state).moves(CY)) == (CY, True, (ACCEPT, FOLD))
    call, _, lost = decide(state, CY, ACCEPT)[1:4]
    assert call == Challenged(CY, ANN, BID, out_of_turn=True, double=True, redoubled=True)
    assert getattr(lost, "dice", None) == 4


@pytest.mark.parametrize(
    "moves, seat, lost",
    [(DOUBLED, ANN, 1), ((*DOUBLED, (ANN, REDOUBLE)), CY, 2)],
    ids=["the bidder", "the challenger"],
)
def test_whoever_folds_loses_the_stake_before_the_latest_doubling_and_nobody_shows_dice(
    moves: tuple[tuple[int, Action], ...], seat: int, lost: int
) -> None:
    state = after(DRINKS, *moves)
    answered, change, ended = decide(state, seat, FOLD)
    assert answered == DoubleAnswered(seat, CY if seat == ANN else ANN, Answer.FOLD)
    assert isinstance(change, LivesLost)
    assert (change.seat, change.lives, change.cause) == (seat, lost, Cause.FOLDED)
    assert ended == RoundEnded(1, seat)
    after_fold = evolve_all(state, [answered, change, ended])
    assert (after_fold.revealed, after_fold.hands) == (None, ())
    assert (after_fold.doubled_by, after_fold.redoubled) == (None, False)


def test_a_fold_pays_the_higher_stake_of_a_call_out_of_turn() -> None:
    rules = patched(COUNTER_PI, challenge__who=WhoCalls.ANYONE_BUT_BIDDER, loss__out_of_turn_factor=2, loss__fixed=1)
    assert getattr(decide(after(rules, *DOUBLED), ANN, FOLD)[1], "dice", None) == 2


def test_a_fold_can_end_the_match() -> None:
    state = after(COUNTER_PI, (ANN, Bid(3, 2)), (CY, Challenge(double=True)), dice=1)
    assert decide(state, ANN, FOLD)[2:] == [Eliminated(ANN), RoundEnded(1, CY)]
    two = start(patched(COUNTER_PI, dice__per_player=1), ("Ann", "Bo"))
    for seat, action in ((None, ChooseStarter(ANN)), (None, Deal(((2,), (3,)))), (ANN, Bid(2, 2))):
        two = evolve_all(two, decide(two, seat, action))
    two = evolve_all(two, decide(two, BO, Challenge(double=True)))
    assert isinstance(decide(two, ANN, FOLD)[-1], MatchEnded)


def test_where_nobody_may_fold_a_redoubled_call_is_settled_at_once() -> None:
    rules = patched(COUNTER_PI, challenge__answers=DoubleAnswers.REDOUBLE)
    state = after(rules, *DOUBLED)
    assert legal(state).answers == (Answer.ACCEPT, Answer.REDOUBLE)
    assert [type(event) for event in decide(state, ANN, REDOUBLE)[:3]] == [DoubleAnswered, Challenged, Revealed]


@pytest.mark.parametrize(
    "moves, seat, action, reason",
    [
        (((ANN, BID),), BO, ACCEPT, "there is no challenge for twice the stake to answer (call double to make one)"),
        (DOUBLED, BO, ACCEPT, "Bo may not answer: Ann does"),
        (DOUBLED, CY, FOLD, "Cy may not answer: Ann does"),
        ((*DOUBLED, (ANN, REDOUBLE)), CY, REDOUBLE, "nobody may redouble now (answers: accept, fold)"),
        (DOUBLED, ANN, Bid(5, 2), "nobody can bid now: Ann answers the challenge for twice the stake first"),
        (DOUBLED, BO, Challenge(), "nobody can challenge now: Ann answers the challenge for twice the stake first"),
    ],
)
def test_what_is_no_answer_now_is_refused(
    moves: tuple[tuple[int, Action], ...], seat: int, action: Action, reason: str
) -> None:
    with pytest.raises(IllegalActionError) as caught:
        decide(after(COUNTER_PI, *moves), seat, action)
    assert str(caught.value) == reason


def test_an_answer_of_another_type_is_malformed() -> None:
    wrong: Any = AnswerDouble("pay")  # type: ignore[arg-type]
    with pytest.raises(MalformedError, match="an answer is one of accept, redouble, fold, not 'pay'"):
        decide(after(COUNTER_PI, *DOUBLED), ANN, wrong)


def test_a_penalty_that_is_taken_at_once_waits_for_the_answer() -> None:
    penalties = (Penalty(trigger=PenaltyTrigger.ASKS_DICE_LEFT, dice=1),)
    at_once = patched(COUNTER_PI, penalties=penalties, penalty_timing=PenaltyTiming.IMMEDIATE)
    assert legal(after(at_once, (ANN, BID))).penalties
    assert not legal(after(at_once, *DOUBLED)).penalties
    with pytest.raises(IllegalActionError):
        decide(after(at_once, *DOUBLED), BO, Penalise(PenaltyTrigger.ASKS_DICE_LEFT, (0,)))
    assert legal(after(patched(COUNTER_PI, penalties=penalties), *DOUBLED)).penalties


def test_the_call_of_a_bid_by_a_player_who_is_out_is_settled_at_once() -> None:
    penalties = (Penalty(trigger=PenaltyTrigger.ASKS_DICE_LEFT, dice=5),)
    rules = patched(COUNTER_PI, penalties=penalties, penalty_timing=PenaltyTiming.IMMEDIATE)
    state = after(rules, (ANN, BID), (ANN, Penalise(PenaltyTrigger.ASKS_DICE_LEFT, tuple(range(5)))))
    events = decide(state, BO, Challenge(double=True))
    assert [type(event) for event in events[:3]] == [Doubled, Challenged, Revealed]
    assert evolve_all(state, events).doubled_by is None


def test_after_a_pass_the_seat_on_turn_doubles_in_turn_and_nobody_doubts_the_pass_before_the_answer() -> None:
    rules = patched(COUNTER_PI, bidding__pass_with=(PassHand.ALIKE,))
    state = after(rules, (ANN, BID), (BO, Pass()), (CY, Challenge(double=True)))
    assert legal(state).moves(ANN) == (ACCEPT, REDOUBLE, FOLD)
    for move in (Pass(), ChallengePass()):
        with pytest.raises(IllegalActionError, match="answers the challenge"):
            decide(state, ANN, move)
    assert decide(state, ANN, ACCEPT)[1] == Challenged(CY, ANN, BID, double=True)
