"""The full-screen table: what it shows, and the keys that move the selection."""

from pathlib import Path

import pytest

from liarsdice.cli.play.panels import TextPage
from liarsdice.core.rules.presets import preset_names
from tests.cli.play.screen_driver import (
    make_app,
    press_until_asked,
    screen_lines,
)

SMALL = (80, 24)


@pytest.fixture(autouse=True)
def _state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


@pytest.mark.parametrize("rules", preset_names())
async def test_a_screen_of_80_by_24_shows_everything_needed(rules: str) -> None:
    app = make_app(rules=rules, seats=5, seed=3)
    async with app.run_test(size=SMALL) as pilot:
        await press_until_asked(app, pilot)
        await pilot.pause()
        lines, view = screen_lines(app), app.driver.view if app.driver is not None else None
    assert view is not None
    assert len(lines) == 24
    assert lines[0].split("·")[0].strip() == view.ruleset.labels.game
    assert all(
        any(f"{name} " in line and f"▒ {view.dice[seat]}" in line for line in lines)
        for seat, name in enumerate(("You", *view.names[1:]))
    )
    assert sum(line.count("┌───────┐") for line in lines) == len(view.hand)
    assert any(f"({view.bid})" in line for line in lines) or view.bid is None
    assert any("<" in line and ">" in line for line in lines)
    assert "Q quit" in lines[-1]


async def test_a_table_of_16_players_shows_them_all() -> None:
    app = make_app(rules="mustache", seats=16, seed=3)
    async with app.run_test(size=SMALL) as pilot:
        await press_until_asked(app, pilot)
        text = " ".join(screen_lines(app))
        assert app.driver is not None
        labels = ["You", *app.driver.narrator.names[1:]]
        assert [label for label in labels if f" {label} " in text] == labels


async def test_only_legal_bids_are_shown_and_the_standing_bid_is_marked() -> None:
    app = make_app(rules="mustache", seed=3)
    async with app.run_test(size=SMALL) as pilot:
        await press_until_asked(app, pilot)
        await pilot.press("2", "x", "4", "enter")
        await press_until_asked(app, pilot)
        view, lines = app.table.current_view, screen_lines(app)
    assert view is not None
    assert view.bid is not None
    twos = next(line for line in lines if line.startswith(" 2 twos"))
    assert "1" not in twos.removeprefix(" 2 twos")
    assert any(f"({view.bid.quantity})" in line for line in lines if line.startswith(f" {view.bid.face} "))


async def test_arrows_select_a_bid_and_enter_makes_it() -> None:
    app = make_app(rules="chart", seed=1)
    async with app.run_test(size=SMALL) as pilot:
        await press_until_asked(app, pilot)
        start = app.table.selected_bid
        await pilot.press("right", "right", "down")
        picked = app.table.selected_bid
        await pilot.press("enter")
        await pilot.pause()
        bids = [] if app.driver is None else [line for line in app.driver.line().split(", ") if "Player" in line]
    assert start is not None
    assert picked is not None
    assert picked.quantity == start.quantity + 2
    assert any(str(picked) in bid for bid in bids)


async def test_the_players_own_seat_is_called_you_whatever_its_name() -> None:
    app = make_app(rules="chart", seed=1, name="Tim")
    async with app.run_test(size=SMALL) as pilot:
        await press_until_asked(app, pilot)
        text = "\n".join(screen_lines(app))
    assert " You " in text
    assert "Tim" not in text


async def test_a_question_mark_opens_the_rules_and_escape_closes_them() -> None:
    app = make_app(rules="perudo")
    async with app.run_test(size=SMALL) as pilot:
        await press_until_asked(app, pilot)
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(app.screen, TextPage)
        assert any("Perudo" in line for line in screen_lines(app))
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(app.screen, TextPage)
