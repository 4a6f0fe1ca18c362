"""A subprocess is ended even if a signal interrupts its start or its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from liarsdice.bots.external.line_process import LineProcess
from liarsdice.runtime.processes import TerminatedError, stoppable
from tests.bots.external.process_checks import FAULTY_BOT, PATIENCE_S, has_ended


def test_a_process_whose_start_is_interrupted_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    start, pids = subprocess.Popen, []

    def interrupted(*words: Any, **options: Any) -> subprocess.Popen[bytes]:  # noqa: ANN401  whatever it is given
        process = start(*words, **options)
        pids.append(process.pid)
        os.kill(os.getpid(), signal.SIGTERM)
        return process

    monkeypatch.setattr(subprocess, "Popen", interrupted)
    with pytest.raises(TerminatedError), stoppable():
        LineProcess([sys.executable, "-I", "-S", str(FAULTY_BOT), "mute"])
    assert has_ended(*pids)


INTERRUPTED_END = """
import os, sys
from liarsdice.bots.external.line_process import LineProcess
process, kill = LineProcess(sys.argv[1:]), os.killpg
def interrupted(*_):
    os.killpg = kill
    raise KeyboardInterrupt
os.killpg = interrupted
try:
    process.end()
except KeyboardInterrupt:
    print(process.pid)
"""


def test_a_process_whose_end_is_interrupted_is_ended_with_the_program() -> None:
    words = [sys.executable, "-c", INTERRUPTED_END, sys.executable, "-I", "-S", str(FAULTY_BOT), "mute"]
    pid = int(subprocess.run(words, stdout=subprocess.PIPE, timeout=PATIENCE_S, check=True).stdout)
    assert has_ended(pid)
