"""A command run in this process as its entry point runs it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from liarsdice.cli.app import main


def status(monkeypatch: pytest.MonkeyPatch, command: str, *arguments: str | Path) -> int | str | None:
    """Run a command; its exit status."""
    monkeypatch.setattr(sys, "argv", ["liarsdice", command, *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code
