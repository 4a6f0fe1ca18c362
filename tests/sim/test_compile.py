"""Rules as arrays: every number asked again of the core, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings

from liarsdice.core.actions import Challenge, Exact, SetDirection
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid, beats, face_order, highest_quantity
from liarsdice.core.rules.choices import AtCap, Destination, Direction, GainCap
from liarsdice.core.rules.presets import names, preset
from liarsdice.core.rules.ruleset import ExactCall, Ruleset, patched
from liarsdice.sim import array_schema as f
from liarsdice.sim.compile import compiled
from liarsdice.sim.policies import Asked, Threshold, Uniform, minds_of
from tests.laws.strategies import tables


def assert_same_relation(rules: Ruleset, seats: int) -> None:
    book, places = compiled(rules, seats), face_order(rules)
    for old, (least, most) in zip(book.menu, book.arrays.raises, strict=True):
        for new in book.menu:
            place = places.index(new.face)
            assert beats(rules, old, new) == (least[place] <= new.quantity <= most[place]), (old, new)


@pytest.mark.parametrize("name", names())
def test_bids_beat_each_other_in_arrays_as_they_do_in_the_core_by_every_preset(name: str) -> None:
    assert_same_relation(preset(name).ruleset, 2)


@settings(max_examples=40)
@given(tables(most_dice=3))
def test_bids_beat_each_other_in_arrays_as_they_do_in_the_core_by_random_rules(table: tuple[Ruleset, int]) -> None:
    assert_same_relation(table[0], max(2, table[0].players.min))


@pytest.mark.parametrize("name", names())
def test_the_menu_goes_up_to_the_most_that_may_ever_be_bid(name: str) -> None:
    rules = preset(name).ruleset
    book = compiled(rules, 3)
    assert book.menu[-1].quantity == highest_quantity(rules, (rules.dice.per_player,) * 3)
    assert book.bounded
    assert book.longest_round == len(book.menu) == book.actions - f.FIRST_BID


def test_every_action_has_a_number_and_every_number_an_action() -> None:
    book = compiled(preset("chui-niu").ruleset, 2)
    assert [book.number_of(book.action_at(number)) for number in range(book.actions)] == list(range(book.actions))
    calls = (Challenge(), Exact(), SetDirection(Direction.CLOCKWISE), SetDirection(Direction.ANTICLOCKWISE), Bid(1, 2))
    assert [book.action_at(number) for number in range(5)] == list(calls)


@pytest.mark.parametrize("bid", [Bid(11, 2), Bid(0, 2), Bid(1, 7), Bid(-1, 1)])
def test_a_bid_that_is_on_no_menu_has_no_number(bid: Bid) -> None:
    with pytest.raises(MalformedError, match="is not on the menu"):
        compiled(preset("basic").ruleset, 2).number_of(bid)


@pytest.mark.parametrize("number", [-1, 64])
def test_a_number_beyond_the_menu_is_no_action(number: int) -> None:
    with pytest.raises(MalformedError, match="numbers from 0 to 63"):
        compiled(preset("basic").ruleset, 2).action_at(number)


@pytest.mark.parametrize("dice", [(5, 5), (5, 0, 0), (5, -1, 5)])
def test_dice_for_the_wrong_seats_are_refused(dice: tuple[int, ...]) -> None:
    with pytest.raises(MalformedError, match="at least two with some"):
        compiled(preset("perudo").ruleset, 3, dice)


def test_the_table_s_own_number_of_seats_holds() -> None:
    with pytest.raises(MalformedError, match="seats 2 to 5 players"):
        compiled(preset("classic").ruleset, 6)


def test_without_a_cap_the_menu_ends_with_the_dice_on_the_table() -> None:
    rules = patched(preset("basic").ruleset, bidding__cap=None, guards__max_bids_per_round=5)
    book = compiled(rules, 2)
    assert (book.menu[-1].quantity, book.bounded, book.longest_round) == (10, False, 5)


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
def test_hands_that_grow_make_the_menu_longer(changes: dict[str, object], most: int) -> None:
    limits = {"exact_call": ExactCall(budget=2), "guards__max_rounds": 1000}
    book = compiled(patched(preset("basic").ruleset, **limits | changes), 3)
    assert book.menu[-1].quantity == most


def test_a_menu_beyond_all_measure_is_refused_with_its_size() -> None:
    rules = patched(preset("basic").ruleset, exact_call=ExactCall(gain_cap=None), guards__max_rounds=10_000)
    with pytest.raises(UnavailableError, match=r"10010 dice may be bid on 6 faces; a menu holds at most 20000 bids"):
        compiled(rules, 2)


def test_minds_sit_down_in_turn() -> None:
    book = compiled(preset("basic").ruleset, 5)
    minds = minds_of(book, (Threshold(0.3), Uniform(), Asked()))
    assert minds.kinds.tolist() == [f.THRESHOLD, f.UNIFORM, f.ASKED, f.THRESHOLD, f.UNIFORM]
    assert np.allclose(minds.t, [0.3, 0, 0, 0.3, 0])


@pytest.mark.parametrize("count", [0, 6])
def test_there_is_a_mind_for_each_seat_at_most(count: int) -> None:
    with pytest.raises(MalformedError, match="5 seats have 1 to 5 minds"):
        minds_of(compiled(preset("basic").ruleset, 5), (Uniform(),) * count)
