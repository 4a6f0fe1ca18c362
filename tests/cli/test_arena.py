"""`liarsdice arena`, as it is run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from liarsdice.analysis.arena import Arena, Deal, play_deal
from tests.bots.leftovers import PATIENCE_S, ROGUE, gone, pids
from tests.cli.ended import status


def test_a_table_tells_how_strong_each_bot_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        status(
            monkeypatch, "arena", "--bots", "inference,random,greedy", "--matches", "10", "--seed", "4", "--duplicate"
        )
        == 0
    )
    printed = capsys.readouterr()
    head, means, _, columns, *rows = printed.out.splitlines()
    assert head == "Perudo, 3 seats, 12 matches, 4 deals, each played from every seat, seed 4"
    assert "rounds a match" in means
    assert columns.split() == ["bot", "win", "share", "(95%)", "fair", "place", "median", "p99", "faults", "rating"]
    assert [row.split()[0] for row in rows[:3]] == ["inference", "random", "greedy"]
    assert all("33.3%" in row and " ms" in row and "±" in row for row in rows[:3])
    assert rows[4].split() == ["place", "1", "2", "3"]
    assert printed.err == ""


def test_a_subject_is_measured_among_a_field(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--subject", "inference", "--field", "threshold:0.4", "--seats", "4", "--matches", "8", "--json")
    assert status(monkeypatch, "arena", *asked) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["subject"], told["matches"], told["deals"], told["ratings"]) == ("inference", 8, 8, [])
    subject, field = told["standings"]
    assert (subject["seats"], field["seats"]) == (8, 24)
    assert subject["wins"] + field["wins"] == 8
    assert sum(subject["place_shares"]) == pytest.approx(1)
    low, high = subject["win_share_95"]
    assert 0 <= low <= subject["win_share"] <= high <= 1


def test_a_run_goes_on_from_its_file_and_may_be_made_longer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = ("--bots", "threshold,random", "--seed", "3", "-o", str(tmp_path / "kept.jsonl"), "--json")
    assert status(monkeypatch, "arena", *asked, "--matches", "6") == 0
    six = capsys.readouterr().out
    assert status(monkeypatch, "arena", *asked, "--matches", "9") == 0
    capsys.readouterr()
    assert len((tmp_path / "kept.jsonl").read_bytes().splitlines()) == 10
    monkeypatch.setattr("liarsdice.analysis.spread.play_deal", None)  # nothing is left to do
    assert status(monkeypatch, "arena", *asked, "--matches", "6") == 0
    assert capsys.readouterr().out == six


def test_ctrl_c_prints_and_keeps_what_was_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def interrupted(contest: Arena, numbers: Iterable[int], **_: Any) -> Iterator[Deal]:  # noqa: ANN401  as it is asked
        for number in numbers:
            if number == 3:
                raise KeyboardInterrupt
            yield play_deal(contest, number)

    monkeypatch.setattr("liarsdice.cli.arena_report.play_deals", interrupted)
    assert status(monkeypatch, "arena", "--bots", "threshold,random", "-o", str(tmp_path / "kept.jsonl")) == 130
    printed = capsys.readouterr()
    assert printed.out.startswith("Perudo, 2 seats, 3 matches, seed 0\n")
    assert "stopped after 3 of 1000 deals" in printed.err
    assert len((tmp_path / "kept.jsonl").read_bytes().splitlines()) == 4


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        ((), "name the bots: --bots A,B or --subject A --field B"),
        (("--subject", "random"), "name the bots"),
        (("--bots", "random,greedy", "--subject", "random", "--field", "greedy"), "name the bots"),
        (("--bots", "random"), "needs the names of two bots"),
        (("--bots", "random,nobody"), "no bot is called 'nobody'"),
        (("--bots", "random,greedy", "--rules", "poker"), "no ruleset is called 'poker'"),
        (("--bots", "random,greedy", "--seats", "1"), "2 to 100 seats, not 1"),
        (("--bots", "random,greedy", "-o", "/"), "cannot keep deals in /"),
    ],
)
def test_what_cannot_be_played_is_one_line_and_status_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], complaint: str
) -> None:
    assert status(monkeypatch, "arena", *arguments) == 2
    printed = capsys.readouterr()
    assert complaint in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


@pytest.mark.parametrize("sent, status", [(signal.SIGINT, 130), (signal.SIGTERM, -15), (signal.SIGKILL, -9)])
def test_no_bot_outlives_a_run_that_is_stopped(sent: signal.Signals, status: int, tmp_path: Path) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs tests in the background may have it ignored
    notes = tmp_path / "notes"
    spec = f"exec:{sys.executable} -I -S {ROGUE} good {notes}"
    words = [sys.executable, "-m", "liarsdice", "arena", "--bots", f"{spec},threshold", "--matches", "100000"]
    running = subprocess.Popen([*words, "--jobs", "2"], start_new_session=True, stdout=subprocess.PIPE)
    until_s = time.monotonic() + PATIENCE_S
    while not notes.exists() or notes.read_text(encoding="utf-8").count("left") < 3:
        assert running.poll() is None
        assert time.monotonic() < until_s
        time.sleep(0.005)
    os.killpg(running.pid, sent)
    told, _ = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == status
    assert all(gone(pid) for pid in pids(notes))
    assert (b"% (" in told) is (sent is signal.SIGINT)
