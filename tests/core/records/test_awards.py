"""Awards follow from the events of a match: what was bid, by whom with which dice, and what was under the cups."""

import pytest
from hypothesis import given

from liarsdice.core.actions import AnswerDouble, Challenge, Exact
from liarsdice.core.events import RoundStarted
from liarsdice.core.records.awards import Award, AwardKind, Scene, awards, dice_by_round
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import Answer, DoubleAnswers, FaceOff, ShedBy, StarterMethod, WhoCalls
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import ExactCall
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.play.match_runner import play_match
from tests.core.records.played_match import Played
from tests.laws.random_matches import random_match
from tests.laws.random_rulesets import seeds, tables

BASIC = patched(preset("basic").ruleset, dice__per_player=2)
ANN, BO = 0, 1


def three_rounds() -> Played:
    """Ann loses a die, then Bo, then Ann her last one."""
    match = Played(BASIC)
    match.round(((2, 5), (5, 5)), (ANN, Bid(2, 6)), (BO, Bid(3, 5)), (ANN, Challenge()))
    match.round(((3,), (3, 1)), (ANN, Bid(1, 4)), (BO, Bid(2, 4)), (ANN, Challenge()))
    return match.round(((6,), (6,)), (BO, Bid(2, 6)), (ANN, Challenge()))


def scene(hands: tuple[Hand, ...], marked: tuple[Hand, ...], *, bidder: int, caller: int | None) -> Scene:
    counted = tuple(len(positions) for positions in marked)
    return Scene(bidder=bidder, caller=caller, exact=False, hands=hands, marked=marked, counted=counted)


def test_each_award_names_who_earned_it_and_how_unlikely_it_was() -> None:
    by_kind = {award.kind: award for award in awards(three_rounds().events)}
    assert by_kind == {
        AwardKind.BOLDEST_LIE: Award(
            kind=AwardKind.BOLDEST_LIE,
            seat=ANN,
            round_number=1,
            count=0,
            dice=2,
            bid=Bid(2, 6),
            p=1 / 36,
            scene=scene(((2, 5), (5, 5)), ((), ()), bidder=ANN, caller=None),
        ),
        AwardKind.BEST_DOUBT: Award(
            kind=AwardKind.BEST_DOUBT,
            seat=ANN,
            round_number=2,
            count=0,
            dice=1,
            bid=Bid(2, 4),
            p=1 / 36,
            scene=scene(((3,), (3, 1)), ((), ()), bidder=BO, caller=ANN),
        ),
        AwardKind.LUCKIEST_ROLL: Award(
            kind=AwardKind.LUCKIEST_ROLL,
            seat=BO,
            round_number=1,
            count=2,
            dice=2,
            bid=Bid(3, 5),
            p=1 / 36,
        ),
        AwardKind.TIGHTEST_CALL: Award(
            kind=AwardKind.TIGHTEST_CALL,
            seat=BO,
            round_number=3,
            count=2,
            dice=1,
            bid=Bid(2, 6),
            scene=scene(((6,), (6,)), ((0,), (0,)), bidder=BO, caller=ANN),
        ),
    }


def test_the_longest_survivor_has_outlived_somebody() -> None:
    places = list[tuple[int, int]]()
    for seed in range(20):
        result = play_match(preset("perudo").ruleset, ["threshold"] * 4, seed=seed)
        places += [
            (result.places[award.seat], max(result.places))
            for award in awards(result.events)
            if award.kind is AwardKind.LONGEST_SURVIVOR
        ]
    assert len(places) > 10
    assert all(place < last for place, last in places)


def test_a_lie_that_was_called_or_likely_to_be_true_is_no_bold_lie() -> None:
    match = Played(BASIC).round(((2, 5), (3, 1)), (ANN, Bid(1, 6)), (BO, Bid(3, 6)), (ANN, Challenge()))
    bold = [award for award in awards(match.events) if award.kind is AwardKind.BOLDEST_LIE]
    assert [(award.seat, award.bid) for award in bold] == [(ANN, Bid(1, 6))]
    match = Played(BASIC).round(((2, 5), (3, 1)), (ANN, Bid(3, 6)), (BO, Challenge()))
    assert AwardKind.BOLDEST_LIE not in {award.kind for award in awards(match.events)}


def test_who_may_not_look_at_the_own_dice_doubts_without_knowing_them() -> None:
    """Bo, who has two dice in Ann's obligo, looks at none; Ann, who has one, looks at it."""
    changes = {"dice__per_player": 2, "special_round__min_players": 2, "first_starter__method": StarterMethod.CHOSEN}
    match = Played(patched(preset("cacho").ruleset, exact_call=None, **changes))
    match.round(((2, 3), (5, 5)), (ANN, Bid(1, 2)), (BO, Bid(1, 3)), (ANN, Bid(3, 3)), (BO, Challenge()))
    match.round(((6,), (3, 3)), (ANN, Bid(1, 3)), (BO, Bid(2, 3)), (ANN, Bid(3, 3)), (BO, Challenge()))
    doubts = [award for award in awards(match.events) if award.kind is AwardKind.BEST_DOUBT]
    assert [(award.seat, award.round_number) for award in doubts] == [(BO, 2)]
    assert doubts[0].p == pytest.approx(1 / 216)


def test_a_bid_of_a_round_that_was_folded_earns_no_award() -> None:
    rules = patched(BASIC, challenge__double=WhoCalls.NEXT_PLAYER, challenge__answers=DoubleAnswers.REDOUBLE_OR_FOLD)
    bids = ((ANN, Bid(2, 6)), (BO, Bid(3, 6)), (ANN, Challenge(double=True)))
    folded = Played(rules).round(((2, 5), (3, 1)), *bids, (BO, AnswerDouble(Answer.FOLD)))
    accepted = Played(rules).round(((2, 5), (3, 1)), *bids, (BO, AnswerDouble(Answer.ACCEPT)))
    assert AwardKind.BOLDEST_LIE in {award.kind for award in awards(accepted.events)}
    assert AwardKind.BOLDEST_LIE not in {award.kind for award in awards(folded.events)}


def test_an_exact_call_that_was_right_is_the_tightest() -> None:
    rules = patched(BASIC, exact_call=ExactCall(), guards__max_rounds=9)
    match = Played(rules).round(((2, 5), (5, 1)), (ANN, Bid(2, 5)), (BO, Exact()))
    (tight,) = [award for award in awards(match.events) if award.kind is AwardKind.TIGHTEST_CALL]
    assert (tight.seat, tight.count, tight.bid) == (BO, 2, Bid(2, 5))
    assert tight.scene
    assert (tight.scene.bidder, tight.scene.caller, tight.scene.exact) == (ANN, BO, True)


def test_the_dice_of_each_round_and_after_the_last_one_are_listed() -> None:
    assert dice_by_round(three_rounds().events) == ((2, 2), (1, 2), (1, 1), (0, 1))


@given(tables(), seeds)
def test_every_match_has_at_most_one_award_of_each_kind_and_each_is_true(table: tuple[Ruleset, int], seed: int) -> None:
    events = random_match(*table, seed, max_steps=120).events
    given_awards = awards(events)
    kinds = [award.kind for award in given_awards]
    assert kinds == [kind for kind in AwardKind if kind in kinds]
    for award in given_awards:
        assert award.p is None or 0 <= award.p <= 1
        if award.kind in {AwardKind.BOLDEST_LIE, AwardKind.BEST_DOUBT}:
            assert award.bid is not None
            assert award.count < award.bid.quantity
        if award.scene:
            assert sum(award.scene.counted) == award.count
    rounds = sum(isinstance(event, RoundStarted) for event in events)
    assert len(dice_by_round(events)) == rounds + 1


def test_bids_on_sums_get_no_awards() -> None:
    match = Played(patched(BASIC, bidding__face_off=FaceOff.SUM, dice__per_player=1))
    match.round(((1,), (1,)), (ANN, Bid(11, SUM_FACE)), (BO, Bid(12, SUM_FACE)), (ANN, Challenge()))
    assert awards(match.events) == ()


def test_nobody_survives_with_the_last_die_where_it_is_a_step_to_safety() -> None:
    rules = patched(BASIC, dice__per_player=2, loss__shed_by=ShedBy.WINNER)
    for seed in range(20):
        kinds = [award.kind for award in awards(random_match(rules, 3, seed).events)]
        assert AwardKind.LONGEST_SURVIVOR not in kinds
