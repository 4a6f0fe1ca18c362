"""`liarsdice arena`, as it is run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.bots.external.process_checks import FAULTY_BOT, PATIENCE_S, has_ended, noted_pids, parent_of
from tests.cli.run_cli import run_cli


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        ((), "name the bots: --bots A,B or --subject A --opponents B"),
        (("--subject", "random"), "name the bots"),
        (("--bots", "random,greedy", "--subject", "random", "--opponents", "greedy"), "name the bots"),
        (("--bots", "random"), "needs at least two bots"),
        (("--bots", "random,nobody"), "no bot is called 'nobody'"),
        (("--bots", "random,greedy", "--rules", "poker"), "no ruleset is called 'poker'"),
        (("--bots", "random,greedy", "--seats", "1"), "2 to 100 seats, not 1"),
        (("--bots", "random,greedy", "-o", "/"), "cannot keep deals in /"),
        (("--bots", "random,greedy", "--matches", "10000001"), "--matches is 10,000,000 at most, not 10000001"),
    ],
)
def test_what_cannot_be_played_is_one_line_and_status_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], complaint: str
) -> None:
    assert run_cli(monkeypatch, "arena", *arguments) == 2
    printed = capsys.readouterr()
    assert complaint in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


@pytest.mark.parametrize(
    "sent, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGKILL, -9)]
)
@pytest.mark.parametrize("to_all", [True, False])
def test_no_process_outlives_a_run_that_is_stopped(
    sent: signal.Signals, status: int, to_all: bool, tmp_path: Path
) -> None:
    mode = "good" if to_all else "deaf"  # one that is stuck is ended by the workers, and these by the run or its end
    notes = tmp_path / "notes"
    with running(
        "--jobs", "2", "--bots", f"exec[600s]:{sys.executable} -I -S {FAULTY_BOT} {mode} {notes},threshold"
    ) as run:
        wait_until(run, notes, *(("left", 3) if to_all else ("hello", 2)))
        workers = [
            int(folder.name) for folder in Path("/proc").glob("[0-9]*") if parent_of(int(folder.name)) == run.pid
        ]
        assert len(workers) >= 2
        os.kill(-run.pid if to_all else run.pid, sent)
        output, _ = run.communicate(timeout=PATIENCE_S)
        assert run.returncode == status
        assert all(has_ended(pid) for pid in [*workers, *noted_pids(notes)])
        assert (b"% (" in output) is (to_all and sent is not signal.SIGKILL)


@pytest.mark.parametrize("sent, status", [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
@pytest.mark.parametrize("command", ["arena", "simulate"])
def test_no_bot_outlives_one_process_that_is_ended(
    command: str, sent: signal.Signals, status: int, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    spec = f"exec[600s]:{sys.executable} -I -S {FAULTY_BOT} deaf {notes}"
    with running("--bots", f"{spec},threshold", command=command) as run:
        wait_until(run, notes, "hello", 1)
        run.send_signal(sent)
        if sent is signal.SIGHUP:
            run.send_signal(sent)  # a terminal that closes tells it twice
        run.communicate(timeout=PATIENCE_S)
        assert run.returncode == status
        assert all(has_ended(pid) for pid in noted_pids(notes))


WANDERS = """
import os
from liarsdice.bots.simple.simple_bots import Threshold
os.chdir("data")
class Wanderer:
    def act(self, view):
        os.chdir("data")
        return Threshold(0.4).act(view)
def bot(seed):
    os.chdir("data")
    return Wanderer()
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_bot_that_changes_folders_changes_nothing_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], jobs: str, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "wanders.py").write_text(WANDERS, encoding="utf-8")
    asked = ("--bots", "python:wanders.py:bot,threshold", "--matches", "6", "--jobs", jobs, "-o", "kept.jsonl")
    assert run_cli(monkeypatch, "arena", *asked) == 0
    assert "fault of" not in capsys.readouterr().err
    header, *deals = (tmp_path / "kept.jsonl").read_bytes().splitlines()
    assert b"wanders.py" in header.partition(b'"files":')[2]
    assert len(deals) == 6


DIES = """
import os
def bot(seed):
    return bot
def act(view):
    os._exit(0)
bot.act = act
"""


def test_a_lost_worker_process_is_reported_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "dies.py").write_text(DIES, encoding="utf-8")
    with running("--bots", f"python:{tmp_path / 'dies.py'}:bot,threshold", "--jobs", "2") as run:
        out, complaint = run.communicate(timeout=PATIENCE_S)
        assert (run.returncode, out) == (2, b"")
        assert complaint.startswith(b"liarsdice: a worker process was killed, ")
        assert complaint.endswith(b"with -o the finished deals are saved, and the same command continues\n")
        assert complaint.count(b"\n") == 1


@contextmanager
def running(
    *arguments: str, command: str = "arena", program: Iterable[str] = ("-m", "liarsdice")
) -> Iterator[subprocess.Popen[bytes]]:
    """A run of very many matches in a process of its own, which is ended at the end of the block."""
    words = [sys.executable, *program, command, "--matches", "100000", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, start_new_session=True, stdin=pipe, stdout=pipe, stderr=pipe) as run:
        try:
            yield run
        finally:
            with suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)


def wait_until(run: subprocess.Popen[bytes], notes: Path, noted: str, count: int) -> None:
    """Wait until the bots have noted something so many times."""
    until_s = time.monotonic() + PATIENCE_S
    while not notes.exists() or notes.read_text(encoding="utf-8").split().count(noted) < count:
        assert run.poll() is None
        assert time.monotonic() < until_s
        time.sleep(0.005)
