"""More than anybody means is refused at once, in one line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from liarsdice.cli.app import main
from liarsdice.core.engine.engine import match_started
from liarsdice.core.records.record import write_record
from liarsdice.core.rules.presets import preset


def complaint(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the user is told, on one short line."""
    monkeypatch.setattr(sys, "argv", ["liarsdice", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr().err
    assert ended.value.code == 2
    assert told.count("\n") == 1
    assert len(told) < 250
    return told


def test_a_number_longer_than_any_table_is_no_seat(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    record = tmp_path / "match.jsonl"
    record.write_text(write_record([match_started(preset("perudo").ruleset, ("Ann", "Bo"))], "0.1.0"), encoding="utf-8")
    told = complaint(monkeypatch, capsys, "replay", str(record), "--seat", "9" * 5_000)
    assert "--seat is a player's name (Ann, Bo) or 1 to 2, not '999" in told


def test_a_contest_of_a_million_seats_is_refused_before_they_are_set_up(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "at most 100 seats, not 1000000" in complaint(monkeypatch, capsys, "simulate", "--seats", "1000000")


@pytest.mark.parametrize("command", ["replay", "scenarios"])
def test_a_file_of_a_terabyte_is_not_read_to_its_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with Path("huge").open("wb") as file:
        file.truncate(2**40)  # a hole, which takes no room on the disk
    assert "huge is longer than" in complaint(monkeypatch, capsys, command, "huge")
