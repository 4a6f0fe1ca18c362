"""The full-screen application, played by keys."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from textual.widgets import OptionList

from liarsdice.cli.arguments import PlayOptions
from liarsdice.cli.play.panels import ChoiceDialog
from liarsdice.cli.play.screen import PlayApp
from liarsdice.cli.play.session import Session
from liarsdice.core.actions import ChooseStarter, Deal, DealerAction
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.records.record import read_record
from liarsdice.core.rules.presets import preset_names
from tests.cli.play.screen_driver import (
    MAX_STEPS,
    make_app,
    play_to_end,
    playing_keys,
    press_until_asked,
    record_bytes,
    screen_lines,
)

SMALL = (80, 24)
WITHIN_S = 60.0


@pytest.fixture(autouse=True)
def _state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


@pytest.mark.parametrize("rules", ["mustache", "official", "perudo", "chart", "classic+aces+palifico+calza+reversa"])
async def test_a_whole_match_is_played_by_keys(rules: str, tmp_path: Path) -> None:
    app = make_app(rules=rules)
    async with app.run_test(size=SMALL) as pilot:
        await play_to_end(app, pilot, playing_keys())
        await pilot.press("down", "down", "enter")
    assert app.failure is None
    assert "the match" in app.closing_lines[0]
    assert app.closing_lines[1].startswith("1. ")
    assert app.closing_lines[2].startswith("Player, Ann | 1: ")
    assert read_record(record_bytes(tmp_path)).state.winners


async def test_a_rematch_has_the_same_players_and_rules() -> None:
    app = make_app(rules="openspiel", seats=3, bots="random")
    async with app.run_test(size=SMALL) as pilot:
        await play_to_end(app, pilot, playing_keys())
        first = app.driver
        await pilot.press("enter")
        await press_until_asked(app, pilot)
        second = app.driver
    assert first is not None
    assert second is not None
    assert second is not first
    assert second.seats.seed != first.seats.seed
    assert second.view.names == first.view.names
    assert second.view.ruleset == first.view.ruleset
    assert second.seats.bots == first.seats.bots


async def test_a_dark_bid_is_refused_in_the_engines_words() -> None:
    app = make_app(rules="chart", seed=1)
    async with app.run_test(size=SMALL) as pilot:
        await press_until_asked(app, pilot)
        await pilot.press("3", "x", "4", "enter")
        await press_until_asked(app, pilot)
        await pilot.press("1", "x", "2", "enter")
        await pilot.pause()
        text = " ".join(screen_lines(app))
    assert "! bid 1x2 does not beat" in text


async def test_the_menu_offers_all_presets() -> None:
    app = make_app()
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, ChoiceDialog)
        assert app.screen.query_one(OptionList).option_count == len(preset_names()) + 1
        assert sum("▸" in line for line in screen_lines(app)) == 1
        await pilot.press("down", "up")
        await pilot.pause()
        assert [line.strip("│ ").split()[:2] for line in screen_lines(app) if "▸" in line] == [["▸", preset_names()[0]]]
        await pilot.press("enter")
        await press_until_asked(app, pilot)
        assert app.driver is not None
        assert app.driver.view.ruleset.labels.game == "Liar's Dice by the chart"


async def test_a_call_out_of_turn_doubles_the_stakes() -> None:
    app = make_app(rules="official", seats=4, seed=2)
    async with app.run_test(size=SMALL) as pilot:
        for _ in range(MAX_STEPS):
            await pilot.pause()
            if app.table.pending_answer is not None and not app.table.on_turn:
                break
            await pilot.press("enter")
        seen = " ".join(screen_lines(app))
        assert "Call out of turn?" in seen
        assert "The stakes are doubled." in seen
        await pilot.press("l")
        await pilot.pause()
        assert app.driver is not None
        assert "Player liar" in app.driver.line()
        assert any(f"{sign}2" in app.driver.line() for sign in "-+")


async def test_stakes_three_times_as_high_are_announced(tmp_path: Path) -> None:
    rules = tmp_path / "threefold.toml"
    rules.write_text('extends = "official"\n[loss]\nout_of_turn_factor = 3\n', encoding="utf-8")
    app = make_app(rules=str(rules), seats=4, seed=2)
    async with app.run_test(size=SMALL) as pilot:
        for _ in range(MAX_STEPS):
            await pilot.pause()
            if app.table.pending_answer is not None and not app.table.on_turn:
                break
            await pilot.press("enter")
        asked = [line.strip("┌─┐│└┘● ") for line in screen_lines(app)[-6:-1]]
    assert " ".join(asked) == (
        "Call out of turn? The stakes are three times as high. Enter: let the bid stand. Space: take your time."
    )


async def test_a_bid_that_ends_the_wildness_of_ones_is_announced_and_shown_in_the_title() -> None:
    app = make_app(rules="chui-niu", seed=2)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        await pilot.press("down", "enter")
        await press_until_asked(app, pilot)
        assert "ones wild" in screen_lines(app)[0]
        await pilot.press("4", "x", "1", "enter")
        await pilot.pause()
        lines = screen_lines(app)
    assert "ones not wild" in lines[0]
    assert "Ones are not wild for the" in " ".join(lines)


async def test_the_question_who_starts_says_what_escape_does() -> None:
    app = make_app(rules="chui-niu", seed=2)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, ChoiceDialog)
        assert any("Esc draws lots" in line for line in screen_lines(app))


async def test_the_player_can_report_a_penalty() -> None:
    app = make_app(rules="chart", seed=1)
    async with app.run_test(size=SMALL) as pilot:
        await press_until_asked(app, pilot)
        await pilot.press("p")
        await pilot.pause()
        await pilot.press("enter")
        await press_until_asked(app, pilot)
        assert app.driver is not None
        assert [penalty.seat for penalty in app.driver.view.penalties] == [0]


async def test_a_match_that_is_quit_can_be_resumed() -> None:
    app = make_app(rules="mustache", seed=1)
    async with app.run_test(size=SMALL) as pilot:
        await press_until_asked(app, pilot)
        await pilot.press("2", "x", "4", "enter")
        await press_until_asked(app, pilot)
        await pilot.press("q")
    assert app.driver is not None
    before = app.driver.view
    app.driver.close()
    again = PlayApp(Session(PlayOptions(resume=True, fast=True)))
    async with again.run_test(size=SMALL) as pilot:
        await press_until_asked(again, pilot)
        assert again.driver is not None
        assert again.driver.view == before


class RiggedDealer:
    """A dealer for whom the human opens with 1 2 3 4 5 and all others hold one face."""

    def __init__(self, face: int) -> None:
        self.face = face

    def action(self, state: State) -> DealerAction:
        if state.phase is Phase.STARTER:
            return ChooseStarter(0)
        return Deal(((1, 2, 3, 4, 5), *((self.face,) * held for held in state.dice[1:])))


async def test_hidden_dice_change_nothing_on_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures = []
    for face in (2, 6):
        monkeypatch.setattr("liarsdice.cli.play.match_driver.Dealer", lambda _, face=face: RiggedDealer(face))
        app = make_app(rules="mustache", seats=4)
        async with app.run_test(size=SMALL) as pilot:
            await press_until_asked(app, pilot)
            pictures.append(screen_lines(app))
        assert app.driver is not None
        app.driver.close()
    assert pictures[0] == pictures[1]
    assert "You roll 1 2 3 4 5." in " ".join(pictures[0])


def test_a_table_whose_terminal_closes_without_a_signal_ends_and_is_saved(tmp_path: Path) -> None:
    terminal, stream = os.openpty()
    words = [sys.executable, "-m", "liarsdice", "play", "--rules", "basic"]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
    with subprocess.Popen(
        words, stdin=stream, stdout=stream, stderr=stream, env=environment, start_new_session=True
    ) as program:
        try:
            os.close(stream)
            shown = b""
            while b"Who starts?" not in shown:
                shown += os.read(terminal, 65_536)
            os.close(terminal)
            assert program.wait(WITHIN_S) == 1
        finally:
            program.kill()
    assert list((tmp_path / "liarsdice" / "matches").glob("*.jsonl"))
