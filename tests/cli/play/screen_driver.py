"""Drives the full-screen application in tests: makes it, presses keys and reads the screen."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from liarsdice.cli.arguments import PlayOptions
from liarsdice.cli.play.panels import ChoiceDialog
from liarsdice.cli.play.screen import PlayApp
from liarsdice.cli.play.session import Session
from liarsdice.core.engine.state import Phase

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
