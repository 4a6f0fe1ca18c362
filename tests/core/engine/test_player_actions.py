"""Players' actions are accepted when they are legal, and refused with the reason when they are not."""

from __future__ import annotations

import msgspec
import pytest

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
from liarsdice.core.bids.notation import notate
from liarsdice.core.engine.engine import evolve_all, start
from liarsdice.core.engine.evolve import initial_state
from liarsdice.core.engine.legal import MAX_PENALTIES, legal, legal_bids
from liarsdice.core.engine.player_actions import decide_player
from liarsdice.core.engine.state import State
from liarsdice.core.errors import IllegalActionError, LiarsDiceError, MalformedError
from liarsdice.core.events import (
    BidMade,
    Cause,
    Challenged,
    Dealt,
    DiceLost,
    DirectionSet,
    Event,
    MatchStarted,
    Penalised,
    Revealed,
    RoundStarted,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Direction, PenaltyTiming, PenaltyTrigger, RoundKind
from liarsdice.core.rules.overlay import patched
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


def test_a_bid_passes_the_turn_to_the_next_player() -> None:
    state = bidding(preset("classic").ruleset)
    assert decide_player(state, 0, Bid(2, 3)) == [BidMade(0, Bid(2, 3))]
    after = evolve_all(state, [BidMade(0, Bid(2, 3))])
    assert (after.turn, after.bid, after.bidder) == (1, Bid(2, 3), 0)
    assert legal_bids(after)[0] == Bid(2, 4)


def test_a_challenge_is_settled_at_once() -> None:
    state = evolve_all(bidding(preset("classic").ruleset), [BidMade(0, Bid(2, 3))])
    called, revealed, *_ = decide_player(state, 1, Challenge())
    assert called == Challenged(1, 0, Bid(2, 3))
    assert isinstance(revealed, Revealed)
    assert (revealed.count, revealed.bid_true) == (0, False)


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


def test_no_more_penalties_can_be_due_than_the_limit() -> None:
    state = bidding(preset("chart").ruleset)
    for _ in range(MAX_PENALTIES):
        state = evolve_all(state, decide_player(state, 1, Penalise(ASKED)))
    with pytest.raises(LiarsDiceError, match="none now"):
        decide_player(state, 1, Penalise(ASKED))
