"""`liarsdice play` as a command: its options, its refusals and what it prints at the end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.play.line_mode_process import PATIENCE_S, LineModeProcess


def test_the_end_of_the_input_saves_the_match_and_says_how_to_resume(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "1", home=tmp_path) as terminal:
        terminal.play(answers=2)
        assert terminal.close_input() == 0
        assert terminal.output.endswith("The match is saved. To continue it: liarsdice play --resume\n")


def test_a_closed_output_ends_the_program_without_a_traceback(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "1", "--rules", "chart", "--seats", "2", home=tmp_path) as terminal:
        terminal.read_prompt()
        terminal.process.stdout.close()
        terminal.send("help")
        assert terminal.wait() == 1


def test_a_rematch_has_a_record_of_its_own(tmp_path: Path) -> None:
    record = tmp_path / "tonight.jsonl"
    options = ("--seed", "1", "--rules", "openspiel", "--seats", "2", "--record", str(record))
    with LineModeProcess(*options, home=tmp_path) as terminal:
        terminal.play()
        terminal.send("y")
        terminal.play()
        terminal.send("n")
        assert terminal.close_input() == 0
    assert record.exists()
    assert (tmp_path / "tonight-2.jsonl").exists()


def test_the_same_seed_deals_the_same_dice(tmp_path: Path) -> None:
    heard = []
    for _ in range(2):
        with LineModeProcess("--seed", "4", "--rules", "chart", home=tmp_path) as terminal:
            terminal.play(answers=3)
            heard.append(terminal.output.partition("To see the match on one line")[0])
    assert heard[0] == heard[1]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--rules", "nonsense"], "no ruleset is called 'nonsense'"),
        (["--rules", "house.toml", "--seats", "9"], "seats 3 to 7 players, not 9"),
        (["--seats", "40"], "a table has at most 16 seats, not 40"),
        (["--bots", "nobody"], "no bot is called 'nobody'"),
        (["some.jsonl"], "liarsdice play --resume some.jsonl"),
        (["--resume", "--seed", "1"], "--resume continues the match as it is; leave out --seed"),
        (["--resume"], "there is no unfinished match in"),
        (["--resume", "missing.jsonl"], "cannot open missing.jsonl"),
        (["--record", "/nowhere/at/all.jsonl"], "cannot open /nowhere/at/all.jsonl"),
        (["--name", "Ann\x07"], "printable characters"),
        (["--name", "you"], "a player cannot be called 'you'"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(arguments: list[str], message: str, tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text("players = { min = 3, max = 7 }", encoding="utf-8")
    arguments = [str(house) if argument == "house.toml" else argument for argument in arguments]
    with LineModeProcess(*arguments, home=tmp_path) as terminal:
        assert terminal.close_input() == 2
    assert message in terminal.output
    assert terminal.output.count("\n") == 1


def test_help_is_shown_without_loading_a_screen() -> None:
    script = "import sys; from liarsdice.cli.app import app; sys.exit(bool({'textual', 'rich'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=PATIENCE_S).returncode == 0
