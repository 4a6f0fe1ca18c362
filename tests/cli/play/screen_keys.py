"""The full-screen table for tests: opened, pressed and looked at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from liarsdice.cli.play.dialogs import Choose
from liarsdice.cli.play.screen import PlayApp
from liarsdice.cli.play.session import Evening, Options
from liarsdice.core.engine.state import Phase

LONGEST_EVENING = 1_500


def an_evening(**options: object) -> PlayApp:
    return PlayApp(Evening(Options(**{"seats": 2, "seed": 1, "fast": True, **options})))  # type: ignore[arg-type]


def shown(app: PlayApp) -> list[str]:
    """The lines of the screen as a player sees them."""
    screen = app.screen
    return [
        "".join(segment.text for segment in strip).rstrip()
        for strip in screen._compositor.render_strips(screen.size)  # noqa: SLF001  there is no public picture in text
    ]


def kept_in(folder: Path) -> bytes:
    """The one record in a folder."""
    (path,) = folder.rglob("*.jsonl")
    return path.read_bytes()


async def until_asked(app: PlayApp, pilot: Pilot[str]) -> None:
    """Press Enter until it is the human's turn."""
    for _ in range(LONGEST_EVENING):
        await pilot.pause()
        if app.table.asked is not None and app.table.on_turn:
            return
        await pilot.press("enter")
    pytest.fail("it never was the human's turn")


async def to_the_end(app: PlayApp, pilot: Pilot[str], moods: Iterator[str]) -> None:
    """Play with keys until the match is over and its result is shown."""
    for _ in range(LONGEST_EVENING):
        await pilot.pause()
        if app.game is not None and app.game.view.phase is Phase.OVER and isinstance(app.screen, Choose):
            return
        asked = app.table.asked is not None
        await pilot.press(next(moods) if asked else "enter")
    pytest.fail("the match never ended")


def some_keys() -> Iterator[str]:
    """How somebody plays who doubts, moves about the chart, and now and then calls exact."""
    while True:
        yield from ("enter", "l", "right", "enter", "x", "down", "enter", "l", "d", "enter", "l")
