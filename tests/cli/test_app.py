"""The command line as a whole: the order of its commands and its help."""

from __future__ import annotations

import re

import pytest
import typer
from typer.testing import CliRunner

from liarsdice.cli.app import COMMAND_ORDER, app


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, terminal_width=80)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_help_lists_commands_for_players_first() -> None:
    listed = re.findall(r"^  ([a-z]+)  ", printed("--help").partition("Commands:")[2], re.MULTILINE)
    first = ["play", "serve", "rules", "chart", "odds", "explain", "solve", "strategy"]
    later = ["bots", "replay", "review", "coach", "puzzles", "verify", "mcp", "admin", "scenarios"]
    assert listed == [*first, *later, "simulate", "evaluate", "arena", "train"]


def test_without_the_lab_the_game_has_all_its_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("liarsdice.cli.app.plugins", lambda _: {})
    command = typer.main.get_command(app)
    assert tuple(getattr(command, "commands", ())) == COMMAND_ORDER


def test_a_plugin_that_cannot_be_loaded_is_told_and_the_others_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("liarsdice.cli.app.plugins", lambda _: {"plugin:broken": "broken 1.0", "plugin:lab": "lab 1.0"})
    command = typer.main.get_command(app)
    assert {"play", "train"} <= set(getattr(command, "commands", ()))
    assert "no installed package has plugin:broken" in capsys.readouterr().err


def test_the_help_of_play_says_where_matches_are_saved() -> None:
    help_ = " ".join(printed("play", "--help").split())
    assert "$XDG_STATE_HOME/liarsdice/matches" in help_
    assert "~/.local/state/liarsdice/matches" in help_
