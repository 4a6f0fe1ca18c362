"""`liarsdice solve table`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.run_cli import run_captured


def test_ctrl_c_says_how_many_games_are_saved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("liarsdice.cli.solve.solve_table.solve_many", stop)
    status, _, err = run_captured(monkeypatch, capsys, "solve", "table", "--rules", "snyd", "-o", tmp_path)
    assert (status, err) == (130, "liarsdice: stopped with 0 of 3 games; the same command continues from there\n")


def test_two_rules_files_of_one_name_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ours, theirs = tmp_path / "ours" / "flo.toml", tmp_path / "theirs" / "flo.toml"
    for file in (ours, theirs):
        file.parent.mkdir()
        file.write_text('extends = "perudo"\n')
    status, _, err = run_captured(monkeypatch, capsys, "solve", "table", "--rules", f"{ours},{theirs}", "-o", tmp_path)
    assert (status, "flo.toml would both write flo-6-faces-1v1-round.lds; rename one" in err) == (2, True)


def test_a_table_of_games_is_solved_and_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    command = ("solve", "table", "--rules", "snyd-joker,official", "--faces", "3", "--up-to", "2", "-o", tmp_path)
    status, out, _ = run_captured(monkeypatch, capsys, *command, "--jobs", "1")
    assert status == 0
    title, solved, refused = out.splitlines()
    assert title.split() == ["rules", "dice", "value", "for", "the", "opener"]
    name, dice, low, _, high = solved.split()
    assert (name, dice) == ("snyd-joker", "1v1")
    assert float(low) - 1e-6 <= 1 / 3 <= float(high) + 1e-6
    assert "grows like a factorial" in refused
    output = json.loads(run_captured(monkeypatch, capsys, *command[:-2], "-o", tmp_path, "--json")[1])
    assert [row["file"] for row in output] == ["snyd-joker-3-faces-1v1-round.lds", None]
    assert (tmp_path / output[0]["file"]).exists()
    status, _, err = run_captured(
        monkeypatch, capsys, "solve", "table", "--rules", "snyd", "-o", tmp_path, "--method", "x"
    )
    assert (status, "--method is one of dcfr, cfr+, pcfr+, not 'x'" in err) == (2, True)
