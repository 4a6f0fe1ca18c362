"""The full-screen application: what it shows, and the keys that play it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from liarsdice.cli.arguments import PlayOptions
from liarsdice.cli.play.panels import ChoiceDialog, TextPage
from liarsdice.cli.play.screen import PlayApp
from liarsdice.cli.play.session import Session
from liarsdice.core.actions import ChooseStarter, Deal, DealerAction
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.records.record import read_record
from liarsdice.core.rules.presets import preset_names

MAX_STEPS = 1_500


def make_app(**options: object) -> PlayApp:
    """Return an application for a match of two without pauses, unless `options` say otherwise."""
    return PlayApp(Session(PlayOptions(**{"seats": 2, "seed": 1, "fast": True, **options})))  # type: ignore[arg-type]


def screen_lines(app: PlayApp) -> list[str]:
    """Return the lines of the screen as a player sees them."""
    screen = app.screen
    return [
        "".join(segment.text for segment in strip).rstrip()
        for strip in screen._compositor.render_strips(screen.size)  # noqa: SLF001  textual has no public text of a screen
    ]


def record_bytes(folder: Path) -> bytes:
    """Return the content of the only record in a folder."""
    (path,) = folder.rglob("*.jsonl")
    return path.read_bytes()


async def press_until_asked(app: PlayApp, pilot: Pilot[str]) -> None:
    """Press Enter until it is the human's turn."""
    for _ in range(MAX_STEPS):
        await pilot.pause()
        if app.table.pending_answer is not None and app.table.on_turn:
            return
        await pilot.press("enter")
    pytest.fail("the human's turn never came")


async def play_to_end(app: PlayApp, pilot: Pilot[str], keys: Iterator[str]) -> None:
    """Press keys until the match is over and its result is shown."""
    for _ in range(MAX_STEPS):
        await pilot.pause()
        if app.driver is not None and app.driver.view.phase is Phase.OVER and isinstance(app.screen, ChoiceDialog):
            return
        is_asked = app.table.pending_answer is not None
        await pilot.press(next(keys) if is_asked else "enter")
    pytest.fail("the match never ended")


def playing_keys() -> Iterator[str]:
    """Yield keys that make all kinds of answers: bids from the chart, challenges, exact calls, the direction."""
    while True:
        yield from ("enter", "l", "right", "enter", "x", "down", "enter", "l", "d", "enter", "l")


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
