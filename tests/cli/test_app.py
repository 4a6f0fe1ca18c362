"""The command line as a whole: the order of its commands and its help."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from liarsdice.cli.app import COMMAND_ORDER, app
from liarsdice.cli.arguments import (
    THREAD_VARIABLES,
    default_dice,
    read_file,
    read_numbers,
    require_biddable,
    use_one_thread,
)
from liarsdice.core.errors import IllegalActionError, MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from tests.cli.run_cli import error_line, run_captured, run_cli


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, terminal_width=80)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_help_lists_commands_for_players_first() -> None:
    listed = re.findall(r"^  ([a-z]+)  ", printed("--help").partition("Commands:")[2], re.MULTILINE)
    first = ["play", "serve", "rules", "chart", "odds", "explain", "solve", "strategy"]
    later = ["bots", "replay", "review", "coach", "puzzles", "verify", "mcp", "admin", "scenarios"]
    assert listed == [*first, *later, "simulate", "evaluate", "arena", "train"]


def test_the_help_of_no_command_is_drawn_in_boxes() -> None:
    commands = [typer.main.get_command(app)]
    for command in commands:
        assert getattr(command, "rich_markup_mode", None) is None, command.name
        commands += getattr(command, "commands", {}).values()
    assert len(commands) > 30


@pytest.mark.parametrize(
    "command, sentence",
    [
        ("play --seats four", "'--seats': write a whole number, not 'four'"),
        ("solve --target low", "'--target': write a number, not 'low'"),
        ("solve --threads 0", "'--threads': write a number from 1 up, not 0"),
        ("puzzles make -o x --count 100001", "'--count': write a number up to 100,000, not 100001"),
        ("rules show perudo --format pdf", "'--format': 'pdf' is not one of 'text', "),
        ("rules lab perudo --change dice.faces=six", "dice.faces must be a whole number, not text"),
        (
            "rules lab perudo --change exact_call.budget=two",
            "exact_call.budget must be a whole number or none, not text",
        ),
    ],
)
def test_a_value_that_an_option_cannot_have_is_refused_with_what_to_write(command: str, sentence: str) -> None:
    status, _, error = run_captured(*command.split())
    assert (status, sentence in error) == (2, True), error


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


@pytest.mark.parametrize("command", ["replay", "scenarios"])
def test_a_file_of_a_terabyte_is_not_read_to_its_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with Path("huge").open("wb") as file:
        file.truncate(2**40)  # a hole, which takes no room on the disk
    assert "huge is longer than" in error_line(command, "huge")


def test_numbers_are_separated_by_commas() -> None:
    assert read_numbers("", "--hand", "1,4") == ()
    assert read_numbers(" 1, 4,12", "--hand", "1,4") == (1, 4, 12)


@pytest.mark.parametrize("text", ["1,,2", "1;2", "-1", "²", "12345"])
def test_anything_but_numbers_is_refused_with_the_option_and_an_example(text: str) -> None:
    with pytest.raises(MalformedError, match=r"cannot read --hand .* such as 1,4\)"):
        read_numbers(text, "--hand", "1,4")


def test_the_dice_of_three_full_hands_are_the_default_up_to_the_limit() -> None:
    perudo = preset("perudo").ruleset
    assert default_dice(perudo, 100) == 15
    assert default_dice(perudo, 10) == 10


def test_a_face_that_may_not_be_bid_is_refused_by_name() -> None:
    pirates = preset("pirates").ruleset
    require_biddable(Bid(3, 2), pirates, "pirates")
    with pytest.raises(IllegalActionError, match=r"3x1 is no bid in pirates: face 1 may not be bid"):
        require_biddable(Bid(3, 1), pirates, "pirates")


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert read_file(str(file), 5) == b"12345"
    with pytest.raises(MalformedError, match="is longer than 4 bytes"):
        read_file(str(file), 4)
    with pytest.raises(UnavailableError, match=r"cannot read .*: No such file"):
        read_file(str(tmp_path / "missing"), 5)


@pytest.fixture(autouse=True)
def _no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in THREAD_VARIABLES:
        monkeypatch.setenv(name, "")  # so that it is as before in the end
        monkeypatch.delenv(name)


def thread_settings() -> list[str | None]:
    return [os.environ.get(name) for name in THREAD_VARIABLES]


def test_one_thread_is_used_unless_the_environment_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    use_one_thread()
    assert thread_settings() == ["1", None]
    monkeypatch.delenv(THREAD_VARIABLES[0])
    monkeypatch.setenv(THREAD_VARIABLES[1], "2")
    use_one_thread()
    assert thread_settings() == [None, "2"]


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
def test_commands_that_review_use_one_thread(command: tuple[str, ...]) -> None:
    assert run_cli(*command)
    assert thread_settings() == ["1", None]


def test_numpy_is_not_loaded_before_a_command_says_so() -> None:
    code = "import sys, liarsdice.cli.app; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
