"""The command line as a whole: the order of its commands and its help."""

from __future__ import annotations

import re

import typer
from typer.testing import CliRunner

from liarsdice.cli.app import COMMAND_ORDER, app


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, terminal_width=80)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_help_lists_commands_for_players_first() -> None:
    listed = re.findall(r"^  ([a-z]+)  ", printed("--help").partition("Commands:")[2], re.MULTILINE)
    first = ["play", "serve", "rules", "chart", "odds", "explain", "solve", "strategy", "simulate"]
    later = ["arena", "evaluate", "train"]
    assert listed == [
        *first,
        *later,
        "bots",
        "replay",
        "review",
        "coach",
        "puzzles",
        "verify",
        "mcp",
        "admin",
        "scenarios",
    ]


def test_the_order_of_the_help_has_every_command() -> None:
    command = typer.main.get_command(app)
    assert tuple(getattr(command, "commands", ())) == COMMAND_ORDER


def test_the_help_of_play_says_where_matches_are_saved() -> None:
    help_ = " ".join(printed("play", "--help").split())
    assert "$XDG_STATE_HOME/liarsdice/matches" in help_
    assert "~/.local/state/liarsdice/matches" in help_
