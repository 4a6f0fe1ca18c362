"""The parts of the full-screen table as text."""

from pathlib import Path

import msgspec
import pytest

from liarsdice.cli.arguments import PlayOptions
from liarsdice.cli.play.line_mode import make_grid
from liarsdice.cli.play.panels import (
    ChoiceDialog,
    Reveal,
    big_dice,
    chart,
    dice_line,
    players,
    standing_bid,
    start_rolls,
    title,
)
from liarsdice.cli.play.screen import PlayApp
from liarsdice.cli.play.session import Session
from liarsdice.core.engine.view import View, view
from liarsdice.core.events import Revealed, StarterRolled
from liarsdice.core.records.position import read_position
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.text.narration import Narrator
from tests.cli.play.test_line_mode import view_after


def narrator_of(view: View) -> Narrator:
    return Narrator(view.ruleset, view.names, view.seat)


REVEAL = Revealed(
    bid=Bid(2, 4),
    hands=((1, 2, 3, 4, 5), (2, 2, 3, 3, 6)),
    marked=((0, 3), ()),
    counted=(2, 0),
    count=2,
    bid_true=True,
    wilds_counted=True,
)


def test_the_title_names_the_game_the_round_and_the_dice() -> None:
    view = view_after("chart", Bid(2, 4))
    assert title(view, narrator_of(view)).plain.startswith("Liar's Dice by the chart · round 1 · 10 dice in play")


def test_each_player_has_a_line_with_the_turn_the_dice_and_the_latest_bid() -> None:
    view = view_after("chart", Bid(2, 4))
    lines = players(view, narrator_of(view), rows=4).plain.splitlines()
    assert [line.rstrip() for line in lines] == ["  Ann ▒▒▒▒▒ 5  2x4", "▸ You ▒▒▒▒▒ 5"]


def test_a_line_tells_how_many_drinks_a_player_has_had() -> None:
    view = view_after("chui-niu+drinks", Bid(2, 4))
    first = players(view, narrator_of(view), rows=4).plain.splitlines()[0]
    assert first.rstrip() == "  Ann ▒▒▒▒▒ 5  zero drinks  2x4"


def test_a_line_tells_what_dice_a_player_has_where_they_differ() -> None:
    view = msgspec.structs.replace(view_after("basic", Bid(2, 4)), ruleset=preset("basic+mixed-dice").ruleset)
    lines = players(view, narrator_of(view), rows=4).plain.splitlines()
    assert [line.rstrip() for line in lines] == ["  Ann ▒▒▒▒▒ 5 d4  2x4", "▸ You ▒▒▒▒▒ 5 d6"]


def test_more_players_than_rows_share_rows_with_numbers_for_dice() -> None:
    view = view_after("chart", Bid(2, 4))
    assert players(view, narrator_of(view), rows=1).plain == "  Ann 5  2x4▸ You 5"


def test_a_reveal_shows_the_hands_in_turn_and_counts_them() -> None:
    view = view_after("chart", Bid(2, 4))
    first, second = players(view, narrator_of(view), rows=4, reveal=Reveal(REVEAL, 1)).plain.splitlines()
    assert "[1] 2  3 [4] 5  two" in first
    assert "▒" in second
    assert [Reveal(REVEAL, shown).count for shown in (0, 1, 2)] == [0, 2, 2]
    assert "counted: 2" in standing_bid(view, narrator_of(view), Reveal(REVEAL, 2)).plain


def test_the_standing_bid_is_in_words_and_symbols() -> None:
    view = view_after("chart", Bid(2, 4))
    assert standing_bid(view, narrator_of(view)).plain == "Ann bids TWO FOURS (2x4) ⚃⚃"
    assert standing_bid(view_after("chart"), narrator_of(view)).plain == "No bid yet."


def test_dice_are_large_where_they_fit() -> None:
    assert dice_line((4, 5), (0,)).plain == "[4] 5 "
    assert len(big_dice((4, 5), 20).plain.splitlines()) == 5
    assert big_dice((4, 5), 19).plain == "[4][5]"


def test_the_chart_marks_the_selected_and_the_standing_bid_and_hides_illegal_ones() -> None:
    view = view_after("chart", Bid(2, 4))
    header, *rows = chart(view, make_grid(view), Bid(3, 4), width=80, rows=8).plain.splitlines()
    assert header.split() == [str(quantity) for quantity in range(1, 11)]
    fours = next(row for row in rows if row.startswith("4 fours"))
    assert fours.removeprefix("4 fours").split() == ["·", "(2)<3>", "4", "5", "6", "7", "8", "9", "10"]


def test_pure_bids_have_rows_of_their_own_in_the_chart() -> None:
    view = view_after("chui-niu+zhai", Bid(4, 4, pure=True))
    shown = chart(view, make_grid(view), Bid(5, 4, pure=True), width=120, rows=13).plain.splitlines()
    zhai = next(row for row in shown if row.startswith("4! fours zhai"))
    assert zhai.removeprefix("4! fours zhai").split()[:5] == ["·", "·", "·", "(4)<5>", "6"]
    assert next(row for row in shown if row.startswith("4 fours ")).removeprefix("4 fours").split() == ["·"] * 10


def test_a_narrow_chart_shows_the_columns_around_the_selected_bid() -> None:
    view = view_after("chart", Bid(2, 4))
    header, *_ = chart(view, make_grid(view), Bid(8, 4), width=32, rows=8).plain.splitlines()
    assert "8" in header.split()
    assert "1" not in header.split()


def test_rolls_for_the_start_are_shown_with_who_opens() -> None:
    view = view_after("chart")
    text = start_rolls(StarterRolled(rolls=((3,), (5,)), tied=()), narrator_of(view)).plain
    assert "You [3]" in text
    assert "Bo [5]" in text


def test_a_face_off_is_named_and_its_sums_are_one_row() -> None:
    shown = view(read_position("bidding 4/3 0 1:sum7 9 perudo+face-off Ann,Bo"), 0)
    assert title(shown, narrator_of(shown)).plain == "Perudo · round 9 · 2 dice in play · face-off"
    assert standing_bid(shown, narrator_of(shown)).plain == "Bo bids A SUM OF SEVEN (sum7) "
    row = chart(shown, make_grid(shown), Bid(8, SUM_FACE), width=100, rows=8).plain.splitlines()[1]
    assert row.split()[:4] == ["sum", "of", "both", "dice"]
    assert "(7)<8> 9" in row


@pytest.mark.parametrize("size", [(1, 1), (3, 24), (4, 2)])
async def test_a_list_stays_open_in_a_terminal_of_few_columns(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    app = PlayApp(Session(PlayOptions(seats=2, seed=1, fast=True)))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, ChoiceDialog)
        await pilot.press("enter")
        await pilot.pause()
        assert app.driver is not None
    assert app.failure is None
