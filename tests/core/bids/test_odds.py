"""Odds: exact fractions, against every roll there is counted by the rules themselves."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from liarsdice.core.bids.odds import (
    Odds,
    _p_at_least,
    count_distribution,
    count_spec,
    enumerate_hands,
    odds,
    p_sum_at_least,
    p_true,
    roll_count,
    sum_distribution,
)
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import AllDifferent, DoubleLost, HandBonus, Straights
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, must_roll_again, tally

MOST_UNSEEN = 5


def counted(
    rules: Ruleset, face: int, hand: Hand, others: tuple[int, ...], *, wilds_count: bool, faces: tuple[int, ...] = ()
) -> list[int]:
    """The count of each equally likely roll of the dice that can't be seen, without hands that are rolled again."""
    sides = faces or (rules.dice.faces,) * len(others)
    rolls = product(*(product(range(1, highest + 1), repeat=size) for size, highest in zip(others, sides, strict=True)))
    return [
        tally(rules, (hand, *hands), face, wilds_count=wilds_count).count
        for hands in rolls
        if not any(must_roll_again(rules, other) for other in hands)
    ]


@st.composite
def tables(draw: st.DrawFn) -> tuple[Ruleset, Bid, Hand, tuple[int, ...], bool]:
    faces = draw(st.integers(2, 6))
    per_player, bonus = draw(st.integers(1, 4)), draw(st.sampled_from(HandBonus))
    may_differ = 2 <= per_player <= faces and not bonus.is_for_stairs
    rules = patched(
        Ruleset(),
        dice__faces=faces,
        dice__per_player=per_player,
        dice__special_face=draw(st.integers(1, faces)),
        wilds__special_is_wild=True,
        wilds__needs_natural=draw(st.booleans()),
        count__hand_bonus=bonus,
        count__all_different=draw(st.none() | st.sampled_from(AllDifferent)) if may_differ else None,
        count__straights=draw(st.none() | st.sampled_from(Straights)) if may_differ else None,
    )
    if bonus is HandBonus.NONE and rules.count.all_different is UNSET and draw(st.booleans()):
        lost = draw(st.none() | st.sampled_from(DoubleLost))
        rules = patched(rules, dice__double=draw(st.integers(1, per_player)), dice__double_lost=lost)
    die = st.integers(1, faces)
    hand = tuple(draw(st.lists(die, max_size=4)))
    others: tuple[int, ...] = ()
    while sum(others) < MOST_UNSEEN and draw(st.booleans()):
        others += (draw(st.integers(1, min(MOST_UNSEEN - sum(others), 3))),)
    return rules, Bid(draw(st.integers(1, 9)), draw(die)), hand, others, draw(st.booleans())


@settings(max_examples=200)
@given(tables())
def test_odds_are_the_share_of_all_rolls(table: tuple[Ruleset, Bid, Hand, tuple[int, ...], bool]) -> None:
    rules, bid, hand, others, wilds_count = table
    counts = counted(rules, bid.face, hand, others, wilds_count=wilds_count)
    expected = Odds(
        p_true=Fraction(sum(count >= bid.quantity for count in counts), len(counts)),
        p_exact=Fraction(sum(count == bid.quantity for count in counts), len(counts)),
        expected=Fraction(sum(counts), len(counts)),
    )
    assert odds(rules, bid, hand, others, wilds_count=wilds_count) == expected
    assert p_true(rules, bid, hand, others, wilds_count=wilds_count) == pytest.approx(float(expected.p_true))


@settings(max_examples=200)
@given(tables(), st.data())
def test_odds_with_dice_that_differ_are_the_share_of_all_rolls(
    table: tuple[Ruleset, Bid, Hand, tuple[int, ...], bool], data: st.DataObject
) -> None:
    rules, bid, hand, others, wilds_count = table
    faces = tuple(data.draw(st.integers(2, rules.dice.faces)) for _ in others)
    counts = counted(rules, bid.face, hand, others, wilds_count=wilds_count, faces=faces)
    expected = Fraction(sum(count >= bid.quantity for count in counts), len(counts))
    assert odds(rules, bid, hand, others, wilds_count=wilds_count, faces=faces).p_true == expected
    assert p_true(rules, bid, hand, others, wilds_count=wilds_count, faces=faces) == pytest.approx(float(expected))


def test_a_die_with_four_faces_shows_no_five_and_more_ones() -> None:
    rules = preset("basic+mixed-dice").ruleset
    with_five, with_one = Bid(1, 5), Bid(1, 1)
    assert odds(rules, with_five, (), (2,), wilds_count=False, faces=(4,)).p_true == 0
    assert odds(rules, with_five, (), (1, 1), wilds_count=False, faces=(4, 12)).p_true == Fraction(1, 12)
    assert odds(rules, with_one, (), (1, 1), wilds_count=False, faces=(4, 12)).p_true == 1 - Fraction(3, 4) * Fraction(
        11, 12
    )
    with pytest.raises(MalformedError, match="2 hands need a number of faces each"):
        odds(rules, with_one, (), (1, 1), wilds_count=False, faces=(4,))


def test_the_split_of_unseen_dice_matters_for_stairs_only() -> None:
    bid, hand = Bid(4, 3), (3,)
    for name, differs in (("snyd-stairs", True), ("snyd-joker", False)):
        rules = preset(name).ruleset
        one, two = (odds(rules, bid, hand, split, wilds_count=True) for split in ((4,), (2, 2)))
        assert (one != two) is differs


def test_stairs_in_order_are_one_roll_of_all_their_orders() -> None:
    rules = patched(preset("snyd-stairs").ruleset, count__hand_bonus=HandBonus.STAIRS_IN_ORDER)
    any_six = Bid(4, 6)  # of three dice only stairs count for four, or three wild dice for three
    assert odds(rules, any_six, (), (3,), wilds_count=True).p_true == Fraction(1, 6**3)
    assert [p_true(rules, any_six, hand, (), wilds_count=True) for hand in ((1, 2, 3), (2, 1, 3))] == [1, 0]


def test_many_hands_with_stairs_are_counted_in_a_moment_and_add_up_to_all_rolls() -> None:
    spec = count_spec(preset("snyd-stairs").ruleset, 4, wilds_count=True)
    ways = count_distribution(spec, (1, 2), (5,) * 40)
    assert sum(ways) == 6**200
    assert len(ways) == 3 + 40 * 6 + 1


@pytest.mark.parametrize(
    "bid, hand, others, message",
    [
        (Bid(1, 9), (4,), (1,), r"one of the faces 1, 2, 3, 4, 5, 6, not Bid\(quantity=1, face=9\)"),
        (Bid(1, 0), (4,), (1,), "one of the faces"),
        (Bid(1, 4), (9, 9), (1,), r"faces 1 to 6, not \(9, 9\)"),
        (Bid(1, 4), (0,), (1,), r"faces 1 to 6, not \(0,\)"),
        (Bid(1, 4), ("4",), (1,), "faces 1 to 6"),
        (Bid(1, 4), (4,), (-2,), r"whole numbers of dice, at least 0, not \(-2,\)"),
        (Bid(1, 4), (4,), (1.0,), "whole numbers of dice"),
    ],
)
@pytest.mark.parametrize("name", ["basic", "snyd-stairs"])
def test_odds_of_what_is_no_bid_or_no_hand_are_refused(
    name: str, bid: Bid, hand: Hand, others: tuple[int, ...], message: str
) -> None:
    with pytest.raises(MalformedError, match=message):
        odds(preset(name).ruleset, bid, hand, others, wilds_count=True)


@pytest.mark.parametrize("name", ["basic", "snyd-stairs"])
@pytest.mark.parametrize("bid, others", [(Bid(1, 9), (1,)), (Bid(1, 0), (1,)), (Bid(1, 4), (-2,))])
def test_a_probability_of_what_is_no_bid_is_refused(name: str, bid: Bid, others: tuple[int, ...]) -> None:
    with pytest.raises(MalformedError):
        p_true(preset(name).ruleset, bid, (4,), others, wilds_count=True)


def test_the_odds_of_faces_that_are_alike_are_computed_once() -> None:
    rules = patched(preset("perudo").ruleset, dice__faces=20)
    _p_at_least.cache_clear()
    chances = {p_true(rules, Bid(3, face), (7, 8, 8), (50,), wilds_count=True) for face in range(2, 21)}
    assert len(chances) == _p_at_least.cache_info().misses == 3  # none, one or two of the own dice count


@pytest.mark.parametrize("faces", [1, 2, 3, 6])
@pytest.mark.parametrize("dice", [0, 1, 2, 3, 4])
def test_every_roll_makes_one_of_the_hands(faces: int, dice: int) -> None:
    rolls = Counter(tuple(sorted(roll)) for roll in product(range(1, faces + 1), repeat=dice))
    hands, roll_counts = enumerate_hands(faces, dice)
    assert hands == tuple(sorted(rolls))
    assert roll_counts == tuple(rolls[hand] for hand in hands)
    assert len(hands) == comb(faces + dice - 1, dice)


def test_the_order_of_the_dice_does_not_change_the_number_of_rolls() -> None:
    assert roll_count((6, 1, 6)) == roll_count((1, 6, 6)) == 3


RULES = preset("perudo+face-off").ruleset


@pytest.mark.parametrize(
    "hand, unseen", [((), ()), ((4,), ((1, 6),)), ((), ((1, 4), (1, 6))), ((2, 5), ((2, 3), (1, 4)))]
)
def test_the_distribution_is_that_of_all_rolls(hand: tuple[int, ...], unseen: tuple[tuple[int, int], ...]) -> None:
    dice = [range(1, faces + 1) for count, faces in unseen for _ in range(count)]
    sums = [sum(hand) + sum(roll) for roll in product(*dice)]
    assert sum_distribution(hand, unseen) == tuple(sums.count(total) for total in range(max(sums) + 1))
    for total in range(max(sums) + 2):
        assert p_sum_at_least(total, hand, unseen) == pytest.approx(sum(s >= total for s in sums) / len(sums))


def test_odds_of_a_sum_go_by_the_own_die_and_the_faces_of_the_other() -> None:
    found = odds(RULES, Bid(7, SUM_FACE), (4,), (1,), wilds_count=False)
    assert (found.p_true, found.p_exact, found.expected) == (Fraction(4, 6), Fraction(1, 6), Fraction(15, 2))
    assert odds(RULES, Bid(7, SUM_FACE), (4,), (1,), wilds_count=False, faces=(4,)).p_true == Fraction(1, 2)
    assert p_true(RULES, Bid(5, SUM_FACE), (4,), (1,), wilds_count=True) == 1.0
    assert p_true(RULES, Bid(11, SUM_FACE), (4,), (1,), wilds_count=True) == 0.0


def test_there_are_none_by_rules_without_sums_or_of_impossible_dice() -> None:
    with pytest.raises(MalformedError):
        odds(preset("perudo").ruleset, Bid(7, SUM_FACE), (4,), (1,), wilds_count=False)
    with pytest.raises(MalformedError):
        p_true(RULES, Bid(7, SUM_FACE), (4,), (1,), wilds_count=False, faces=(0,))
    with pytest.raises(MalformedError):
        sum_distribution((), ((-1, 6),))
