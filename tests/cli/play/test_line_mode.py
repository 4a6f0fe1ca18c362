"""Line mode, played through a pipe."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from liarsdice.cli.play.line_mode import call_words, wrap_line
from liarsdice.core.rules.presets import preset, preset_names
from tests.cli.play.line_mode_process import LineModeProcess

ESCAPE = "\x1b"


@pytest.mark.parametrize("rules", [*preset_names(), "classic+aces+palifico+calza+reversa"])
def test_a_whole_match_can_be_played_by_every_preset(rules: str, tmp_path: Path) -> None:
    with LineModeProcess("--rules", rules, "--seed", "7", "--seats", "3", home=tmp_path) as terminal:
        assert terminal.play() == "A rematch? [y/N] "
        assert terminal.close_input() == 0
    assert "1. " in terminal.output
    assert "Traceback" not in terminal.output
    assert ESCAPE not in terminal.output
    assert len(list(tmp_path.rglob("*.jsonl"))) == 1


def test_an_illegal_move_is_explained_and_asked_for_again(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "1", "--rules", "chart", "--seats", "2", home=tmp_path) as terminal:
        assert terminal.read_prompt() == "your move> "
        for wrong in ("9x9", "banana", "exact", "clockwise"):
            terminal.send(wrong)
            assert terminal.read_prompt() == "your move> "
    assert "names face 9, but the dice have faces 1 to 6" in terminal.output
    assert "cannot read 'banana'" in terminal.output
    assert "these rules have no exact call" in terminal.output
    assert "these rules do not let a player choose the direction" in terminal.output


def test_bytes_that_are_no_text_are_refused_like_other_input(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "1", "--rules", "chart", "--seats", "2", home=tmp_path) as terminal:
        terminal.read_prompt()
        terminal.process.stdin.write(b"\xff\xfe\x00\n")
        terminal.process.stdin.flush()
        assert terminal.read_prompt() == "your move> "
    assert "! cannot read" in terminal.output


def test_the_words_of_the_rules_are_calls(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "3", "--rules", "perudo", "--seats", "2", home=tmp_path) as terminal:
        terminal.play(answers=1)
        for _ in range(20):
            if "dudo (liar)" in terminal.output[terminal.output.rindex("Your dice:") :]:
                break
            terminal.play(answers=1)
        terminal.send("dudo!")
        terminal.read_prompt()
    assert "You call: “Dudo!”" in terminal.output
    assert "dudo (liar)" in terminal.output


@pytest.mark.parametrize(
    "rules, words",
    [("mustache", ["liar", "that's a lie", "j'accuse"]), ("official", ["liar", "open"]), ("perudo", ["dudo"])],
)
def test_every_word_that_a_rule_sheet_names_for_the_challenge_is_understood(rules: str, words: list[str]) -> None:
    known = call_words(preset(rules).ruleset)
    assert [known[word] for word in words] == ["liar"] * len(words)


def test_open_is_a_kind_of_round_where_openers_choose_it() -> None:
    known = call_words(preset("perudo+obligo-chosen").ruleset)
    assert "open" not in known
    assert known["dudo"] == known["liar"] == "liar"


def test_input_that_cannot_be_read_is_answered_with_the_moves_of_these_rules(tmp_path: Path) -> None:
    for rules, known in (("perudo", "dudo (liar), calza (exact))"), ("chart", "5x4 for five fours, liar)")):
        with LineModeProcess("--seed", "3", "--rules", rules, "--seats", "2", home=tmp_path / rules) as terminal:
            terminal.play(answers=1)
            terminal.send("banana")
            terminal.read_prompt()
        assert "! cannot read 'banana' (write 5x4 for five fours, " in terminal.output
        assert known in terminal.output


def test_each_round_starts_with_the_dice_of_all_players_and_the_match_ends_with_its_file(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "7", "--rules", "openspiel", "--seats", "2", home=tmp_path) as terminal:
        terminal.play()
    assert terminal.output.count("1x3+ stands for one three") == 1
    assert terminal.output.count("\nRound ") == terminal.output.count("\nDice: You ")
    (record,) = tmp_path.rglob("*.jsonl")
    assert f"liarsdice replay --line {shlex.quote(str(record))}\n" in terminal.output


def test_a_refusal_addresses_the_player_as_you(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "1", "--rules", "official", "--seats", "3", home=tmp_path) as terminal:
        while (prompt := terminal.read_prompt()) != "call?> ":
            terminal.send(terminal.choose_answer(prompt))
        terminal.send("20x6")
        terminal.read_prompt()
    assert "! you may not bid: it is the turn of " in terminal.output


def test_drinks_are_counted_from_none_upwards(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "1", "--rules", "chui-niu+drinks", "--seats", "2", home=tmp_path) as terminal:
        terminal.play(answers=1)
    assert "Dice: You 5, Ann 5. Drinks: You 0, Ann 0." in terminal.output


def test_questions_are_answered_without_a_move(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "1", "--rules", "chart", "--seats", "2", home=tmp_path) as terminal:
        terminal.read_prompt()
        for question in ("?", "help", "chart", "dice"):
            terminal.send(question)
            assert terminal.read_prompt() == "your move> "
    assert "report a penalty that you owe" in terminal.output
    assert "2 twos" in terminal.output
    assert "Dice: You 5, Ann 5. Play goes clockwise." in terminal.output


def test_a_question_is_never_a_move(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "3", "--rules", "perudo", "--seats", "2", home=tmp_path) as terminal:
        terminal.play(answers=1)
        for question in ("?calza", "calza?", "dudo?", "2x3?", "?no such word", "??"):
            before = len(terminal.output)
            terminal.send(question)
            assert terminal.read_prompt() == "your move> "
            assert "Perudo" in terminal.output[before:]
        before = len(terminal.output)
        terminal.send("?wild")
        terminal.read_prompt()
        assert "Wild dice" in terminal.output[before:]
        assert "What you need" not in terminal.output[before:]
    assert "You call" not in terminal.output
    assert "You bid 2x3" not in terminal.output


def test_a_bid_that_ends_the_wildness_of_ones_is_announced(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "2", "--rules", "chui-niu", "--seats", "2", home=tmp_path) as terminal:
        for line in ("you", "4x1"):
            terminal.read_prompt()
            terminal.send(line)
        terminal.read_prompt()
    assert "You bid four ones.\nOnes are not wild for the rest of this round.\n" in terminal.output


def test_a_player_whose_call_comes_too_late_reads_that_it_risks_nothing(tmp_path: Path) -> None:
    doubters = ("--bots", "threshold:0.999")
    with LineModeProcess("--seed", "1", "--rules", "official", "--seats", "5", *doubters, home=tmp_path) as terminal:
        for _ in range(40):
            prompt = terminal.read_prompt()
            terminal.send("liar" if prompt == "call?> " else terminal.choose_answer(prompt))
            if "counts and you risk nothing" in terminal.output:
                break
    assert re.search(r"call\?> liar\n(\w+) calls.*\n\1 called (first|in turn), so that call counts", terminal.output)


def test_long_lines_are_wrapped_between_words() -> None:
    line = "Your dice: 6 4 1 5 2. You may bid 1x1+ 1x2+ 1x3+ or liar."
    for width in (20, 40, 79):
        lines = wrap_line(line, width).split("\n")
        assert max(map(len, lines)) <= width
        assert " ".join(lines) == line


def test_the_player_can_report_a_penalty(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "1", "--rules", "chart", "--seats", "2", home=tmp_path) as terminal:
        terminal.read_prompt()
        terminal.send("penalty")
        terminal.read_prompt()
        terminal.send("penalty turn")
        terminal.read_prompt()
    assert "which penalty? Write penalty turn for asking whose turn it is" in terminal.output
    assert "You pay one die at the end of the round for asking whose turn it is." in terminal.output


def test_a_penalty_is_named_by_the_offence_that_it_is_for(tmp_path: Path) -> None:
    rules = tmp_path / "house.toml"
    rules.write_text(
        'extends = "chart"\n[[penalties]]\ntrigger = "commits_offence"\n'
        '[[penalties]]\ntrigger = "commits_offence"\noffence = "Singing"\ndice = 2\n'
    )
    with LineModeProcess("--seed", "1", "--rules", str(rules), "--seats", "2", home=tmp_path) as terminal:
        terminal.read_prompt()
        terminal.send("penalty")
        terminal.read_prompt()
        terminal.send("penalty singing")
        terminal.read_prompt()
    assert "Write penalty offence for breaking a rule of the table or penalty Singing for “Singing”" in terminal.output
    assert "You pay two dice at the end of the round for “Singing”." in terminal.output


def test_the_mustache_round_is_announced_with_mustaches(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "2", "--rules", "mustache", "--seats", "2", home=tmp_path) as terminal:
        terminal.play()
    assert "Mustache Round!" in terminal.output
    assert "Ann :{" in terminal.output


def test_a_pipe_gets_no_colours(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "2", "--plain", home=tmp_path, NO_COLOR="1", FORCE_COLOR="") as terminal:
        terminal.play(answers=5)
    assert ESCAPE not in terminal.output
