"""Runs a command in this process as its entry point runs it."""

import sys
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from unittest.mock import patch

import pytest

from liarsdice.cli.app import main


def run_cli(command: str, *arguments: str | Path) -> int | str | None:
    """Run a command and return its exit status."""
    with patch.object(sys, "argv", ["liarsdice", command, *map(str, arguments)]), pytest.raises(SystemExit) as caught:
        main()
    return caught.value.code


def run_captured(command: str, *arguments: str | Path) -> tuple[int | str | None, str, str]:
    """Run a command and return its exit status, its stdout and its stderr."""
    out, err = BytesIO(), BytesIO()
    with (
        TextIOWrapper(out, "utf-8", newline="", write_through=True) as stdout,
        TextIOWrapper(err, "utf-8", newline="", write_through=True) as stderr,
    ):
        with redirect_stdout(stdout), redirect_stderr(stderr):
            status = run_cli(command, *arguments)
        return status, out.getvalue().decode(), err.getvalue().decode()


def output_of(command: str, *arguments: str | Path) -> str:
    """Run a command that must succeed and return its stdout."""
    status, out, error = run_captured(command, *arguments)
    assert status == 0, error
    return out


def error_line(command: str, *arguments: str | Path) -> str:
    """Run a command that must be refused with status 2 and return its error, which must be one short line."""
    status, _, error = run_captured(command, *arguments)
    assert status == 2
    assert error.count("\n") == 1
    assert len(error) < 250
    return error
