"""`liarsdice coach`, as it is run."""

import json
import re
from pathlib import Path

import pytest

from liarsdice.analysis.habits import Habit, HabitKind, HabitVerdict, HabitWay, Tip
from liarsdice.cli.matches.coach import habit_name, is_tutorial, tip_sentence
from liarsdice.core.records.record import write_record
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Labels
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from tests.cli.run_cli import error_line, output_of, run_captured

TUTORIAL_CASES = Path(__file__).parents[2] / "golden" / "tutorial_cases.json"


@pytest.fixture
def records(tmp_path: Path) -> list[Path]:
    paths = []
    for seed in range(2):
        events = play_match(preset("basic").ruleset, ["random", "champion"], ["Ann", "Bo"], seed=seed).events
        paths.append(tmp_path / f"{seed}.jsonl")
        paths[-1].write_text(write_record(events, "0.1.0"), encoding="utf-8")
    events = play_match(preset("basic").ruleset, ["random", "champion"], seed=1).events
    unfinished = tmp_path / "unfinished.jsonl"
    unfinished.write_text(write_record(events[:5], "0.1.0"), encoding="utf-8")
    return [*paths, unfinished]


def test_habits_of_a_few_matches_are_not_claimed_yet(records: list[Path]) -> None:
    status, text, error = run_captured("coach", *map(str, records), "--seat", "Ann", "--deals", "30")
    assert status == 0
    assert text.startswith("First impression: habits show only after 200 decisions of a kind.")
    assert re.search(r"^A TIP, a first impression\n  \S.* such decisions? cost [\d.]+ points\.$", text, re.MULTILINE)
    dearest = text.split("YOUR DEAREST DECISIONS\n")[1].split("\n\n")[0]
    costs = [
        float(cost) for cost in re.findall(r"^  Match [12], round \d+: You .* Cost: ([\d.]+) ±", dearest, re.MULTILINE)
    ]
    assert len(costs) == 3
    assert costs == sorted(costs, reverse=True)
    assert dearest.count(" of matches from here") == 3
    assert "you lose dice" in dearest, "the reasons of the review"
    assert "2 matches, " in text
    assert "A number for skill takes 30 matches: 28 more." in text
    assert "Opening bids" in text
    judgements = ("too early", "too late", "Too bold", "Too honest", "w opening bids", "h opening bids")
    assert not any(judgement in text for judgement in judgements)
    assert re.search(
        r"2 of about \d[\d,]* matches needed\n    (Calls: \d+ of \d+ chances|Bluffs: \d+ of \d+ bids)\.", text
    )
    assert "unfinished.jsonl is left out: its match is not over" in error


def test_json_names_the_verdict_of_each_kind(records: list[Path]) -> None:
    arguments = ("coach", str(records[0]), "--seat", "1", "--deals", "30", "--json")
    report = json.loads(run_captured(*arguments)[1])
    assert report["matches"] == 1
    assert report["skill"] == {"matches": 1, "gain": None, "error": None, "more_matches": 29}
    assert {habit["verdict"] for habit in report["habits"]} == {"not_yet"}
    assert sum(habit["decisions"] for habit in report["habits"]) > 0


def test_tutorials_are_left_out(records: list[Path], tmp_path: Path) -> None:
    """Both matches with hints: the warm-up of two rounds, and the one with wild ones."""
    warm_up = patched(
        preset("basic").ruleset,
        dice__per_player=3,
        guards__max_rounds=2,
        first_starter__method="random",
        next_starter__rule="rotate",
    )
    with_wild_ones = patched(warm_up, wilds__special_is_wild=True, guards__max_rounds=None, next_starter__rule="loser")
    for number, rules in enumerate((warm_up, with_wild_ones)):
        events = play_match(rules, ["random", "greedy:0.05"], ["Ann", "Bo"], seed=1).events
        file = tmp_path / f"tutorial{number}.jsonl"
        file.write_text(write_record(events, "0.1.0"), encoding="utf-8")
        arguments = ("coach", str(file), str(records[0]), "--seat", "Ann", "--deals", "30", "--json")
        status, text, error = run_captured(*arguments)
        assert status == 0
        assert json.loads(text)["matches"] == 1
        assert f"{file} is left out: it is a tutorial" in error


def test_the_coach_takes_the_matches_for_tutorials_that_the_page_does() -> None:
    for case in json.loads(TUTORIAL_CASES.read_text(encoding="utf-8")):
        rules = patched(
            preset(case["rules"]).ruleset, dice__per_player=case["dice"], first_starter__method=case["starter"]
        )
        assert rules.labels.game == case["game"]
        assert is_tutorial(rules, case["seats"]) == case["tutorial"], case


def test_files_without_the_player_are_refused(records: list[Path]) -> None:
    status, _, error = run_captured("coach", records[0], "--seat", "Cy")
    assert status == 2
    assert "'Cy' did not play (but Ann, Bo)" in error
    assert "no finished match of 'Cy'" in error
    assert "cannot read" in error_line("coach", "missing.jsonl")


@pytest.mark.usefixtures("few_matches")
def test_matches_for_lives_show_habits_too(tmp_path: Path) -> None:
    events = play_match(preset("chui-niu+lives").ruleset, ["random", "random"], ["Ann", "Bo"], seed=1).events
    (tmp_path / "lives.jsonl").write_text(write_record(events, "0.1.0"), encoding="utf-8")
    file = str(tmp_path / "lives.jsonl")
    output = output_of("coach", file, "--seat", "Ann", "--deals", "30", "--json")
    assert sum(habit["decisions"] for habit in json.loads(output)["habits"]) > 0


def test_every_habit_has_a_name_with_each_judgement_and_a_tip() -> None:
    names, tips = set[str](), set[str]()
    for kind in HabitKind:
        for way in HabitWay:
            habit = Habit(kind, 4, 400, 0.3, (0.2, 0.4), 0.3, 0.02, 0.004, HabitVerdict.COSTS, way, 0)
            names.add(habit_name(habit, Labels()))
        if kind is not HabitKind.SPECIAL:
            tips |= {tip_sentence(Tip(kind, did, 2, 0.1), Labels()) for did in (False, True)}
    assert {
        "Too bold with four dice",
        "Bluffs with four dice",
        "“Liar!” too late on bids that are over 80% likely",
    } <= names
    assert (len(names), len(tips)) == (4 * len(HabitWay) + 2, 10)
