"""`liarsdice mcp`: what it refuses, and that it says where it is."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from liarsdice.cli.app import main
from liarsdice.runtime.public_api import install_command
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


SLICE = """
import sys
sys.modules.update(dict.fromkeys(["numba", "numpy", "rich", "textual", "litestar", "openskill", "precis_i18n"]))
import liarsdice.mcp.server
sys.argv = ["liarsdice", "mcp", "--server", "nowhere"]
from liarsdice.__main__ import main
main()
"""


def test_the_extra_of_its_own_is_enough() -> None:
    ended = subprocess.run([sys.executable, "-c", SLICE], capture_output=True, text=True, check=False)
    assert ended.stderr.startswith("liarsdice: --server is a URL")


def test_without_the_extra_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['mcp'] = None; sys.argv = ['liarsdice', 'mcp'];"
        " from liarsdice.__main__ import main; main()"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (
        2,
        f"liarsdice: the MCP server needs the package mcp: {install_command('mcp')}\n",
    )


PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
INTERRUPTED = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = ["liarsdice", "mcp"]
from liarsdice.__main__ import main
main()
"""


def test_ctrl_c_ends_it_although_standard_input_is_open() -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(PING)
        program.stdin.flush()
        assert b'"id":1' in program.stdout.readline(), "it has begun to serve"
        program.send_signal(signal.SIGINT)
        assert program.wait(30) == -signal.SIGINT
