"""`liarsdice strategy show`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.run_cli import run_captured


def test_a_strategy_is_written_and_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "one.lds"
    command = ("solve", "--rules", "perudo", "--dice", "2v1", "--faces", "3", "--iterations", "100", "-o", file)
    assert run_captured(monkeypatch, capsys, *command)[0] == 0
    status, out, _ = run_captured(monkeypatch, capsys, "strategy", "show", file, "--hand", "2,3", "--bids", "1x2,2x2")
    assert status == 0
    assert out.startswith("Perudo, 2v1, 3 faces, after 1x2, 2x2\nvalue for the player who opens: between ")
    assert out.splitlines()[-1].startswith("2,3   ")
    status, out, _ = run_captured(monkeypatch, capsys, "strategy", "show", file)
    assert status == 0
    assert "how often the player who opens calls a bid, by hand" in out
    assert "how often the other player calls a bid, by hand" in out
    table = tmp_path / "one.csv"
    assert run_captured(monkeypatch, capsys, "strategy", "export", file, table) == (0, f"wrote {table}\n", "")
    assert table.read_text(encoding="utf-8").startswith("seat,hand,bids,action,probability\n0,1 1,,")
    output = json.loads(run_captured(monkeypatch, capsys, "strategy", "show", file, "--json")[1])
    assert [row["hand"] for row in output["hands"]] == [[1, 1], [1, 2], [1, 3], [2, 2], [2, 3], [3, 3]]
    assert all(sum(row["play"].values()) == pytest.approx(1) for row in output["hands"])
    assert output["calls"][0]["called"].keys() == {"1", "2", "3"}


def test_a_round_that_is_always_special_is_shown_by_its_dice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "match.lds"
    command = ("solve", "match", "--rules", "mustache", "--faces", "2", "--target", "0.1", "-o", file)
    assert run_captured(monkeypatch, capsys, *command)[0] == 0
    status, out, _ = run_captured(monkeypatch, capsys, "strategy", "show", file, "--dice", "1v1")
    assert (status, out.startswith("Mustache house rules, 1v1, a special round of the first, ")) == (0, True), out


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
