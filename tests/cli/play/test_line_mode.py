"""The table line by line, talked to through a pipe."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from liarsdice.cli.play.line_mode import folded
from liarsdice.cli.play.ruleset_menu import TABLES
from liarsdice.core.rules.presets import names
from tests.cli.play.table_talk import PATIENCE_S, Talk

ESCAPE = "\x1b"


@pytest.mark.parametrize("rules", [*names(), "classic+aces+palifico+calza+reversa"])
def test_a_whole_match_can_be_played_by_every_preset(rules: str, tmp_path: Path) -> None:
    with Talk("--rules", rules, "--seed", "7", "--seats", "3", home=tmp_path) as talk:
        assert talk.play() == "A rematch? [y/N] "
        assert talk.hang_up() == 0
    assert "1. " in talk.heard
    assert "Traceback" not in talk.heard
    assert ESCAPE not in talk.heard
    assert len(list(tmp_path.rglob("*.jsonl"))) == 1


def test_every_preset_is_offered_with_a_line_about_it() -> None:
    assert [offer.rules for offer in TABLES if "+" not in offer.rules] == list(names())
    assert all(len(offer.line) <= 67 for offer in TABLES)  # a line of the menu, 80 columns wide


def test_the_end_of_the_input_keeps_the_match_and_says_how_to_go_on(tmp_path: Path) -> None:
    with Talk("--seed", "1", home=tmp_path) as talk:
        talk.play(answers=2)
        assert talk.hang_up() == 0
        assert talk.heard.endswith("The match is kept. Go on with: liarsdice play --resume\n")


def test_a_mistake_is_answered_in_the_engines_words_and_asked_again(tmp_path: Path) -> None:
    with Talk("--seed", "1", "--rules", "chart", "--seats", "2", home=tmp_path) as talk:
        assert talk.listen() == "your move> "
        for wrong in ("9x9", "banana", "exact", "clockwise"):
            talk.say(wrong)
            assert talk.listen() == "your move> "
    assert "names face 9, but the dice have faces 1 to 6" in talk.heard
    assert "cannot read 'banana'" in talk.heard
    assert "these rules have no exact call" in talk.heard
    assert "these rules do not let anyone turn the play" in talk.heard


def test_bytes_that_are_no_text_are_a_mistake_like_any_other(tmp_path: Path) -> None:
    with Talk("--seed", "1", "--rules", "chart", "--seats", "2", home=tmp_path) as talk:
        talk.listen()
        assert talk.process.stdin is not None
        talk.process.stdin.write(b"\xff\xfe\x00\n")
        talk.process.stdin.flush()
        assert talk.listen() == "your move> "
    assert "! cannot read" in talk.heard


def test_nobody_listening_is_no_crash(tmp_path: Path) -> None:
    with Talk("--seed", "1", "--rules", "chart", "--seats", "2", home=tmp_path) as talk:
        talk.listen()
        assert talk.process.stdout is not None
        talk.process.stdout.close()
        talk.say("help")
        assert talk.end() == 1


def test_the_tables_own_words_are_calls(tmp_path: Path) -> None:
    with Talk("--seed", "3", "--rules", "perudo", "--seats", "2", home=tmp_path) as talk:
        talk.play(answers=1)
        for _ in range(20):
            if "dudo (liar)" in talk.heard[talk.heard.rindex("Your dice:") :]:
                break
            talk.play(answers=1)
        talk.say("dudo!")
        talk.listen()
    assert "You call: “Dudo!”" in talk.heard
    assert "dudo (liar)" in talk.heard


def test_what_cannot_be_read_is_answered_by_what_these_rules_know(tmp_path: Path) -> None:
    for rules, known in (("perudo", "dudo (liar), calza (exact))"), ("chart", "5x4 for five fours, liar)")):
        with Talk("--seed", "3", "--rules", rules, "--seats", "2", home=tmp_path / rules) as talk:
            talk.play(answers=1)
            talk.say("banana")
            talk.listen()
        assert "! cannot read 'banana' (write 5x4 for five fours, " in talk.heard
        assert known in talk.heard


def test_every_round_begins_with_everybodys_dice_and_the_match_ends_with_where_it_is_kept(tmp_path: Path) -> None:
    with Talk("--seed", "7", "--rules", "openspiel", "--seats", "2", home=tmp_path) as talk:
        talk.play()
    assert talk.heard.count("1x3+ offers one three") == 1
    assert talk.heard.count("\nRound ") == talk.heard.count("\nDice: You ")
    (record,) = tmp_path.rglob("*.jsonl")
    assert f"liarsdice replay --line {shlex.quote(str(record))}\n" in talk.heard


def test_a_refusal_speaks_to_the_player_as_you(tmp_path: Path) -> None:
    with Talk("--seed", "1", "--rules", "official", "--seats", "3", home=tmp_path) as talk:
        while (prompt := talk.listen()) != "call?> ":
            talk.say(talk.answer(prompt))
        talk.say("20x6")
        talk.listen()
    assert "! you may not bid: it is the turn of " in talk.heard


def test_questions_are_answered_without_a_move(tmp_path: Path) -> None:
    with Talk("--seed", "1", "--rules", "chart", "--seats", "2", home=tmp_path) as talk:
        talk.listen()
        for question in ("?", "help", "chart", "dice"):
            talk.say(question)
            assert talk.listen() == "your move> "
    assert "own up to a house penalty" in talk.heard
    assert "2 twos" in talk.heard
    assert "Dice: You 5, Ann 5. Play goes clockwise." in talk.heard


def test_a_question_is_never_a_move(tmp_path: Path) -> None:
    with Talk("--seed", "3", "--rules", "perudo", "--seats", "2", home=tmp_path) as talk:
        talk.play(answers=1)
        for question in ("?calza", "calza?", "dudo?", "2x3?", "?no such word", "??"):
            before = len(talk.heard)
            talk.say(question)
            assert talk.listen() == "your move> "
            assert "Perudo" in talk.heard[before:]
        before = len(talk.heard)
        talk.say("?wild")
        talk.listen()
        assert "Wild dice" in talk.heard[before:]
        assert "What you need" not in talk.heard[before:]
    assert "You call" not in talk.heard
    assert "You bid 2x3" not in talk.heard


def test_a_bid_that_ends_the_wildness_of_ones_is_told_as_that(tmp_path: Path) -> None:
    with Talk("--seed", "2", "--rules", "chui-niu", "--seats", "2", home=tmp_path) as talk:
        for line in ("you", "4x1"):
            talk.listen()
            talk.say(line)
        talk.listen()
    assert "You bid four ones.\nOnes are not wild for the rest of this round.\n" in talk.heard


def test_a_call_that_comes_too_late_is_told_to_risk_nothing(tmp_path: Path) -> None:
    doubters = ("--bots", "threshold:0.999")
    with Talk("--seed", "1", "--rules", "official", "--seats", "5", *doubters, home=tmp_path) as talk:
        for _ in range(40):
            prompt = talk.listen()
            talk.say("liar" if prompt == "call?> " else talk.answer(prompt))
            if "yours risks nothing" in talk.heard:
                break
    assert re.search(r"call\?> liar\n(\w+) calls.*\n\1 called (first|in turn), so that call counts", talk.heard)


def test_a_terminal_is_told_lines_that_break_between_words() -> None:
    told = "Your dice: 6 4 1 5 2. You may bid 1x1+ 1x2+ 1x3+ or liar."
    for width in (20, 40, 79):
        lines = folded(told, width).split("\n")
        assert max(map(len, lines)) <= width
        assert " ".join(lines) == told


def test_one_may_own_up_to_a_house_penalty(tmp_path: Path) -> None:
    with Talk("--seed", "1", "--rules", "chart", "--seats", "2", home=tmp_path) as talk:
        talk.listen()
        talk.say("penalty")
        talk.listen()
        talk.say("penalty turn")
        talk.listen()
    assert "which penalty? write penalty turn for asking whose turn it is" in talk.heard
    assert "You pay one die at the end of the round for asking whose turn it is." in talk.heard


def test_a_rematch_is_a_new_match_with_a_save_of_its_own(tmp_path: Path) -> None:
    record = tmp_path / "tonight.jsonl"
    options = ("--seed", "1", "--rules", "openspiel", "--seats", "2", "--record", str(record))
    with Talk(*options, home=tmp_path) as talk:
        talk.play()
        talk.say("y")
        talk.play()
        talk.say("n")
        assert talk.hang_up() == 0
    assert record.exists()
    assert (tmp_path / "tonight-2.jsonl").exists()


def test_the_same_seed_deals_the_same_dice(tmp_path: Path) -> None:
    heard = []
    for _ in range(2):
        with Talk("--seed", "4", "--rules", "chart", home=tmp_path) as talk:
            talk.play(answers=3)
            heard.append(talk.heard.partition("To read it on one line")[0])
    assert heard[0] == heard[1]


def test_the_mustache_round_is_announced_and_worn(tmp_path: Path) -> None:
    with Talk("--seed", "2", "--rules", "mustache", "--seats", "2", home=tmp_path) as talk:
        talk.play()
    assert "Mustache Round!" in talk.heard
    assert "Ann :{" in talk.heard


def test_no_colour_is_told_to_a_pipe(tmp_path: Path) -> None:
    with Talk("--seed", "2", "--plain", home=tmp_path, NO_COLOR="1", FORCE_COLOR="") as talk:
        talk.play(answers=5)
    assert ESCAPE not in talk.heard


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--rules", "nonsense"], "no ruleset is called 'nonsense'"),
        (["--rules", "classic", "--seats", "6"], "seats 2 to 5 players, not 6"),
        (["--seats", "40"], "this table has 16 chairs, not 40"),
        (["--bots", "nobody"], "no bot is called 'nobody'"),
        (["some.jsonl"], "liarsdice play --resume some.jsonl"),
        (["--resume", "--seed", "1"], "--resume goes on with the match as it is, without --seed"),
        (["--resume"], "no match waits in"),
        (["--resume", "missing.jsonl"], "cannot open missing.jsonl"),
        (["--record", "/nowhere/at/all.jsonl"], "cannot open /nowhere/at/all.jsonl"),
        (["--name", "Ann\x07"], "printable characters"),
        (["--name", "you"], "'you' is what the table calls you anyway"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(arguments: list[str], message: str, tmp_path: Path) -> None:
    with Talk(*arguments, home=tmp_path) as talk:
        assert talk.hang_up() == 2
    assert message in talk.heard
    assert talk.heard.count("\n") == 1


def test_help_is_shown_without_loading_a_screen() -> None:
    script = "import sys; from liarsdice.cli.app import app; sys.exit(bool({'textual', 'rich'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=PATIENCE_S).returncode == 0
