"""A contest on disk: it goes on after a kill, however many processes play, and never mixes with another."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from liarsdice.analysis.arena import Arena, Deal, arena
from liarsdice.analysis.arena_file import Kept
from liarsdice.analysis.parallel import play_deals
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import patched

CONTEST = arena(preset("perudo").ruleset, ["random", "threshold"], seed=9, duplicate=True)
PATIENCE_S = 60


def without_clock(deals: list[Deal]) -> list[Deal]:
    ordered = sorted(deals, key=lambda deal: deal.number)
    return [msgspec.structs.replace(deal, seconds=0.0, times=()) for deal in ordered]


def test_any_number_of_processes_plays_the_same() -> None:
    alone = list(play_deals(CONTEST, range(9)))
    assert without_clock(list(play_deals(CONTEST, range(9), jobs=2))) == without_clock(alone)


def test_ray_plays_the_same() -> None:
    alone = list(play_deals(CONTEST, range(9)))
    assert without_clock(list(play_deals(CONTEST, range(9), ray=True))) == without_clock(alone)


def test_deals_are_kept_and_a_torn_line_is_cut(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    deals = list(play_deals(CONTEST, range(3)))
    with Kept(file, CONTEST, "1") as kept:
        for deal in deals:
            kept.keep(deal)
    whole = file.read_bytes()
    file.write_bytes(whole[:-5])
    with Kept(file, CONTEST, "1") as again:
        assert list(again.deals.values()) == deals[:2]
        again.keep(deals[2])
    assert file.read_bytes() == whole
    file.write_bytes(whole[:20])  # not even the header was written
    with Kept(file, CONTEST, "1") as begun:
        assert begun.deals == {}


def test_a_disk_that_is_nearly_full_tears_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, write = tmp_path / "kept.jsonl", os.write
    (deal,) = play_deals(CONTEST, range(1))

    def full(descriptor: int, raw: bytes) -> int:
        if file.stat().st_size > size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, raw[:9])

    with Kept(file, CONTEST, "1") as kept:
        size = file.stat().st_size
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full)
            with pytest.raises(UnavailableError, match=r"kept\.jsonl: No space left"):
                kept.keep(deal)
        assert kept.deals == {}
        assert file.stat().st_size == size
        kept.keep(deal)
    with Kept(file, CONTEST, "1") as again:
        assert again.deals == {0: deal}


def test_only_one_program_at_a_time_keeps_deals_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    with Kept(file, CONTEST, "1"), pytest.raises(UnavailableError, match=r"another program keeps deals in .* already"):
        Kept(file, CONTEST, "1")
    Kept(file, CONTEST, "1").close()


def test_deals_go_where_they_began_to_wherever_a_bot_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (deal,) = play_deals(CONTEST, range(1))
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    with Kept(Path("kept.jsonl"), CONTEST, "1") as kept:
        os.chdir("there")
        kept.keep(deal)
    with Kept(tmp_path / "kept.jsonl", CONTEST, "1") as again:
        assert again.deals == {0: deal}


@pytest.mark.parametrize(
    "other, differs",
    [
        (msgspec.structs.replace(CONTEST, seed=8), r"seed is 9 there and 8 here \(name another file\)"),
        (
            msgspec.structs.replace(CONTEST, bots=("random", "greedy")),
            "bots is .*threshold.* there and .*greedy",
        ),
        (msgspec.structs.replace(CONTEST, ruleset=patched(CONTEST.ruleset, dice__faces=8)), "ruleset.dice.faces is 6"),
        (arena(preset("mustache").ruleset, ["random", "greedy"], seed=8), r"; and \d+ more \(name"),
    ],
)
def test_another_contest_is_refused_with_what_differs(tmp_path: Path, other: Arena, differs: str) -> None:
    file = tmp_path / "kept.jsonl"
    Kept(file, CONTEST, "1").close()
    before = file.read_bytes()
    with pytest.raises(UnavailableError, match=differs):
        Kept(file, other, "1")
    with pytest.raises(UnavailableError, match="engine is '1' there and '2' here"):
        Kept(file, CONTEST, "2")
    assert file.read_bytes() == before


@pytest.mark.parametrize("text", [b"mine\n", b"mine", b'{"record":"liarsdice_record"}\n', b"\xff\n"])
def test_a_file_that_is_none_stays_as_it_is(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "kept.jsonl"
    file.write_bytes(text)
    with pytest.raises(MalformedError, match="is no arena's file"):
        Kept(file, CONTEST, "1")
    assert file.read_bytes() == text


def test_a_line_that_is_no_deal_is_named(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    Kept(file, CONTEST, "1").close()
    with file.open("ab") as lines:
        lines.write(b"{}\n")
    with pytest.raises(MalformedError, match=r"kept\.jsonl, line 2: "):
        Kept(file, CONTEST, "1")


@pytest.mark.parametrize(
    "changes, complaint",
    [
        ({"number": -1}, "the bots of deal -1 sat otherwise"),
        ({"number": 1 << 40, "matches": []}, "the bots of deal 1099511627776 sat otherwise"),
        ({"seating": [0, 2]}, "the bots of deal 0 sat otherwise"),
        ({"seating": [1]}, "the bots of deal 0 sat otherwise"),
        ({"places": [1, 3]}, r"the places \(1, 3\) are none of a match"),
        ({"places": [0, 1]}, r"the places \(0, 1\) are none"),
        ({"places": [1]}, "a match of 2 has as many places"),
        ({"faults": [0, 0, 0]}, "a match of 2 has as many places and numbers of faults"),
        ({"faults": [0, -1]}, "its rounds or faults cannot be so many"),
        ({"rounds": 0}, "its rounds or faults cannot be so many"),
        ({"rounds": 10**400}, "its rounds or faults cannot be so many"),
        ({"times": [{}]}, "the times are not those of 2 bots"),
        ({"times": [{}, {"99999": 1}]}, "the times are not those of 2 bots"),
        ({"times": [{}, {"8": -1}]}, "the times are not those of 2 bots"),
        ({"seconds": 0}, "a deal takes longer than 0 s"),
        ({"told": ["\udcff"]}, "codec can't decode"),
    ],
)
def test_a_deal_that_was_changed_is_refused_with_its_line(
    tmp_path: Path, changes: dict[str, object], complaint: str
) -> None:
    file = tmp_path / "kept.jsonl"
    (deal,) = play_deals(CONTEST, range(1))
    with Kept(file, CONTEST, "1") as kept:
        kept.keep(deal)
    header, line = file.read_bytes().splitlines()
    told = json.loads(line)
    for key, value in changes.items():
        if key in told:
            told[key] = value
        else:
            told["matches"][0][key] = value
    changed = json.dumps(told, ensure_ascii=False).encode(errors="surrogateescape")
    file.write_bytes(header + b"\n" + changed + b"\n")
    with pytest.raises(MalformedError, match=rf"kept\.jsonl, line 2: .*{complaint}"):
        Kept(file, CONTEST, "1")


def test_a_device_is_refused_and_so_is_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    devices = [path for path in map(Path, ("/dev/full", "/dev/null")) if path.exists()]  # the first is Linux's alone
    for path in (*devices, tmp_path / "pipe"):
        with pytest.raises(UnavailableError, match=f"cannot keep deals in {path}: it is a device or a pipe"):
            Kept(path, CONTEST, "1")


def test_a_file_that_cannot_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="cannot keep deals in"):
        Kept(tmp_path, CONTEST, "1")


def test_a_killed_run_goes_on_and_ends_with_the_same_result(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    words = [sys.executable, "-m", "liarsdice", "arena", "--bots", "inference,threshold,random", "--seats", "3"]
    words += ["--matches", "300", "--seed", "5", "--duplicate", "--json", "-o"]
    running = subprocess.Popen([*words, str(file)], start_new_session=True, stdout=subprocess.DEVNULL)
    until_s = time.monotonic() + PATIENCE_S
    while not file.exists() or file.read_bytes().count(b"\n") < 4:
        assert running.poll() is None
        assert time.monotonic() < until_s
        time.sleep(0.005)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    finished = file.read_bytes().rpartition(b"\n")[0]
    assert 3 <= finished.count(b"\n") < 100
    results = []
    for out in (file, tmp_path / "whole.jsonl"):
        told = subprocess.run([*words, str(out), "--jobs", "2"], check=True, capture_output=True).stdout
        result = msgspec.json.decode(told, type=dict[str, object])
        del result["matches_per_s"]
        standings = msgspec.convert(result.pop("standings"), list[dict[str, object]])
        results.append((result, [{k: v for k, v in one.items() if not k.endswith("_ms")} for one in standings]))
    assert results[0] == results[1]
    assert file.read_bytes().startswith(finished)
