"""Runs a command in this process as its entry point runs it."""

import sys
from pathlib import Path

import pytest

from liarsdice.cli.app import main


def run_cli(monkeypatch: pytest.MonkeyPatch, command: str, *arguments: str | Path) -> int | str | None:
    """Run a command and return its exit status."""
    monkeypatch.setattr(sys, "argv", ["liarsdice", command, *map(str, arguments)])
    with pytest.raises(SystemExit) as caught:
        main()
    return caught.value.code


def run_captured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str, *arguments: str | Path
) -> tuple[int | str | None, str, str]:
    """Run a command and return its exit status, its stdout and its stderr."""
    status = run_cli(monkeypatch, command, *arguments)
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def error_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must be refused with status 2 and return its error, which must be one short line."""
    status, _, error = run_captured(monkeypatch, capsys, *arguments)
    assert status == 2
    assert error.count("\n") == 1
    assert len(error) < 250
    return error
