"""`liarsdice solve match`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.run_cli import run_captured


def test_a_match_is_solved_from_its_end_and_continued_from_its_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "match.lds"
    command = ("solve", "match", "--rules", "perudo", "--dice", "2v1", "--faces", "3", "-o", file)
    status, out, _ = run_captured(monkeypatch, capsys, *command)
    assert status == 0
    title, *rounds = out.splitlines()
    assert title == "Perudo, 3 faces: bounds of the probability that the player who opens wins the match"
    assert [line.split()[0] for line in rounds] == ["1v1", "2v1"]
    monkeypatch.setattr("liarsdice.solve.match_solver.solve", None)  # everything is there already
    assert run_captured(monkeypatch, capsys, *command)[:2] == (0, out)
    output = json.loads(run_captured(monkeypatch, capsys, *command, "--json")[1])
    low, high = output["p_win_bounds"]
    assert f"{low:.5f} to {high:.5f}" in rounds[-1]
    assert [round_["dice"] for round_ in output["rounds"]] == [[1, 1], [2, 1]]
    shown = run_captured(monkeypatch, capsys, "strategy", "show", file, "--dice", "1v1", "--hand", "2")[1]
    assert "the player who opens wins the match with a probability of " in shown


def test_ctrl_c_says_how_many_rounds_are_saved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("liarsdice.solve.match_solver.solve", stop)
    file = tmp_path / "match.lds"
    status, _, err = run_captured(monkeypatch, capsys, "solve", "match", "--faces", "2", "-o", file)
    assert (status, err) == (130, "liarsdice: stopped with 0 of 2 rounds; the same command continues from there\n")


def test_a_match_that_may_never_end_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "house.toml"
    file.write_text(
        'extends = "basic"\nguards.max_rounds = 100\nexact_call.success_gain = 0\nexact_call.failure_loss = 0\n'
    )
    command = ("solve", "match", "--rules", file, "--dice", "1v1", "--faces", "2")
    status, out, err = run_captured(monkeypatch, capsys, *command)
    assert (status, out.splitlines()[-1].split()) == (0, ["1v1", "0.00000", "to", "1.00000"])
    assert "the bounds do not get closer: single precision is not enough, or a match may never end" in err
