"""`liarsdice solve endgames`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.run_cli import run_captured


def test_last_rounds_are_solved_for_all_presets_that_can_be_solved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("liarsdice.cli.solve.solve_endgames.preset_names", lambda: ("snyd", "official", "openspiel"))
    status, out, _ = run_captured(
        monkeypatch, capsys, "solve", "endgames", "-o", tmp_path / "last", "--target", "0.001"
    )
    assert status == 0
    assert "snyd: 1 rounds, exploitability at most " in out
    assert "official: under these rules bids may follow each other in any order" in out
    assert sorted(file.name for file in (tmp_path / "last").iterdir()) == ["endgame-openspiel.lds", "endgame-snyd.lds"]
