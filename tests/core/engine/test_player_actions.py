"""Players' actions are accepted when they are legal, and refused with the reason when they are not."""

from typing import Any

import msgspec
import pytest

from liarsdice.core.actions import (
    Action,
    AnswerDouble,
    BidAndShow,
    Challenge,
    ChallengePass,
    ChooseKind,
    ChooseStarter,
    Deal,
    DeclareSpecial,
    Exact,
    Pass,
    Penalise,
    PlayerAction,
    RollForStart,
    SetDirection,
)
from liarsdice.core.bids.notation import notate
from liarsdice.core.bids.odds import p_pass
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.evolve import initial_state
from liarsdice.core.engine.legal import legal, pass_refusal
from liarsdice.core.engine.player_actions import decide_player, explain_refusal
from liarsdice.core.engine.settle import called_seat
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import view
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.events import (
    BidMade,
    Cause,
    Challenged,
    Dealt,
    DiceLost,
    DirectionSet,
    DoubleAnswered,
    Doubled,
    Event,
    LivesLost,
    MatchStarted,
    PassChallenged,
    Penalised,
    Revealed,
    RoundEnded,
    RoundStarted,
)
from liarsdice.core.records.position import read_position
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import (
    Answer,
    Direction,
    FromPure,
    PassHand,
    PenaltyTiming,
    PenaltyTrigger,
    Raise,
    Reversal,
    RoundKind,
    StarterMethod,
    ToPure,
)
from liarsdice.core.rules.meaning import pass_hand_of
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import FULL, preset
from liarsdice.core.rules.ruleset import Ruleset

CLOCKWISE = Direction.CLOCKWISE
ASKED = PenaltyTrigger.ASKS_DICE_LEFT


def bidding(rules: Ruleset, dice: tuple[int, ...] = (5, 5, 5)) -> State:
    """A first round with seat 0 on turn; every die shows a two."""
    state = initial_state(MatchStarted(rules, ("Ann", "Bo", "Cy")[: len(dice)]))
    events: list[Event] = [RoundStarted(1, 0, dice, CLOCKWISE), Dealt(tuple((2,) * held for held in dice))]
    return evolve_all(state, events)


@pytest.mark.parametrize(
    "action",
    [
        *(Exact(), Pass(), ChallengePass(), SetDirection(CLOCKWISE), DeclareSpecial(), Challenge(double=True)),
        *(BidAndShow(Bid(3, 2), (2,)), Penalise(ASKED), *map(AnswerDouble, Answer), *map(ChooseKind, RoundKind)),
    ],
    ids=notate,
)
def test_a_move_that_the_rules_do_not_have_is_refused_as_one_at_any_time(action: PlayerAction) -> None:
    opening = bidding(patched(preset("basic").ruleset, turn__starter_may_reverse=False))
    for state in (opening, evolve_all(opening, [BidMade(0, Bid(2, 2))])):
        for seat in range(3):
            with pytest.raises(IllegalActionError, match=r"^these rules (have no|let nobody|do not let)"):
                decide_player(state, seat, action)


@pytest.mark.parametrize(
    "seat, action, message",
    [
        (1, Bid(2, 3), "Bo may not bid: it is the turn of Ann"),
        (0, Challenge(), "there is no bid to challenge yet"),
        (0, Exact(), "there is no bid to call exact yet"),
        (1, SetDirection(CLOCKWISE), "Bo may not choose the direction"),
        (0, Bid(5, 0), "bid 5x0 names face 0, but the dice have faces 1 to 6"),
        (0, Bid(5, 0, pure=True), "bid 5x0 names face 0, but the dice have faces 1 to 6"),
    ],
)
def test_an_illegal_action_is_refused_with_the_reason(
    seat: int, action: Bid | Challenge | Exact | SetDirection | Penalise, message: str
) -> None:
    state = bidding(patched(preset(FULL).ruleset, exact_call__min_players=2))
    with pytest.raises(IllegalActionError, match=message):
        decide_player(state, seat, action)


def test_before_the_deal_nobody_can_act() -> None:
    state = start(preset("classic").ruleset, ("Ann", "Bo"))
    with pytest.raises(IllegalActionError, match="nobody can bid now: the first starter is not known yet"):
        decide_player(state, 0, Bid(1, 2))


def test_a_player_who_is_out_plays_no_more() -> None:
    state = evolve_all(bidding(preset("classic").ruleset), [DiceLost(1, 5, 0, Cause.PENALTY)])
    with pytest.raises(IllegalActionError, match="Bo is out"):
        decide_player(state, 1, Bid(1, 2))


@pytest.mark.parametrize("action", ["5x4", None])
def test_what_is_no_action_is_malformed(action: object) -> None:
    with pytest.raises(MalformedError, match="no action"):
        decide_player(bidding(preset("classic").ruleset), 0, action)  # type: ignore[arg-type]


def test_the_starter_may_choose_the_direction_once() -> None:
    state = bidding(preset("classic+reversa").ruleset)
    events = decide_player(state, 0, SetDirection(Direction.ANTICLOCKWISE))
    assert events == [DirectionSet(0, Direction.ANTICLOCKWISE)]
    after = evolve_all(state, events)
    assert legal(after).directions == ()
    with pytest.raises(IllegalActionError, match="once"):
        decide_player(after, 0, SetDirection(CLOCKWISE))


def test_the_direction_may_be_for_the_first_starter_alone_to_choose() -> None:
    state = bidding(patched(preset("classic").ruleset, turn__starter_may_reverse=Reversal.FIRST_ROUND))
    assert legal(state).directions == tuple(Direction)
    later = evolve_all(state, [RoundEnded(1, 0, None), RoundStarted(2, 0, state.dice, CLOCKWISE), Dealt(state.hands)])
    assert legal(later).directions == ()
    with pytest.raises(IllegalActionError, match="only the starter of the first round may"):
        decide_player(later, 0, SetDirection(CLOCKWISE))


def test_an_opener_with_one_die_declares_a_special_round_once() -> None:
    state = bidding(preset("perudo+declared-palifico").ruleset)
    with pytest.raises(IllegalActionError, match="only who opens with one die left may, before it bids"):
        decide_player(state, 0, DeclareSpecial())
    state = msgspec.structs.replace(state, dice=(1, *state.dice[1:]), hands=(state.hands[0][:1], *state.hands[1:]))
    assert legal(state).may_declare
    after = evolve_all(state, decide_player(state, 0, DeclareSpecial()))
    assert (after.special_seat, after.had_special, after.wilds_count, after.turn) == (0, (0,), False, 0)
    assert after.face_locked
    with pytest.raises(IllegalActionError, match="may not declare"):
        decide_player(after, 0, DeclareSpecial())
    with pytest.raises(IllegalActionError, match="no special round that a player declares"):
        decide_player(bidding(preset("perudo").ruleset), 0, DeclareSpecial())


def test_an_immediate_penalty_takes_the_dice_that_the_dealer_picks() -> None:
    rules = patched(preset("chart").ruleset, penalty_timing=PenaltyTiming.IMMEDIATE)
    state = bidding(rules)
    penalised, lost = decide_player(state, 1, Penalise(ASKED, (3,)))
    assert penalised == Penalised(1, ASKED, 1, immediate=True, taken=(3,))
    assert evolve_all(state, [penalised, lost]).dice == (5, 4, 5)
    for taken in ((), (5,), (0, 1)):
        with pytest.raises(MalformedError, match="the dealer picks 1 of the 5 dice of Bo"):
            decide_player(state, 1, Penalise(ASKED, taken))


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


def bid_refusal_after(rules: Ruleset, *bids: Bid) -> State:
    """Two players with five dice each, and these bids in turn."""
    state = start(rules, ["Ann", "Bo"])
    chosen = rules.first_starter.method is not StarterMethod.HIGH_ROLL
    roll = tuple((6 - seat,) * rules.first_starter.dice for seat in range(2))
    for action in (ChooseStarter(0) if chosen else RollForStart(roll), Deal(((1, 2, 3, 4, 5), (2, 3, 4, 5, 6)))):
        state = evolve_all(state, decide(state, None, action))
    for bid in bids:
        state = evolve_all(state, decide(state, state.turn, bid))
    return state


def refusal(state: State, bid: Bid) -> str:
    with pytest.raises(IllegalActionError) as refused:
        decide(state, state.turn, bid)
    return str(refused.value)


def test_where_all_bids_are_ranked_the_next_higher_bid_is_named() -> None:
    state = bid_refusal_after(preset("classic").ruleset, Bid(4, 2))
    assert refusal(state, Bid(3, 5)) == "bid 3x5 does not beat 4x2 (needs 4x3 or higher)"


def test_where_bids_are_not_ranked_each_face_is_named_that_of_the_bid_first() -> None:
    state = bid_refusal_after(preset("mustache").ruleset, Bid(5, 4))
    assert (
        refusal(state, Bid(4, 5))
        == "bid 4x5 does not beat 5x4 (needs 5x5 or more; 3x1 or more; 6x4 or more; 5x6 or more)"
    )


def test_pure_bids_have_a_mark_and_are_refused_where_there_are_none() -> None:
    assert refusal(bid_refusal_after(preset("joker").ruleset), Bid(4, 2, pure=True)) == (
        "bid 4x2! is marked as pure, but these rules have no pure bids (leave the mark out: 4x2)"
    )
    rules = patched(preset("joker").ruleset, bidding__to_pure=ToPure.SAME_QUANTITY, bidding__from_pure=FromPure.DOUBLE)
    assert refusal(bid_refusal_after(rules), Bid(4, 1, pure=True)) == (
        "bid 4x1! is marked as pure, but bids on face 1 always are (leave the mark out: 4x1)"
    )
    assert (
        refusal(bid_refusal_after(rules, Bid(4, 5, pure=True)), Bid(7, 6))
        == "bid 7x6 does not beat 4x5! (needs 4x6! or higher)"
    )
    by_faces = patched(rules, bidding__raise_=Raise.NO_DECREASE)
    assert refusal(bid_refusal_after(by_faces, Bid(4, 5, pure=True)), Bid(7, 6)) == (
        "bid 7x6 does not beat 4x5! (needs 8x6 or more; 4x6! or more; 8x2 or more; 8x3 or more; 8x4 or more; "
        "8x5 or more; 5x5! or more)"
    )


def test_a_face_with_one_legal_quantity_is_named_with_no_more() -> None:
    state = bid_refusal_after(patched(Ruleset(), bidding__raise_=Raise.ONE_STEP_DIM), Bid(3, 4))
    assert (
        refusal(state, Bid(4, 5)) == "bid 4x5 does not beat 3x4 (needs 3x5 and no more; 4x4 or more; 3x6 and no more)"
    )


def test_bids_that_were_already_made_are_excluded_by_name() -> None:
    state = bid_refusal_after(preset("official").ruleset, Bid(3, 4), Bid(2, 5), Bid(3, 2))
    message = refusal(state, Bid(2, 2))
    assert message.startswith("bid 2x2 does not beat 3x2 (needs 4x2 or more; ")
    assert "1x4 or more, but not 3x4; 1x5 or more, but not 2x5" in message


def test_over_the_highest_bid_only_a_call_is_left() -> None:
    state = bid_refusal_after(preset("classic").ruleset, Bid(10, 6))
    assert refusal(state, Bid(10, 2)) == "bid 10x2 does not beat 10x6 (no bid is left: call it)"


@pytest.mark.parametrize("bid", [Bid(1, 7), Bid(11, 2), Bid(3, 2), Bid(4, 2)])
def test_the_explanation_is_the_message_of_the_refusal(bid: Bid) -> None:
    state = bid_refusal_after(preset("classic").ruleset, Bid(4, 2))
    assert explain_refusal(state, bid) == refusal(state, bid)


RULES = preset("perudo+pass").ruleset


def test_nobody_passes_before_a_bid_or_where_no_hand_allows_it() -> None:
    assert pass_refusal(read_position("bidding 11111/22222 0 - 1 perudo Ann,Bo")) == "a round opens with a bid"
    assert pass_refusal(read_position("bidding 11111/22222 1 0:3x4 1 perudo Ann,Bo")) == "no hand of 5 dice allows it"


def test_the_player_who_passed_is_called_and_thirteen_hands_in_a_hundred_allow_it() -> None:
    assert called_seat(PassChallenged(2, 1)) == 1
    assert p_pass(RULES, 5) == pytest.approx(1026 / 7776)
    assert pass_hand_of(RULES, (1, 1, 1, 1, 2)) is None
