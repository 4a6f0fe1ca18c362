"""`liarsdice strategy plot`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.run_cli import run_captured


def test_a_strategy_is_drawn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file, picture = tmp_path / "one.lds", tmp_path / "one.svg"
    assert run_captured(monkeypatch, capsys, "solve", "--faces", "3", "--iterations", "50", "-o", file)[0] == 0
    assert run_captured(monkeypatch, capsys, "strategy", "plot", file, picture)[:2] == (0, f"wrote {picture}\n")
    drawn = picture.read_text()
    assert drawn.startswith("<?xml")
    assert run_captured(monkeypatch, capsys, "strategy", "plot", file, picture)[0] == 0
    assert picture.read_text() == drawn
    status, _, err = run_captured(monkeypatch, capsys, "strategy", "plot", file, tmp_path / "one.txt")
    assert (status, "a picture's name ends in .svg, .png, .pdf, not 'one.txt'" in err) == (2, True)
