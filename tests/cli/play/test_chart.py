"""The bid chart of a match: which bids are legal now, as a grid and as text."""

from __future__ import annotations

import pytest

from liarsdice.cli.play.line_mode import chart_lines, format_ranges, legal_bids_text, make_grid, row_label, wild_note
from liarsdice.core.actions import Deal
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.view import View, view
from liarsdice.core.events import StarterFound
from liarsdice.core.records.position import read_position
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import FromPure, StarterMethod, ToPure
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.core.text.narration import Narrator


def view_after(rules: str | Ruleset, *bids: Bid, seat: int | None = None) -> View:
    """Return the view of the seat on turn, or of another one, after bids of Ann and Bo, who have five dice each."""
    state = evolve_all(
        start(find_rules(rules) if isinstance(rules, str) else rules, ["Ann", "Bo"]),
        [StarterFound(0, StarterMethod.CHOSEN)],
    )
    state = evolve_all(state, decide(state, None, Deal(((1, 2, 3, 4, 5), (2, 2, 3, 3, 6)))))
    for bid in bids:
        state = evolve_all(state, decide(state, state.turn, bid))
    return view(state, state.turn if seat is None else seat)


def test_the_grid_holds_the_legal_bids_and_the_standing_one() -> None:
    shown = view_after("chart", Bid(2, 4))
    grid = make_grid(shown)
    assert grid.legal == frozenset(shown.may_bid)
    assert grid.standing == Bid(2, 4)
    assert sorted(grid.kinds) == [(face, False) for face in range(1, 7)]
    assert grid.max_quantity == 10


def test_the_first_cell_is_the_lowest_legal_bid_or_else_the_standing_bid() -> None:
    assert make_grid(view_after("chart", Bid(2, 4))).first_cell() == Bid(2, 5)
    assert make_grid(view_after("chart", Bid(2, 4), seat=0)).first_cell() == Bid(2, 4)


def test_the_neighbour_of_a_cell_stays_in_the_grid() -> None:
    grid = make_grid(view_after("chart"))
    first, last = grid.kinds[0][0], grid.kinds[-1][0]
    assert grid.neighbour(Bid(1, first), right=2, down=1) == Bid(3, grid.kinds[1][0])
    assert grid.neighbour(Bid(1, first), right=-1, down=-1) == Bid(1, first)
    assert grid.neighbour(Bid(grid.max_quantity, last), right=1, down=1) == Bid(grid.max_quantity, last)


def test_a_face_is_labelled_by_number_and_name_and_noted_as_wild() -> None:
    shown = view_after("chart")
    assert row_label(shown, 4, pure=False) == "4 fours"
    assert row_label(shown, 4, pure=True) == "4! fours zhai"
    assert [wild_note(shown, face) for face in (1, 2)] == ["wild", ""]


@pytest.mark.parametrize("numbers, text", [([], ""), ([3], "3"), ([1, 2, 3], "1 to 3"), ([1, 3, 4, 6], "1, 3 to 4, 6")])
def test_numbers_in_a_row_are_a_range(numbers: list[int], text: str) -> None:
    assert format_ranges(numbers) == text


def test_the_text_names_the_standing_bid_and_the_legal_quantities_of_each_face() -> None:
    shown = view_after("chart", Bid(2, 4))
    first, *lines = chart_lines(shown, Narrator(shown.ruleset, shown.names, shown.seat))
    assert first == "The standing bid: two fours (2x4), by Ann."
    by_face = {line.split()[0]: line for line in lines}
    assert by_face["4"].endswith("3 to 10")
    assert by_face["5"].endswith("2 to 10")
    assert by_face["1"].endswith("(wild)")


def test_pure_bids_stand_beside_the_others_of_their_face() -> None:
    rules = patched(preset("joker").ruleset, bidding__to_pure=ToPure.SAME_QUANTITY, bidding__from_pure=FromPure.DOUBLE)
    shown = view_after(rules, Bid(5, 5))
    assert chart_lines(shown, Narrator(shown.ruleset, shown.names))[2:4] == [
        "  2 twos    6 to 10  zhai (2!): 5 to 10",
        "  3 threes  6 to 10  zhai (3!): 5 to 10",
    ]
    assert legal_bids_text(shown) == "5x1+ 5x6+ 5x2!+ 5x3!+ 5x4!+ 5x5!+ 5x6!+ 6x2+ 6x3+ 6x4+ 6x5+"
    assert make_grid(shown).first_cell() == Bid(5, 1)
    assert make_grid(shown).neighbour(Bid(5, 6), down=1) == Bid(5, 2, pure=True)
    assert make_grid(view_after(rules, Bid(6, 5, pure=True))).first_cell() == Bid(7, 1)
    assert make_grid(view_after(rules, Bid(10, 5, pure=True))).first_cell() == Bid(10, 6, pure=True)


def test_legal_bids_in_short_are_the_lowest_of_each_face() -> None:
    shown = view_after("chart", Bid(2, 4))
    words = legal_bids_text(shown).split()
    assert {"3x2+", "3x3+", "3x4+", "2x5+", "2x6+"} < set(words)
    assert legal_bids_text(view_after("chart", Bid(2, 4), seat=0)) == ""


def test_a_face_off_has_one_row_with_its_sums() -> None:
    shown = view(read_position("bidding 4/3 0 1:sum7 9 perudo+face-off Ann,Bo"), 0)
    assert chart_lines(shown, Narrator(shown.ruleset, shown.names, shown.seat)) == [
        "The standing bid: a sum of seven (sum7), by Bo.",
        "  sum of both dice  8 to 12",
    ]
    assert legal_bids_text(shown) == "sum8+"
    grid = make_grid(shown)
    assert (grid.first_cell(), grid.max_quantity) == (Bid(8, SUM_FACE), 12)
    assert grid.neighbour(Bid(8, SUM_FACE), right=1, down=1) == Bid(9, SUM_FACE)
