"""The claim chart: the printed ladder claim by claim, and the relation itself for every other ruleset."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.bids import bid_chart
from liarsdice.core.bids.bid_chart import (
    ChartData,
    chart_data,
    chart_max_quantity,
    chart_rows,
    full_hands,
    ladder,
    ladder_of_few,
    minimum_quantities,
    split_special_tail,
)
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules import bid_space as bid_space_module
from liarsdice.core.rules.bid_space import bid_space
from liarsdice.core.rules.bids import Bid, beats, raise_relation
from liarsdice.core.rules.choices import Raise
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import RuleChoices
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.rulebook import ENGLISH, chart_as_markdown, chart_as_text, lowest_bids_text, make_chart
from liarsdice.core.text.rulebook.chart_text import rulebook_chart
from tests.laws.random_rulesets import rulesets

PRINTED = [
    Bid(quantity, face)
    for quantity, face in json.loads((Path(__file__).parents[2] / "golden" / "chart_000.json").read_text())
]
OTHERS = ["mustache", "official", "pirates", "bar", "bar-strict"]
"""The presets whose bids stand in no single order."""
LADDERS = ["classic+aces", *(name for name in preset_names() if name not in OTHERS)]


def rules_of(name: str) -> Ruleset:
    return preset(name).ruleset


def bids_in(text: str) -> list[Bid]:
    return [Bid(int(quantity), int(face)) for quantity, face in re.findall(r"(\d+)x(\d+)", text)]


def as_bids(data: ChartData) -> list[Bid]:
    assert isinstance(data, list)
    return [Bid(quantity, face) for quantity, face in data]


def test_the_ladder_of_15_dice_is_the_printed_chart_and_seven_claims_more() -> None:
    ordered = ladder(rules_of("chart"), 15)
    assert ordered is not None
    assert list(ordered) == [*PRINTED, *(Bid(quantity, 1) for quantity in range(9, 16))]


@pytest.mark.parametrize("form", [chart_as_text, chart_as_markdown])
def test_the_chart_in_print_holds_the_printed_claims_in_order_and_no_other(form: object) -> None:
    assert callable(form)
    text = form(make_chart(rules_of("chart"), ENGLISH, 15))
    assert bids_in(text) == PRINTED
    assert "After these come 9 to 15 ones, each bid above the one before." in text


def test_the_chart_has_one_quantity_a_line_with_ones_where_they_stand() -> None:
    lines = chart_as_text(make_chart(rules_of("chart"), ENGLISH, 15)).splitlines()
    assert "3x2   3x3   3x4   3x5   3x6   2x1" in lines
    assert "4x2   4x3   4x4   4x5   4x6" in lines


@pytest.mark.parametrize("name", LADDERS)
@pytest.mark.parametrize("dice", [1, 2, 3, 4, 5, 10, 15])
def test_lines_and_tail_of_a_chart_make_up_the_whole_ladder(name: str, dice: int) -> None:
    rules = rules_of(name)
    ordered = ladder(rules, dice)
    assert ordered is not None
    body, tail = split_special_tail(rules, ordered)
    assert [bid for line in chart_rows(rules, body) for bid in line] + list(tail) == list(ordered)
    assert all(bid.face == rules.dice.special_face for bid in tail)
    assert bids_in(chart_as_text(make_chart(rules, ENGLISH, dice)))[: len(body)] == list(body)


@given(rulesets(), st.integers(1, 12))
def test_the_ladder_is_the_one_that_compares_every_bid_with_every_other(rules: Ruleset, top: int) -> None:
    assert ladder(rules, top) == ladder_of_few(rules, top)


@pytest.mark.parametrize("name", ["classic", "mustache"])
def test_the_work_of_a_chart_grows_no_faster_than_its_bids(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    for top in (200, 400):
        rules, compared = patched(rules_of(name), bidding__cap=top, dice__faces=20, bidding__min_open=1), [0]

        def counted(choices: RuleChoices, compared: list[int] = compared) -> Callable[[Bid, Bid], bool]:
            relation = raise_relation(choices)

            def beats_counted(old: Bid, new: Bid) -> bool:
                compared[0] += 1
                return relation(old, new)

            return beats_counted

        for module in (bid_chart, bid_space_module):
            monkeypatch.setattr(module, "raise_relation", counted)
        assert ladder(rules, top) is None or len(ladder(rules, top) or ()) == 20 * top
        rulebook_chart(rules, ENGLISH)
        made.append(compared[0])
    assert made[1] < 2.5 * made[0]


@pytest.mark.parametrize("name", LADDERS + OTHERS)
def test_the_least_quantity_of_each_face_is_what_the_relation_says(name: str) -> None:
    rules = rules_of(name)
    for standing in bid_space(rules).all_bids(1, 6):
        expected = {
            face: min(higher)
            for face in bid_space(rules).faces
            if (higher := [quantity for quantity in range(1, 7) if beats(rules, standing, Bid(quantity, face))])
        }
        assert minimum_quantities(rules, standing, 6) == expected


def test_a_face_first_chart_has_one_face_a_line() -> None:
    rules = patched(Ruleset(), bidding__raise_=Raise.FACE_FIRST)
    lines = chart_rows(rules, ladder(rules, 4) or ())
    assert [[str(bid) for bid in line] for line in lines[:2]] == [
        ["1x1", "2x1", "3x1", "4x1"],
        ["1x2", "2x2", "3x2", "4x2"],
    ]


def test_claims_as_data_are_a_list_where_bids_make_a_ladder() -> None:
    data = as_bids(chart_data(rules_of("chart"), 15))
    assert data == list(ladder(rules_of("chart"), 15) or ())
    assert as_bids(chart_data(rules_of("chart"), 15, Bid(8, 6)))[0] == Bid(9, 2)


def test_claims_as_data_are_least_quantities_where_they_do_not() -> None:
    over = chart_data(rules_of("mustache"), 15, Bid(5, 4))
    assert over == {"4": 6, "5": 5, "6": 5, "1": 3}
    every = chart_data(rules_of("mustache"), 15)
    assert isinstance(every, dict)
    assert every["5x4"] == over
    assert len(every) == 90


def test_a_bid_in_words_over_which_nothing_goes() -> None:
    assert lowest_bids_text(rules_of("mustache"), ENGLISH, Bid(5, 4), 15) == (
        "to beat five fours: at least six fours, five fives, five sixes or three ones"
    )
    assert "only be called" in lowest_bids_text(rules_of("mustache"), ENGLISH, Bid(15, 1), 15)


def test_stairs_raise_the_top_of_the_chart_by_one_for_every_hand() -> None:
    assert chart_max_quantity(rules_of("snyd-stairs"), 12) == 15
    assert full_hands(rules_of("snyd-stairs"), 12) == (5, 5, 2)
    assert "can be higher than the number of dice" in chart_as_text(make_chart(rules_of("snyd-stairs"), ENGLISH, 12))


def test_a_chart_without_a_highest_bid_ends_at_the_dice_and_says_so() -> None:
    rules = patched(Ruleset(), bidding__cap=None, guards__max_bids_per_round=10)
    assert chart_max_quantity(rules, 7) == 7
    assert "There is no highest bid" in chart_as_text(make_chart(rules, ENGLISH, 7))


def test_a_fixed_cap_is_the_top_of_the_chart() -> None:
    assert chart_max_quantity(patched(Ruleset(), bidding__cap=4), 15) == 4


@pytest.mark.parametrize("faces", [2, 9, 30])
def test_charts_of_odd_dice_fit_the_page(faces: int) -> None:
    rules = patched(rules_of("chart"), dice__faces=faces)
    assert max(len(line) for line in chart_as_text(make_chart(rules, ENGLISH, 10)).splitlines()) <= 78


def test_the_only_quantity_of_a_face_is_marked_as_such() -> None:
    rules = patched(Ruleset(), bidding__raise_=Raise.ONE_STEP_DIM)
    assert (
        lowest_bids_text(rules, ENGLISH, Bid(5, 5), 15)
        == "to beat five fives: at least six fives or exactly five sixes"
    )
    row = next(row for row in make_chart(rules, ENGLISH, 15).rows if row[0] == "5x5")
    assert row == ("5x5", "–", "–", "–", "–", "6", "=5")


def test_without_a_limit_the_least_quantity_may_be_above_all_dice() -> None:
    rules = patched(Ruleset(), bidding__raise_=Raise.PRODUCT, bidding__cap=None, guards__max_bids_per_round=10)
    assert chart_data(rules, 5, Bid(5, 6)) == {"1": 31, "2": 16, "3": 11, "4": 8, "5": 7, "6": 6}


@pytest.mark.parametrize("bid", [Bid(1, 9), Bid(1, 0), Bid(1, 1)])
def test_minimum_quantities_over_what_is_no_bid_of_the_rules_are_refused(bid: Bid) -> None:
    rules = rules_of("pirates")
    with pytest.raises(MalformedError, match=r"one of the faces 2, 3, 4, 5, 6, not Bid\("):
        minimum_quantities(rules, bid, 10)
    with pytest.raises(MalformedError, match="one of the faces"):
        chart_data(rules, 10, bid)


@pytest.mark.parametrize("top", [-1, 2.5, True])
def test_a_chart_up_to_what_is_no_quantity_is_refused(top: int) -> None:
    with pytest.raises(MalformedError, match="whole number from 0 to 10000"):
        ladder(rules_of("chart"), top)
    with pytest.raises(MalformedError, match="whole number from 0 to 10000"):
        minimum_quantities(rules_of("chart"), Bid(1, 4), top)
