"""`liarsdice train distill`, as it is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from liarsdice.cli.bots.train_distill import read_round
from liarsdice.core.errors import MalformedError
from liarsdice.train.distillation import NETWORK_FILE
from tests.cli.run_cli import error_line, run_cli


def test_a_network_is_taught_into_a_folder_and_plays(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rules, out = tmp_path / "two.toml", tmp_path / "run"
    rules.write_text("[dice]\nfaces = 2\n")
    options = ("--steps", "2", "--iterations", "2", "--match-share", "0.5", "--tables", "1", "--measure-every", "1")
    assert run_cli(monkeypatch, "train", "distill", "-o", out, "--rounds", f"{rules}:1v1", *options) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{rules} 1v1: a blueprint of 2 iterations")
    assert lines[1].endswith("decisions of champion@7")
    assert [line.split(",")[0] for line in lines[2:5]] == ["0/2", "1/2", "2/2"]
    assert lines[-1] == f"the network plays as network:{out / NETWORK_FILE}"


def test_rounds_that_are_none_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arguments = ("train", "distill", "-o", str(tmp_path), "--rounds")
    assert "such as perudo:2v2" in error_line(monkeypatch, capsys, *arguments, "perudo")
    assert "such as 2v1" in error_line(monkeypatch, capsys, *arguments, "perudo:2")


def test_rounds_are_read_with_the_dice_of_who_opens_first() -> None:
    assert str(read_round(" perudo:2v1")) == "perudo 2v1"
    with pytest.raises(MalformedError):
        read_round("2v1")
