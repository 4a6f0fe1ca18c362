"""`liarsdice bots`."""

from __future__ import annotations

from typer.testing import CliRunner

from liarsdice.bots.external.user_bots import USER_BOT_FORMS
from liarsdice.bots.registry import bot_descriptions
from liarsdice.cli.app import app


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, terminal_width=80)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_bots_are_listed_with_their_descriptions() -> None:
    output = printed("bots")
    assert all(len(line) <= 80 for line in output.splitlines())
    known = {**bot_descriptions(), **USER_BOT_FORMS}
    assert [line.split()[0] for line in output.splitlines() if line[0] != " "] == list(known)
    assert " ".join(output.split()) == " ".join(f"{name} {about}" for name, about in known.items())
