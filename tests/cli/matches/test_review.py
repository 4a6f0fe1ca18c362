"""`liarsdice review`, as it is run."""

import json
import re
from pathlib import Path

import pytest

from liarsdice.bots.neural.champion import CHAMPION_NAME
from liarsdice.cli.matches.review import move_words
from liarsdice.core.actions import (
    AnswerDouble,
    BidAndShow,
    Challenge,
    ChallengePass,
    ChooseKind,
    DeclareSpecial,
    Exact,
    Pass,
    PlayerAction,
    Reroll,
    SetDirection,
)
from liarsdice.core.records.record import write_record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Direction, RoundKind
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.text.narration import Narrator
from liarsdice.play.match_runner import MatchResult, play_match
from tests.cli.run_cli import error_line, output_of, run_captured


@pytest.fixture(scope="module")
def match() -> MatchResult:
    """A short match of two players."""
    return play_match(preset("basic").ruleset, ["champion", "random"], ["Ann", "Bo"], seed=4)


@pytest.fixture
def record(tmp_path: Path, match: MatchResult) -> Path:
    path = tmp_path / "match.jsonl"
    path.write_text(write_record(match.events, "0.1.0"), encoding="utf-8")
    return path


def test_a_review_says_who_won_and_what_the_decisions_of_each_player_cost(record: Path, match: MatchResult) -> None:
    status, printed, error = run_captured("review", record, "--deals", "30")
    assert (status, error) == (0, "")
    lines = printed.splitlines()
    winner = ("Ann", "Bo")[match.winners[0]]
    assert lines[0] == f"{winner} wins the match."
    assert [line.split()[0] for line in lines if line.startswith("  ")][:3] == ["player", "Ann", "Bo"]
    assert any(line.startswith("DEAREST DECISIONS OF BO") for line in lines)
    compared = [line for line in lines if " of matches from here" in line]
    assert compared
    assert not any(line[4].islower() for line in compared), "sentences begin with a capital"
    assert any(line.startswith("  Round ") and "Bo " in line for line in lines)


def test_a_review_says_what_judged_its_decisions(tmp_path: Path) -> None:
    record = tmp_path / "perudo.jsonl"
    match = play_match(patched(preset("perudo").ruleset, dice__per_player=2), ["sharp", "sharp"], seed=1)
    record.write_text(write_record(match.events, "0.1.0"), encoding="utf-8")
    judged, computed = output_of("review", record, "--deals", "30").splitlines()[-2:]
    assert judged == f"Judged by the strongest bot, {CHAMPION_NAME}."
    assert re.fullmatch(r"Decisions for which all possible hands were counted: \d+\.", computed), (
        "two players with two dice: none is drawn"
    )


def test_a_review_says_how_kind_the_dice_were_and_where_the_match_turned(record: Path) -> None:
    dice = (
        output_of("review", record, "--deals", "30", "--seat", "Ann")
        .split("THE DICE, seen with everybody's dice\n")[1]
        .split("\n\n")
    )
    assert dice[0] in {
        "  The dice were good for you.",
        "  The dice were bad for you.",
        "  For you, luck is too close to tell.",
    }
    heading, *turns = dice[1].splitlines()
    assert heading == "TURNING POINTS, seen with everybody's dice"
    assert all(re.fullmatch(r"  Round \d+: .+ You \d+% → \d+%", turn) for turn in turns)
    calls = [turn for turn in turns if "called" in turn]
    assert calls
    assert all(re.search(r" called “.+” on .+: \d+ counted\. You ", turn) for turn in calls)


def test_one_player_is_addressed_and_no_winner_is_told_where_none_is_asked_for(record: Path) -> None:
    text = output_of("review", record, "--deals", "30", "--seat", "Bo", "--spoiler-free", "--all")
    assert "win" not in text.split("WHAT DECISIONS COST")[0]
    assert "ALL DECISIONS OF BO" in text
    assert "OF ANN" not in text
    assert ": You " in text


def test_json_holds_every_decision_and_the_same_command_prints_the_same(record: Path) -> None:
    first, second = (output_of("review", record, "--deals", "30", "--json") for _ in range(2))
    assert first == second
    review = json.loads(first)
    assert review["names"] == ["Ann", "Bo"]
    for player in review["players"]:
        own = [decision for decision in review["decisions"] if decision["seat"] == player["seat"]]
        assert sum(bool(decision["moves"]) for decision in own) == player["decisions"]
        assert sum(decision["cost"] for decision in own) == pytest.approx(player["cost"])


def test_json_without_spoilers_has_the_decisions_but_nothing_that_tells_who_won(record: Path) -> None:
    asked = ("review", record, "--deals", "30", "--json")
    whole, shown = (json.loads(output_of(*asked, *options)) for options in ((), ("--spoiler-free",)))
    hidden = {"winners", "luck", "win_line", "turning_points"}
    assert all(whole[name] for name in hidden)
    assert shown == {name: [] if name in hidden else value for name, value in whole.items()}


def test_what_cannot_be_reviewed_is_refused_with_the_reason(
    tmp_path: Path,
    match: MatchResult,
    record: Path,
) -> None:
    unfinished = tmp_path / "unfinished.jsonl"
    unfinished.write_text(write_record(match.events[:5], "0.1.0"), encoding="utf-8")
    assert "only finished matches are reviewed" in error_line("review", str(unfinished))
    assert "30 to 100,000 deals" in error_line("review", str(record), "--deals", "1")
    assert "--seat is a player's name (Ann, Bo)" in error_line("review", str(record), "--seat", "Cy")
    assert "cannot read" in error_line("review", str(tmp_path / "missing.jsonl"))


def test_dice_with_many_faces_are_judged_by_the_engine(tmp_path: Path) -> None:
    rules = patched(preset("basic").ruleset, dice__faces=8, dice__per_player=1)
    path = tmp_path / "match.jsonl"
    path.write_text(write_record(play_match(rules, ["random", "random"], seed=1).events, "0.1.0"), encoding="utf-8")
    assert "Decisions played on with 15 deals of the hidden dice each: " in output_of("review", path, "--deals", "60")


@pytest.mark.usefixtures("few_matches")
@pytest.mark.parametrize(
    "name, bots, words",
    [
        ("perudo+pass", "inference", "passed on"),
        ("bluff+show-dice", "inference", "and showed"),
        ("bar", "threshold", "for double stakes"),
    ],
)
def test_moves_of_all_rules_are_told_in_words(name: str, bots: str, words: str, tmp_path: Path) -> None:
    rules = patched(preset(name).ruleset, guards__max_rounds=2)
    path = tmp_path / "match.jsonl"
    path.write_text(write_record(play_match(rules, [bots] * 2, seed=5).events, "0.1.0"), encoding="utf-8")
    told = output_of("review", path, "--deals", "30", "--all")
    assert words in told
    assert "doubled the stakes again on Player" not in told
    assert "    \n" not in told


def test_a_match_of_one_round_is_counted_in_the_singular(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    match = play_match(preset("openspiel").ruleset, ["random", "random"], seed=1)
    path.write_text(write_record(match.events, "0.1.0"), encoding="utf-8")
    assert re.search(r"2 players, 1 round, \d+ decisions", output_of("review", path, "--deals", "30"))


NARRATOR = Narrator(preset("perudo").ruleset, ("Ann", "Bo"))


@pytest.mark.parametrize(
    "move, clause, noun",
    [
        (Bid(2, 4), "bid two fours", "two fours"),
        (BidAndShow(Bid(2, 4), (4,)), "bid two fours and showed one die", "two fours, showing one die"),
        (Challenge(), "called “Dudo!”", "“Dudo!”"),
        (Challenge(double=True), "called “Dudo!” for double stakes", "“Dudo!” for double stakes"),
        (Exact(), "called “Calza!”", "“Calza!”"),
        (AnswerDouble(Answer.REDOUBLE), "doubled the stakes again", "doubling again"),
        (AnswerDouble(Answer.FOLD), "folded", "folding"),
        (Pass(), "passed", "passing"),
        (ChallengePass(), "doubted the pass", "doubting the pass"),
        (Reroll(), "rolled the dice again", "rolling again"),
        (DeclareSpecial(), "declared “Palifico!”", "“Palifico!”"),
        (ChooseKind(RoundKind.OPEN), "chose a round that is open", "a round that is open"),
        (SetDirection(Direction.ANTICLOCKWISE), "chose the direction", "the other direction"),
    ],
)
def test_every_move_has_words(move: PlayerAction, clause: str, noun: str) -> None:
    assert move_words(NARRATOR, move) == (clause, noun)


def test_silence_has_a_noun() -> None:
    assert move_words(NARRATOR, None)[1] == "letting the bid stand"
