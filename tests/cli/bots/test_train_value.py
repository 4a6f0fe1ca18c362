"""`liarsdice train value`, as it is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from liarsdice.train.state_value_training import NETWORK_FILE
from liarsdice.values.value_network import ValueNetwork
from tests.cli.run_cli import error_line, run_cli


def test_state_values_are_trained_into_a_folder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "values"
    arguments = (
        "train",
        "value",
        "-o",
        out,
        "--tables",
        "2",
        "--champion-tables",
        "1",
        "--matches",
        "20",
        "--epochs",
        "1",
    )
    assert run_cli(monkeypatch, *arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1/3 tables"
    assert lines[-1] == f"state values: {out / NETWORK_FILE}"
    assert len(ValueNetwork.load(out / NETWORK_FILE).in_round) == 3


def test_a_run_without_a_folder_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert "folder of the run" in error_line(monkeypatch, capsys, "train")


def test_typical_players_are_not_learned_from_tables_of_champions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arguments = ("train", "value", "-o", str(tmp_path), "--typical", "--champion-tables", "1")
    assert "leave out --champion-tables" in error_line(monkeypatch, capsys, *arguments)
