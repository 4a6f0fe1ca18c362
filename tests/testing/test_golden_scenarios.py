"""The golden scenarios and ruleset cases, played through the engine."""

from pathlib import Path

import pytest

from liarsdice.testing.round_scenarios import Case
from liarsdice.testing.scenarios import read_cases, run_case

GOLDEN = Path(__file__).parent.parent / "golden"
SCENARIOS = read_cases(GOLDEN / "scenarios.jsonl")
RULESET_CASES = read_cases(GOLDEN / "ruleset_cases.jsonl")


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
