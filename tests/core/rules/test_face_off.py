"""Which rounds are face-offs, which sums may be bid in them, and what they keep from other rounds."""

from __future__ import annotations

import msgspec
import pytest

from liarsdice.core.actions import Challenge, DeclareSpecial, Penalise
from liarsdice.core.engine.engine import decide, evolve_all, legal
from liarsdice.core.engine.view import view
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.events import Revealed
from liarsdice.core.records.position import read_position, write_position
from liarsdice.core.rules.bid_space import highest_sum, is_face_off, require_bid, sum_bids
from liarsdice.core.rules.bids import SUM_FACE, Bid, beats
from liarsdice.core.rules.choices import PenaltyTiming, PenaltyTrigger
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import places_that_may_count, tally

RULES = preset("perudo+face-off").ruleset
POSITION = "bidding 4/3 0 - 9 perudo+face-off Ann,Bo"


@pytest.mark.parametrize(
    "dice, expected",
    [((1, 1), True), ((0, 1, 0, 1), True), ((1, 2), False), ((2, 0), False), ((1, 1, 1), False), ((1, 0), False)],
)
def test_two_players_with_one_die_each_have_a_face_off(dice: tuple[int, ...], expected: bool) -> None:
    assert is_face_off(RULES, dice) is expected
    assert not is_face_off(preset("perudo").ruleset, dice)


def test_the_sums_go_up_to_what_both_dice_can_show() -> None:
    assert highest_sum(RULES, (0, 1, 1)) == 12
    assert highest_sum(patched(RULES, dice__faces_by_seat=(4, 5)), (1, 0, 1)) == 10
    assert sum_bids(11, 12) == (Bid(11, SUM_FACE), Bid(12, SUM_FACE))
    state = read_position(POSITION)
    assert legal(state).bids == sum_bids(2, 12)
    assert not legal(state).unlimited
    assert state.max_quantity == 12
    assert not state.wilds_count


def test_a_higher_sum_beats_a_lower_one_and_no_bid_on_a_face() -> None:
    assert beats(RULES, Bid(6, SUM_FACE), Bid(7, SUM_FACE))
    assert not beats(RULES, Bid(7, SUM_FACE), Bid(7, SUM_FACE))
    assert not beats(RULES, Bid(1, 2), Bid(7, SUM_FACE))
    assert not beats(RULES, Bid(7, SUM_FACE), Bid(9, 6))
    assert beats(RULES, Bid(1, 2), Bid(1, 3))


def test_all_dice_count_as_they_lie() -> None:
    result = tally(RULES, ((1,), (), (6,)), SUM_FACE, wilds_count=True)
    assert (result.count, result.counted, result.marked) == (7, (1, 0, 6), ((0,), (), (0,)))
    assert places_that_may_count(RULES, (5,), SUM_FACE, wilds_count=False) == (0,)


def test_bids_on_sums_need_rules_with_a_face_off() -> None:
    require_bid(RULES, Bid(7, SUM_FACE))
    with pytest.raises(MalformedError):
        require_bid(RULES, Bid(7, SUM_FACE, pure=True))
    with pytest.raises(MalformedError):
        require_bid(preset("perudo").ruleset, Bid(7, SUM_FACE))


@pytest.mark.parametrize(
    "position, bid, reason",
    [
        (
            POSITION,
            Bid(1, 4),
            "bid 1x4 is on a face, but in a face-off bids are sums of both dice (needs sum2 to sum12)",
        ),
        (
            POSITION.replace(" - ", " 1:sum7 "),
            Bid(7, 0),
            "bid sum7 is no sum that may be bid now (needs sum8 to sum12)",
        ),
        (
            POSITION.replace(" - ", " 1:sum12 "),
            Bid(13, 0),
            "bid sum13 is no sum that may be bid now (no bid is left: call it)",
        ),
        (
            POSITION.replace("4/3", "44/3"),
            Bid(7, 0),
            "bid sum7 is on a sum, but only two players with one die each bid so (bid 1x2)",
        ),
    ],
)
def test_a_refused_bid_says_which_sums_are_left(position: str, bid: Bid, reason: str) -> None:
    state = read_position(position)
    with pytest.raises(IllegalActionError) as refused:
        decide(state, 0, bid)
    assert str(refused.value) == reason


def test_a_position_keeps_the_sums_of_its_bids() -> None:
    state = read_position(POSITION.replace(" - ", " 1:sum7 "))
    assert state.bid == Bid(7, SUM_FACE)
    assert state.face_off
    assert read_position(write_position(state)) == state
    assert view(state, 0).may_bid == sum_bids(8, 12)
    reveal = next(event for event in decide(state, 0, Challenge()) if isinstance(event, Revealed))
    assert (reveal.count, reveal.bid_true, reveal.wilds_counted) == (7, True, False)


def test_a_special_round_is_not_declared_in_a_face_off() -> None:
    rules = patched(preset("perudo+declared-palifico").ruleset, bidding__face_off=RULES.bidding.face_off)
    rules = patched(rules, special_round__min_players=2)
    state = read_position(POSITION)
    state = msgspec.structs.replace(state, ruleset=rules)
    assert not legal(state).may_declare
    with pytest.raises(IllegalActionError):
        decide(state, 0, DeclareSpecial())


def test_a_penalty_before_the_opening_bid_can_make_a_round_a_face_off() -> None:
    penalties = (Penalty(trigger=PenaltyTrigger.ASKS_WHOSE_TURN),)
    rules = patched(RULES, penalties=penalties, penalty_timing=PenaltyTiming.IMMEDIATE)
    before = read_position(POSITION.replace("4/3", "45/3"))
    state = msgspec.structs.replace(before, ruleset=rules)
    penalise = Penalise(PenaltyTrigger.ASKS_WHOSE_TURN, (0,))
    opened = evolve_all(state, decide(state, 0, Bid(1, 5)))
    for made, is_sum in ((state, True), (opened, False)):
        after = evolve_all(made, decide(made, 0, penalise))
        assert after.dice == (1, 1)
        assert after.face_off is is_sum
        assert after.wilds_count is not is_sum
        assert after.max_quantity == (12 if is_sum else 2)
