"""An interrupted match can be continued, whatever interrupted it."""

import errno
import os
import pwd
import shlex
import signal
import stat
import sys
from pathlib import Path

import msgspec
import pytest

from liarsdice.bots.registry import make_bot
from liarsdice.cli.play import saved_match
from liarsdice.cli.play.saved_match import (
    SavedMatch,
    Seats,
    latest_unfinished,
    new_path,
    read_seats,
    state_folder,
)
from liarsdice.core.engine.engine import match_started
from liarsdice.core.errors import LiarsDiceError, RecordError, UnavailableError
from liarsdice.core.records.record import read_record, write_record
from liarsdice.core.rules.presets import preset
from tests.bots.positions import play_out
from tests.cli.play.line_mode_process import LineModeProcess

SEATS = Seats(0, ("", "random"), "1")
BEGIN = match_started(preset("basic").ruleset, ("Player", "Ann"))
PLAYED = ("--rules", "mustache", "--seed", "5", "--seats", "3")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The record of a whole match."""
    record = tmp_path_factory.mktemp("finished") / "match.jsonl"
    with LineModeProcess(*PLAYED, "--record", str(record), home=record.parent) as terminal:
        terminal.play()
        terminal.close_input()
    return record.read_bytes()


def test_a_killed_match_is_resumed_and_ends_like_an_uninterrupted_one(finished: bytes, tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    with LineModeProcess(*PLAYED, "--record", str(record), home=tmp_path) as terminal:
        terminal.play(answers=6)
        terminal.process.end()
    torn = record.read_bytes()
    assert finished.startswith(torn)
    record.write_bytes(torn[:-7])
    with LineModeProcess("--resume", str(record), home=tmp_path) as terminal:
        assert terminal.play() == "A rematch? [y/N] "
        assert terminal.close_input() == 0
    assert "The match continues " in terminal.output
    assert record.read_bytes() == finished


@pytest.mark.parametrize("events, opening", [(2, "with round 1."), (4, "in round 1.")])
def test_a_resumed_match_names_the_round_that_comes_or_goes_on(tmp_path: Path, events: int, opening: str) -> None:
    record = tmp_path / "match.jsonl"
    record.write_bytes(b"".join(LINES[: 1 + events]))
    with LineModeProcess("--resume", str(record), home=tmp_path) as terminal:
        terminal.read_prompt()
    assert f"The match continues {opening}" in terminal.output


def test_ctrl_c_saves_the_match(tmp_path: Path) -> None:
    with LineModeProcess(*PLAYED, home=tmp_path) as terminal:
        terminal.play(answers=3)
        os.kill(terminal.process.pid, signal.SIGINT)
        terminal.read_prompt()
        assert terminal.wait() == 130
    assert terminal.output.endswith("\nThe match is saved. To continue it: liarsdice play --resume\n")
    with LineModeProcess("--resume", home=tmp_path) as terminal:
        assert terminal.play() == "A rematch? [y/N] "


def test_resuming_keeps_the_bots_and_the_humans_seat(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    with LineModeProcess(
        *PLAYED, "--bots", "random,greedy:0.3", "--name", "Tim", "--record", str(record), home=tmp_path
    ) as terminal:
        terminal.play(answers=2)
        terminal.close_input()
        dice = [line for line in terminal.output.splitlines() if line.startswith("Your dice:")][-1]
    with LineModeProcess("--resume", str(record), home=tmp_path) as terminal:
        terminal.read_prompt()
    assert dice.partition(".")[0] in terminal.output
    assert (tmp_path / "match.jsonl.seats").read_text(encoding="utf-8").count("greedy:0.3") == 1
    assert [stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()] == [0o600, 0o600], "they tell the dice"


def test_a_record_without_a_seats_file_can_be_resumed(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    with LineModeProcess(*PLAYED, "--record", str(record), home=tmp_path) as terminal:
        terminal.play(answers=2)
        terminal.close_input()
    (tmp_path / "match.jsonl.seats").unlink()
    with LineModeProcess("--resume", str(record), home=tmp_path) as terminal:
        assert terminal.play() == "A rematch? [y/N] "


def test_a_match_that_is_over_is_not_resumed(finished: bytes, tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    record.write_bytes(finished)
    with LineModeProcess("--resume", str(record), home=tmp_path) as terminal:
        assert terminal.close_input() == 2
    assert "is over" in terminal.output


def test_a_record_is_never_overwritten(finished: bytes, tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    record.write_bytes(finished)
    with LineModeProcess(*PLAYED, "--record", str(record), home=tmp_path) as terminal:
        assert terminal.close_input() == 2
    assert "already exists and is not overwritten" in terminal.output
    assert record.read_bytes() == finished


@pytest.mark.parametrize("room", [0, 40])
def test_a_full_disk_is_reported_and_leaves_no_partial_write(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, room: int
) -> None:
    record, write = tmp_path / "match.jsonl", os.write
    save = SavedMatch.create(record, SEATS, BEGIN)
    before = record.read_bytes()

    def nearly_full(descriptor: int, raw: bytes) -> int:
        """Write as a disk does that has room for a part."""
        if room and record.stat().st_size == len(before):
            return write(descriptor, raw[:room])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", nearly_full)
    with pytest.raises(UnavailableError, match=r"cannot write .*match\.jsonl: No space left"):
        save.append([BEGIN])
    save.close()
    assert record.read_bytes() == before


def test_a_seats_file_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "match.jsonl.seats").mkdir()
    with pytest.raises(UnavailableError, match=r"cannot write .*match\.jsonl\.seats: File exists"):
        SavedMatch.create(tmp_path / "match.jsonl", SEATS, BEGIN)
    (tmp_path / "match.jsonl.seats").rmdir()
    SavedMatch.create(tmp_path / "match.jsonl", SEATS, BEGIN).close()


def test_a_file_that_cannot_be_read_is_no_unfinished_match(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (state_folder() / "folder.jsonl").mkdir(parents=True)
    (state_folder() / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    with pytest.raises(UnavailableError, match="there is no unfinished match in"):
        latest_unfinished()
    waits = state_folder() / "match.jsonl"
    SavedMatch.create(waits, SEATS, BEGIN).close()
    assert latest_unfinished() == waits


def test_a_folder_that_cannot_hold_matches_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "liarsdice").write_bytes(b"")
    with pytest.raises(UnavailableError, match="cannot save matches in"):
        new_path("Perudo")


def test_a_match_can_be_open_in_one_program_only(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    save = SavedMatch.create(record, SEATS, BEGIN)
    try:
        with pytest.raises(UnavailableError, match="in another window"):
            SavedMatch.resume(record)
    finally:
        save.close()


OWN = f"exec:{sys.executable} {Path(__file__).parents[3] / 'examples' / 'bot.py'}"


def test_a_users_bot_plays_and_is_never_started_by_a_file(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    with LineModeProcess(*PLAYED, "--bots", OWN, "--record", str(record), home=tmp_path) as terminal:
        terminal.play(answers=2)
        terminal.close_input()
    assert "fault of" not in terminal.output
    again = ["liarsdice", "play", "--resume", str(record), "--bots", f"{OWN},{OWN}"]
    assert terminal.output.endswith(f"To continue it: {shlex.join(again)}\n")
    before = record.read_bytes()
    with LineModeProcess("--resume", str(record), home=tmp_path) as terminal:
        assert terminal.close_input() == 2
    assert (
        "the match has a bot of your own, and a file must not start one (name the bots again: --bots 'exec:"
        in terminal.output
    )
    assert record.read_bytes() == before
    with LineModeProcess("--resume", str(record), "--bots", OWN, home=tmp_path) as terminal:
        assert terminal.play() == "A rematch? [y/N] "
    assert "fault of" not in terminal.output


def test_a_match_can_be_resumed_with_other_bots(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    with LineModeProcess(*PLAYED, "--bots", "random", "--record", str(record), home=tmp_path) as terminal:
        terminal.play(answers=2)
        terminal.close_input()
    with LineModeProcess("--resume", str(record), "--bots", "nobody", home=tmp_path) as terminal:
        assert terminal.close_input() == 2
    with LineModeProcess("--resume", str(record), "--bots", "threshold,greedy", home=tmp_path) as terminal:
        assert terminal.play() == "A rematch? [y/N] "


EVENTS = play_out(preset("basic").ruleset, {seat: make_bot("inference") for seat in range(3)}, 4).match.events


LINES = write_record(EVENTS, "0.1.0").encode().splitlines(keepends=True)


BROKEN_OFF = b"".join(LINES[:6])
"""The match, the first starter, the first round and its dice, and two bids."""


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
    assert f"! cut from the end of {record}: an incomplete line of 1 byte\n" in terminal.output
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
