"""A field that does not apply has no effect, and the rulebook and the rule form ask the same conditions."""

from enum import Enum

import msgspec
import pytest
from hypothesis import given, settings

from liarsdice.core.actions import Challenge, DeclareSpecial, Penalise
from liarsdice.core.engine.engine import decide, evolve_all, legal
from liarsdice.core.engine.view import view
from liarsdice.core.errors import IllegalActionError, MalformedError, RulesetError
from liarsdice.core.events import Revealed
from liarsdice.core.records.position import read_position, write_position
from liarsdice.core.rules.bid_space import highest_sum, is_face_off, require_bid, sum_bids
from liarsdice.core.rules.bids import SUM_FACE, Bid, beats
from liarsdice.core.rules.choices import AllDifferent, PassHand, PenaltyTiming, PenaltyTrigger, Raise, Tally, ToPure
from liarsdice.core.rules.meaning import (
    CONDITIONS,
    counts_taken,
    field_applies,
    has_lives,
    least_dice,
    lives_are_limited,
    shown_stakes,
    starting_lives,
)
from liarsdice.core.rules.overlay import DEFAULTS, OPTIONAL_PARTS, flatten, patched
from liarsdice.core.rules.parts import UNLIMITED_LIVES, Penalty
from liarsdice.core.rules.presets import FULL, preset, preset_names
from liarsdice.core.rules.presets.games import Changes
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import places_that_may_count, tally
from tests.laws.random_matches import random_match
from tests.laws.random_rulesets import seeds, tables

PRESETS = [preset(name).ruleset for name in (*preset_names(), FULL)]


def other_value(value: object) -> object:
    """Another value of the same type, or the same if there is none."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case Enum():
            return next((member for member in type(value) if member is not value), value)
        case _:
            return value


def test_conditions_are_of_fields_in_their_order() -> None:
    assert list(CONDITIONS) == [path for path in DEFAULTS if path in CONDITIONS]


@pytest.mark.parametrize("path", CONDITIONS)
def test_every_condition_holds_for_some_preset_and_fails_for_another(path: str) -> None:
    variants = [*PRESETS, patched(Ruleset(), turn__starter_may_reverse=True, loss__lives=3)]
    variants += [
        preset(name).ruleset for name in ("chui-niu+drinks", "perudo+pass", "chui-niu+counter-pi", "bluff+double")
    ]
    variants.append(patched(Ruleset(), penalties=(Penalty(trigger=PenaltyTrigger.COMMITS_OFFENCE),)))
    variants.append(patched(preset("basic").ruleset, bidding__raise_=Raise.OTHER_FACE))
    variants.append(patched(preset("joker").ruleset, bidding__to_pure=ToPure.SAME_QUANTITY))
    assert {field_applies(rules, path) for rules in variants} == {True, False}


@pytest.mark.parametrize("path", [path for path in DEFAULTS if path not in CONDITIONS])
def test_every_other_field_always_applies(path: str) -> None:
    assert all(field_applies(rules, path) for rules in PRESETS)


@settings(max_examples=40)
@given(tables(), seeds)
def test_a_field_that_does_not_apply_changes_no_match(table: tuple[Ruleset, int], seed: int) -> None:
    rules, seats = table
    match = random_match(rules, seats, seed, 60)
    values = flatten(rules)
    for path in CONDITIONS:
        if path not in values or field_applies(rules, path):
            continue
        if path.partition(".")[0] in OPTIONAL_PARTS and getattr(rules, path.partition(".")[0]) is None:
            continue
        try:
            changed = patched(rules, **{path.replace(".", "__"): other_value(values[path])})
        except RulesetError:
            continue
        other = random_match(changed, seats, seed, 60)
        assert [step.events for step in other.steps] == [step.events for step in match.steps], path


DICE, LIVES = Ruleset(), patched(Ruleset(), loss__lives=3)
POINTS, DRINKS = patched(LIVES, loss__tally=Tally.TAKEN), preset("chui-niu+drinks").ruleset


@pytest.mark.parametrize(
    "rules, start, limited, shown",
    [(DICE, None, False, 2), (LIVES, 3, True, 2), (POINTS, 3, True, 1), (DRINKS, UNLIMITED_LIVES, False, None)],
    ids=["dice", "lives", "points", "drinks"],
)
def test_what_a_table_counts_follows_from_the_rules(
    rules: Ruleset, start: int | None, limited: bool, shown: int | None
) -> None:
    assert starting_lives(rules) == start
    assert has_lives(rules) is (start is not None)
    assert lives_are_limited(rules) is limited
    assert shown is None or shown_stakes(rules, 2) == shown


def test_a_player_is_in_with_one_die_or_with_as_many_as_the_rules_ask_for() -> None:
    assert [least_dice(rules) for rules in (DICE, LIVES)] == [1, 1]
    assert [least_dice(patched(rules, loss__out_below=3)) for rules in (DICE, LIVES)] == [3, 1]


def test_a_tally_without_lives_counts_nothing() -> None:
    assert not counts_taken(patched(Ruleset(), loss__tally=Tally.TAKEN))
    assert counts_taken(DRINKS)
    assert shown_stakes(DRINKS, UNLIMITED_LIVES - 4) == 4


def test_rules_without_a_tally_are_written_as_before() -> None:
    assert patched(POINTS, loss__tally=None) == LIVES


def test_where_all_keep_their_dice_a_pass_needs_a_hand_that_all_of_them_can_make() -> None:
    changes: Changes = {
        "bidding__pass_with": (PassHand.ALL_DIFFERENT,),
        "bidding__pass_dice": 3,
        "count__all_different": AllDifferent.ROLLED_AGAIN,
    }
    patched(preset("chui-niu").ruleset, **changes)  # players with three dice can pass
    with pytest.raises(RulesetError, match=r"pass_with all_different: nobody can have such a hand"):
        patched(preset("chui-niu+lives").ruleset, **changes)


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
            "bid sum7 is on a sum (face 0), but only two players with one die each bid so (bid 1x2)",
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
