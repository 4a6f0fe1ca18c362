"""The golden scenarios and ruleset cases, played through the engine."""

from pathlib import Path

import pytest

from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.testing.scenarios import Case, read_cases, run_case

GOLDEN = Path(__file__).parent.parent / "golden"
SCENARIOS = read_cases(GOLDEN / "scenarios.jsonl")
RULESET_CASES = read_cases(GOLDEN / "ruleset_cases.jsonl")
EXAMPLES = read_cases(GOLDEN / "source_examples.jsonl")
"""What the sources of the other presets print as examples, or what follows from their rules, as `certainty` says."""

WITHOUT_EXAMPLES = {"joker"}
"""Presets whose sources print no round that could be played; `choices.jsonl` shows their rules."""


def test_all_golden_cases_are_there() -> None:
    assert (len(SCENARIOS), len(RULESET_CASES)) == (106, 37)


@pytest.mark.parametrize("case", SCENARIOS + RULESET_CASES, ids=lambda case: str(case["id"]))
def test_the_engine_plays_what_the_rule_sheets_say(case: Case) -> None:
    assert [str(failure) for failure in run_case(case)] == []


def test_a_wrong_expectation_is_reported() -> None:
    case = next(dict(case) for case in SCENARIOS if case["kind"] == "round" and "expect" in case)
    case["expect"] = {**case["expect"], "count": 99}
    assert [failure.what for failure in run_case(case)] == ["count"]


def test_a_ladder_upside_down_is_one_failure() -> None:
    case = next(dict(case) for case in SCENARIOS if case["kind"] == "order")
    case["ascending"] = case["ascending"][::-1]
    assert [failure.what for failure in run_case(case)] == ["8x1 -> 15x6 (and 6805 more)"]


@pytest.mark.parametrize("case", EXAMPLES, ids=lambda case: str(case["id"]))
def test_the_engine_plays_the_examples_of_the_sources(case: Case) -> None:
    assert case["source"]
    assert [str(failure) for failure in run_case(case)] == []


def test_every_preset_plays_an_example_of_its_source() -> None:
    shown = {preset(case["preset"]).ruleset for case in SCENARIOS + EXAMPLES}
    assert {name for name in preset_names() if preset(name).ruleset not in shown} == WITHOUT_EXAMPLES
