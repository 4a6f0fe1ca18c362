"""A match of the terminal that was broken off under version 0.1.0 goes on, with the same people in their seats."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from liarsdice.cli.app import app
from liarsdice.cli.play.recovery import complete_actions
from liarsdice.cli.play.saved_match import read_seats
from liarsdice.core.bids.match_notation import notate_match
from tests.compatibility.readings import FILES, expected, plain_views

MATCHES = FILES / "saved_matches"
EXPECTED = expected("saved_matches")


def copied(name: str, folder: Path) -> Path:
    """Return a copy of a saved match that may be changed; the file that tells who sits where lies beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in (f"{name}.jsonl", f"{name}.jsonl.seats"):
        shutil.copyfile(MATCHES / file, folder / file)
    return folder / f"{name}.jsonl"


@pytest.mark.parametrize("name", EXPECTED)
def test_a_saved_match_is_read_to_the_same_state(name: str) -> None:
    file = MATCHES / f"{name}.jsonl"
    record, whole_bytes, _ = complete_actions(file.read_bytes())
    seats = read_seats(file, record)
    assert seats is not None
    assert EXPECTED[name] == {
        "whole_bytes": whole_bytes,
        "one_line": notate_match(record.events),
        "you": seats.you,
        "bots": list(seats.bots),
        "seed": seats.seed,
        "views": plain_views(record.state),
    }


@pytest.mark.parametrize("name, seat", [("match", 0), ("torn", 2)])
def test_a_match_that_was_broken_off_goes_on_with_the_seat_on_turn(name: str, seat: int, tmp_path: Path) -> None:
    file = copied(name, tmp_path)
    ran = CliRunner().invoke(app, ["play", "--plain", "--resume", str(file)], input="exact\n", catch_exceptions=False)
    assert ran.exit_code == 0
    before = (MATCHES / f"{name}.jsonl").read_bytes()[: EXPECTED[name]["whole_bytes"]]
    after = file.read_bytes()
    assert after.startswith(before)
    added = json.loads(after[len(before) :].splitlines()[0])
    assert added["seat"] == seat
    assert ("cut from the end" in ran.stdout) == (name == "torn")


def test_the_match_that_was_broken_off_last_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = copied("match", tmp_path / "liarsdice" / "matches")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    ran = CliRunner().invoke(app, ["play", "--plain", "--resume"], input="liar\n", catch_exceptions=False)
    assert ran.exit_code == 0
    added = json.loads(file.read_bytes()[EXPECTED["match"]["whole_bytes"] :].splitlines()[0])
    assert (added["type"], added["seat"]) == ("challenged", EXPECTED["match"]["you"])
