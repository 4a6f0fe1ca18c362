"""Files that are no saved match are refused or ignored, and none is changed without a message."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import msgspec
import pytest

from liarsdice.bots.registry import make_bot
from liarsdice.cli.play import saved_match
from liarsdice.cli.play.saved_match import SavedMatch, Seats, read_seats, state_folder
from liarsdice.core.engine.engine import match_started
from liarsdice.core.errors import LiarsDiceError, RecordError, UnavailableError
from liarsdice.core.records.record import read_record, write_record
from liarsdice.core.rules.presets import preset
from tests.bots.positions import play_out
from tests.cli.play.line_mode_process import LineModeProcess

EVENTS = play_out(preset("basic").ruleset, {seat: make_bot("inference") for seat in range(3)}, 4).match.events
LINES = write_record(EVENTS, "0.1.0").encode().splitlines(keepends=True)
BROKEN_OFF = b"".join(LINES[:6])
"""The match, the first starter, the first round and its dice, and two bids."""

BEGIN = match_started(preset("basic").ruleset, ("Player", "Ann"))
SEATS = Seats(0, ("", "random"), "1")
NEXT_ROUND = next(line for line in LINES if b'"round_started"' in line)
FORGED = b'{"type":"bid_made","seat":0,"bid":[99,6]}\n'


@pytest.mark.parametrize("after", [FORGED, b"{}\n", b"\n" + LINES[6], LINES[1], NEXT_ROUND])
def test_a_line_that_contradicts_the_rules_is_refused_and_nothing_is_cut(after: bytes, tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    record.write_bytes(BROKEN_OFF + after)
    with pytest.raises(RecordError, match=r"cannot be continued: line [78]: "):
        SavedMatch.resume(record)
    assert record.read_bytes() == BROKEN_OFF + after


def test_what_follows_the_end_of_a_match_is_refused_and_nothing_is_cut(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    for after in (FORGED, LINES[-1], b"torn", b"\n"):
        record.write_bytes(b"".join(LINES) + after)
        with pytest.raises(LiarsDiceError, match=r"cannot be continued: line|is over"):
            SavedMatch.resume(record)
        assert record.read_bytes() == b"".join(LINES) + after


def test_a_cut_and_seats_that_do_not_fit_are_reported(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    record.write_bytes(BROKEN_OFF + b"{")
    (tmp_path / "match.jsonl.seats").write_bytes(b'{"you":0,"bots":["","",""],"seed":"x"}')
    with LineModeProcess("--resume", str(record), home=tmp_path) as terminal:
        terminal.read_prompt()
    assert f"! cut from the end of {record}: an incomplete line of 1 bytes\n" in terminal.output
    assert "! no matching file says who sat where: you are " in terminal.output


@pytest.mark.parametrize(
    "seats",
    [
        b'{"you":0,"bots":["","",""],"seed":"x"}',
        b'{"you":1,"bots":["","random","random"],"seed":"x"}',
        b'{"you":0,"bots":["random","random","random"],"seed":"x"}',
        b'{"you":0,"bots":["","nobody","random"],"seed":"x"}',
        b'{"you":0,"bots":["","random"],"seed":"x"}',
        b'{"you":3,"bots":["","random","random"],"seed":"x"}',
        b'{"you":0,"bots":["","random","random"],"seed":"' + b"x" * 70_000 + b'"}',
        b"\xff",
        b"[" * 60_000,
    ],
)
def test_seats_that_do_not_fit_are_ignored(seats: bytes, tmp_path: Path) -> None:
    (tmp_path / "match.jsonl.seats").write_bytes(seats)
    assert read_seats(tmp_path / "match.jsonl", read_record(BROKEN_OFF)) is None


def test_the_seats_file_is_beside_the_target_of_a_link(tmp_path: Path) -> None:
    seats = Seats(0, ("", "random", "greedy"), "x")
    (tmp_path / "match.jsonl.seats").write_bytes(msgspec.json.encode(seats))
    (tmp_path / "match.jsonl").write_bytes(BROKEN_OFF)
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "match").symlink_to(tmp_path / "match.jsonl")
    assert read_seats(tmp_path / "links" / "match", read_record(BROKEN_OFF)) == seats


def test_a_pipe_is_neither_a_record_nor_seats(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "match.jsonl.seats")
    for begin in (
        lambda: SavedMatch.create(tmp_path / "pipe", SEATS, BEGIN),
        lambda: SavedMatch.resume(tmp_path / "pipe"),
    ):
        with pytest.raises(UnavailableError, match="is not a regular file"):
            begin()
    assert read_seats(tmp_path / "match.jsonl", read_record(BROKEN_OFF)) is None


def test_an_existing_seats_file_is_not_changed_and_no_record_is_left(tmp_path: Path) -> None:
    record, beside = tmp_path / "match.jsonl", tmp_path / "match.jsonl.seats"
    beside.write_bytes(b"mine")
    with pytest.raises(UnavailableError, match=r"match\.jsonl\.seats: File exists"):
        SavedMatch.create(record, SEATS, BEGIN)
    assert beside.read_bytes() == b"mine"
    assert not record.exists()


def test_a_match_that_cannot_start_leaves_no_file(tmp_path: Path) -> None:
    with LineModeProcess("--bots", "nobody", "--record", str(tmp_path / "match.jsonl"), home=tmp_path) as terminal:
        assert terminal.close_input() == 2
    assert not list(tmp_path.iterdir())


def test_files_that_are_no_record_are_ignored_among_saved_matches(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    state_folder().mkdir(parents=True)
    waits, junk = state_folder() / "waits.jsonl", state_folder() / "junk.jsonl"
    SavedMatch.create(waits, SEATS, BEGIN).close()
    junk.write_bytes(b"junk\n")
    os.utime(waits, (1, 1))
    assert saved_match.latest_unfinished() == waits


@pytest.mark.parametrize("named", ["", "here"])
def test_matches_are_never_saved_in_the_current_folder(monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setenv("HOME", "")
    monkeypatch.setenv("XDG_STATE_HOME", named)
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    assert state_folder() == home / ".local" / "state" / "liarsdice" / "matches"
