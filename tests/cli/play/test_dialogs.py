"""Dialogs work in terminals that are too small to show them."""

from __future__ import annotations

from pathlib import Path

import pytest

from liarsdice.cli.play.panels import ChoiceDialog
from liarsdice.cli.play.screen import PlayApp
from liarsdice.cli.play.session import PlayOptions, Session


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
