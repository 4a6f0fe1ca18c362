"""Commands with many small products use one thread, unless the user wants more."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from liarsdice.runtime.blas_threads import THREAD_VARIABLES, use_one_thread
from tests.cli.run_cli import run_cli


@pytest.fixture(autouse=True)
def _no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in THREAD_VARIABLES:
        monkeypatch.setenv(name, "")  # so that it is as before in the end
        monkeypatch.delenv(name)


def settings() -> list[str | None]:
    return [os.environ.get(name) for name in THREAD_VARIABLES]


def test_one_thread_is_used_unless_the_environment_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    use_one_thread()
    assert settings() == ["1", None]
    monkeypatch.delenv(THREAD_VARIABLES[0])
    monkeypatch.setenv(THREAD_VARIABLES[1], "2")
    use_one_thread()
    assert settings() == [None, "2"]


@pytest.mark.parametrize(
    "command",
    [
        ("review", "missing.jsonl"),
        ("coach", "missing.jsonl"),
        ("puzzles", "make", "--output", "missing/puzzles.jsonl", "--rules", "no-game"),
        ("serve", "--port", "no port"),
    ],
    ids=lambda command: command[0],
)
def test_commands_that_review_use_one_thread(monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]) -> None:
    assert run_cli(monkeypatch, *command)
    assert settings() == ["1", None]


def test_numpy_is_not_loaded_before_a_command_says_so() -> None:
    code = "import sys, liarsdice.cli.app, liarsdice.runtime.blas_threads; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
