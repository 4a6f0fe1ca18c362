"""Stop signals end an arena and a simulation at every moment, with the exit status of the signal."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from liarsdice.cli.app import main
from tests.bots.external.process_checks import FAULTY_BOT, PATIENCE_S, has_ended, noted_pids
from tests.cli.run_cli import run_captured
from tests.lab.cli.test_arena import running, wait_until

UNINTERRUPTED = """
import signal, sys, threading
from liarsdice.cli.app import main
def deliver():
    sys.stdin.readline()
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
threading.Thread(target=deliver, daemon=True).start()
main()
"""
"""A run that sends SIGTERM to one of its own threads, so that no system call of the main thread is interrupted."""


@pytest.mark.parametrize(
    "command, options", [("arena", ("--jobs", "1")), ("arena", ("--jobs", "2")), ("simulate", ())], ids=str
)
def test_a_signal_that_interrupts_no_system_call_stops_a_run(
    command: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    spec = f"exec[600s]:{sys.executable} -I -S {FAULTY_BOT} hang {notes}"
    with running("--bots", f"{spec},threshold", *options, command=command, program=("-c", UNINTERRUPTED)) as run:
        wait_until(run, notes, "view", 2 if "2" in options else 1)
        run.communicate(b"go\n", timeout=PATIENCE_S)
        assert run.returncode == 143
        assert all(has_ended(pid) for pid in noted_pids(notes))


INTERRUPTED_WAIT = """
import os, signal, threading
from liarsdice.runtime import processes
from liarsdice.cli.app import main
enter, wait = threading.Condition.__enter__, processes.wait
def interrupted_enter(condition):
    held = enter(condition)
    if threading.current_thread() is threading.main_thread():
        threading.Condition.__enter__ = enter
        os.kill(os.getpid(), signal.SIGTERM)
    return held
def interrupted_wait(*futures, **options):
    threading.Condition.__enter__ = interrupted_enter
    return wait(*futures, **options)
processes.wait = interrupted_wait
main()
"""
"""A run that receives SIGTERM while it waits for its workers and holds a lock."""


def test_a_signal_that_arrives_while_a_lock_is_held_stops_a_run() -> None:
    with running("--jobs", "2", "--bots", "threshold,random", program=("-c", INTERRUPTED_WAIT)) as run:
        run.communicate(timeout=PATIENCE_S)
        assert run.returncode == 143


@pytest.mark.parametrize("command", ["arena", "simulate"])
def test_a_signal_that_arrives_while_the_handlers_are_set_has_its_own_exit_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    set_handler = signal.signal

    def interrupted(number: int, handler: Any) -> Any:  # noqa: ANN401  as typeshed has it
        before = set_handler(number, handler)
        if number == signal.SIGTERM:
            monkeypatch.undo()
            os.kill(os.getpid(), signal.SIGTERM)
        return before

    monkeypatch.setattr(sys, "argv", ["liarsdice", command, "--bots", "threshold,random"])
    monkeypatch.setattr(signal, "signal", interrupted)
    with pytest.raises(SystemExit) as result:
        main()
    assert result.value.code == 143
    assert "stopped after 0 of " in capsys.readouterr().err


SWALLOWS = """
import os, signal
from liarsdice.bots.simple.simple_bots import Threshold
class Swallower:
    def act(self, view):
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except BaseException:
            pass
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough
        return Threshold(0.4).act(view)
def bot(seed):
    return Swallower()
"""


@pytest.mark.parametrize("command", ["arena", "simulate"])
def test_a_signal_that_a_bot_swallows_stops_a_run(command: str, tmp_path: Path) -> None:
    (tmp_path / "swallows.py").write_text(SWALLOWS, encoding="utf-8")
    bots = f"python:{tmp_path / 'swallows.py'}:bot,threshold"
    status, _, error = run_captured(command, "--bots", bots, "--matches", "3")
    assert status == 143
    assert "stopped after 1 of 3 " in error
