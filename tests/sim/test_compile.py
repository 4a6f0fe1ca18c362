"""Compiled rules: the same relation of bids as in the core, ids of actions, and what is refused."""

import msgspec
import pytest
from hypothesis import given, settings

from liarsdice.core.actions import Challenge, Exact, SetDirection
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bid_space import max_quantity
from liarsdice.core.rules.bids import Bid, beats, face_order
from liarsdice.core.rules.choices import AtCap, Destination, Direction, GainCap
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import ExactCall
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import array_schema as schema
from liarsdice.sim import rollouts
from liarsdice.sim.compile import compile_rules, ordered_bids
from tests.laws.random_rulesets import seeds, tables


def assert_same_relation(rules: Ruleset, seats: int) -> None:
    compiled, places = compile_rules(rules, seats), face_order(rules)
    for old, (least, most) in zip(compiled.bids, compiled.arrays.raises, strict=True):
        for new in compiled.bids:
            place = places.index(new.face)
            assert beats(rules, old, new) == (least[place] <= new.quantity <= most[place]), (old, new)


@pytest.mark.parametrize("name", simulated_preset_names())
def test_bids_beat_each_other_in_arrays_as_they_do_in_the_core_by_every_preset(name: str) -> None:
    assert_same_relation(preset(name).ruleset, 2)


@settings(max_examples=40)
@given(tables(most_dice=3, simulated=True))
def test_bids_beat_each_other_in_arrays_as_they_do_in_the_core_by_random_rules(table: tuple[Ruleset, int]) -> None:
    assert_same_relation(table[0], max(2, table[0].players.min))


@pytest.mark.parametrize("name", simulated_preset_names())
def test_bids_go_up_to_the_highest_quantity_that_may_ever_be_bid(name: str) -> None:
    rules = preset(name).ruleset
    compiled = compile_rules(rules, 3)
    assert compiled.bids[-1].quantity == max_quantity(rules, (rules.dice.per_player,) * 3)
    assert compiled.has_cap
    assert compiled.max_round_bids == len(compiled.bids) == compiled.action_count - schema.FIRST_BID


def test_every_action_has_an_id_and_every_id_an_action() -> None:
    compiled = compile_rules(preset("chui-niu").ruleset, 2)
    assert [compiled.action_id(compiled.action_from_id(number)) for number in range(compiled.action_count)] == list(
        range(compiled.action_count)
    )
    calls = (Challenge(), Exact(), SetDirection(Direction.CLOCKWISE), SetDirection(Direction.ANTICLOCKWISE), Bid(1, 2))
    assert [compiled.action_from_id(number) for number in range(5)] == list(calls)


@pytest.mark.parametrize("bid", [Bid(11, 2), Bid(1, 7)])
def test_a_bid_that_the_rules_do_not_have_has_no_id(bid: Bid) -> None:
    with pytest.raises(MalformedError, match="is no bid of these rules"):
        compile_rules(preset("basic").ruleset, 2).action_id(bid)


@pytest.mark.parametrize("number", [-1, 64])
def test_an_id_out_of_range_is_no_action(number: int) -> None:
    with pytest.raises(MalformedError, match="action ids go from 0 to 63"):
        compile_rules(preset("basic").ruleset, 2).action_from_id(number)


@pytest.mark.parametrize("dice", [(5, 5), (5, 0, 0), (5, -1, 5)])
def test_dice_for_the_wrong_seats_are_refused(dice: tuple[int, ...]) -> None:
    with pytest.raises(MalformedError, match="at least two with some"):
        compile_rules(preset("perudo").ruleset, 3, dice)


def test_a_number_of_seats_that_the_rules_do_not_allow_is_refused() -> None:
    with pytest.raises(MalformedError, match="seats 2 to 5 players"):
        compile_rules(patched(preset("classic").ruleset, players__max=5), 6)


def test_without_a_cap_quantities_end_with_the_dice_on_the_table() -> None:
    rules = patched(preset("basic").ruleset, bidding__cap=None, guards__max_bids_per_round=5)
    compiled = compile_rules(rules, 2)
    assert (compiled.bids[-1].quantity, compiled.has_cap, compiled.max_round_bids) == (10, False, 5)


@pytest.mark.parametrize(
    "changes, most",
    [
        ({}, 15),
        ({"loss__destination": Destination.OPPONENT}, 15 + 6),
        ({"exact_call": ExactCall(gain_cap=None, budget=2)}, 15 + 6),
        ({"exact_call": ExactCall(success_gain=0, others_loss=1)}, 15),
        ({"exact_call": ExactCall(gain_cap=GainCap.STARTING_DICE, at_cap=AtCap.FORBIDDEN)}, 15),
    ],
)
def test_hands_that_may_grow_raise_the_highest_quantity(changes: dict[str, object], most: int) -> None:
    limits = {"exact_call": ExactCall(budget=2), "guards__max_rounds": 1000}
    compiled = compile_rules(patched(preset("basic").ruleset, **limits | changes), 3)
    assert compiled.bids[-1].quantity == most


@pytest.mark.parametrize(
    "option, reason",
    [
        ("lives", r"losses cost dice \(loss.lives is 3\)"),
        ("five-alike", r"dice that are all alike count for no more \(count.hand_bonus is alike\)"),
        ("worthless-different", r"dice that are all different count as others \(count.all_different is worthless\)"),
        ("first-out", r"the last player with dice wins \(end is first_player_out\)"),
    ],
)
def test_rules_that_only_the_engine_knows_are_refused(option: str, reason: str) -> None:
    with pytest.raises(UnavailableError, match=f"matches are simulated only where {reason}"):
        compile_rules(preset(f"chui-niu+{option}").ruleset, 3)


def test_too_many_bids_are_refused_with_the_highest_quantity() -> None:
    rules = patched(preset("basic").ruleset, exact_call=ExactCall(gain_cap=None), guards__max_rounds=10_000)
    with pytest.raises(UnavailableError, match=r"10010 dice may be bid on 6 faces; at most 20000 bids are compiled"):
        compile_rules(rules, 2)


def test_more_dice_than_exact_calls_should_ever_win_are_refused_although_the_bids_are_few() -> None:
    call = ExactCall(success_gain=100, gain_cap=None)
    rules = patched(preset("basic").ruleset, exact_call=call, guards__max_rounds=1_000_000, bidding__cap=5)
    with pytest.raises(UnavailableError, match="there may be 100000010 dice on the table; at most 20000 are compiled"):
        compile_rules(rules, 2)


def same(one: msgspec.Struct, other: msgspec.Struct) -> bool:
    return all((getattr(one, name) == getattr(other, name)).all() for name in one.__struct_fields__)


@pytest.mark.parametrize("name", simulated_preset_names())
@pytest.mark.parametrize("dice", [(5, 5), (2, 1, 3), (0, 1, 4, 2)])
def test_the_fast_path_plays_the_rounds_of_the_general_one_by_every_preset(
    name: str, dice: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    last = len(dice) - 1
    quick = rollouts.play_rounds(preset(name).ruleset, dice, 300, seed=3, starter=last)
    monkeypatch.setattr(rollouts, "ordered_bids", lambda *_: None)
    assert same(quick, rollouts.play_rounds(preset(name).ruleset, dice, 300, seed=3, starter=last))


@pytest.mark.parametrize("dice", [(5, 5), (1, 3, 0)])
def test_the_usual_rules_have_totally_ordered_bids(dice: tuple[int, ...]) -> None:
    for name in ("openspiel", "classic", "basic", "snyd", "snyd-joker", "joker"):
        assert ordered_bids(compile_rules(preset(name).ruleset, len(dice), dice), 0, -1) is not None


@settings(max_examples=60)
@given(tables(simulated=True), seeds)
def test_the_fast_path_plays_the_rounds_of_the_general_one_by_random_rules(
    table: tuple[Ruleset, int], seed: int
) -> None:
    rules, seats = table
    dice = tuple(1 + (seed >> seat) % rules.dice.per_player for seat in range(seats))
    quick = rollouts.play_rounds(rules, dice, 20, seed=seed, starter=seed % seats)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rollouts, "ordered_bids", lambda *_: None)
        assert same(quick, rollouts.play_rounds(rules, dice, 20, seed=seed, starter=seed % seats))
