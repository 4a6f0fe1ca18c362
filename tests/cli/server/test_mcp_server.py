"""`liarsdice mcp`: what it refuses, and that it says where it is."""

import os
import re
import sys
from pathlib import Path

import pytest

from liarsdice.cli.app import main
from tests.forked_program import ForkedProgram


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["--server", "dice.example"], "--server is a URL"),
        (["--http", "9000"], "--http is HOST:PORT"),
        (["--http", "localhost:99999"], "--http is HOST:PORT"),
        (["--http", "127.0.0.1:0", "--token", "x" * 43], "each agent sends its own"),
        (["--http", "203.0.113.1:80"], "cannot listen"),
    ],
)
def test_what_cannot_be_served_is_refused(
    arguments: list[str], complaint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["liarsdice", "mcp", *arguments])
    with pytest.raises(SystemExit):
        main()
    assert complaint in capsys.readouterr().err


def test_over_http_it_says_where_it_is(tmp_path: Path) -> None:
    program = ForkedProgram(["liarsdice", "mcp", "--http", "127.0.0.1:0"], dict(os.environ), tmp_path / "log")
    try:
        assert re.fullmatch(
            r"The MCP server runs at http://127\.0\.0\.1:\d+/mcp \(Ctrl-C stops it\)\.\n", program.stdout.readline()
        )
        program.terminate()
        assert program.wait(30) is not None
    finally:
        program.close()
