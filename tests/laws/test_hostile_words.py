"""Bids, names and scenarios from outside are read, or refused with an error of the package; nothing crashes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.bids.notation import notate, parse
from liarsdice.core.engine.engine import match_started
from liarsdice.core.errors import MalformedError, NotationError
from liarsdice.core.rules.presets import preset
from liarsdice.testing.scenarios import read_cases, run_case
from tests.laws.hostile_input import any_json, is_accepted


@given(st.text(max_size=20) | st.from_regex(r"\s*[0-9]{0,7}\s*[xX×*]?\s*[0-9]{0,7}", fullmatch=True))
def test_any_text_is_a_bid_or_a_call_or_refused(text: str) -> None:
    try:
        action = parse(text)
    except NotationError:
        return
    assert parse(notate(action)) == action


@pytest.mark.parametrize("text", ["", " ", "\0", "٣x٢", "5x", "x4", "5 4", "-1x4", "5x4x3", "9" * 10_000 + "x1", "½x2"])
def test_what_only_looks_like_a_bid_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse(text)


@given(st.lists(st.text(max_size=45), max_size=7))
def test_any_names_are_seated_or_refused(names: list[str]) -> None:
    rules = preset("basic").ruleset
    if is_accepted(lambda: match_started(rules, names)):
        assert 2 <= len(names) <= 5
        assert len(set(names)) == len(names)
        assert all(name.strip() and name.isprintable() and len(name) <= 40 for name in names)


@pytest.mark.parametrize(
    "name", ["", " ", "\t", "a\nb", "\0", "\ud800", "\u202eevil", "\u200b", "x" * 41, "\x1b[31mred"]
)
def test_a_name_that_would_garble_a_screen_is_refused(name: str) -> None:
    with pytest.raises(MalformedError):
        match_started(preset("basic").ruleset, ("Ann", name))


ROUND = {
    "id": "a",
    "kind": "round",
    "preset": "s000",
    "setup": {"players": ["A", "B"], "dice": {"A": [1, 2], "B": [3]}, "starter": "A"},
    "actions": [
        {"by": "A", "do": "bid", "q": 1, "f": 2, "expect": "legal"},
        {"by": "B", "do": "challenge", "expect": "legal"},
    ],
    "expect": {"count": 2},
}
CASES: tuple[dict[str, Any], ...] = (
    ROUND,
    {"id": "b", "kind": "raise", "preset": "s000", "cases": [[[1, 2], [2, 2], True]]},
    {"id": "c", "kind": "min_quantity", "preset": "s000", "cases": [[[10**12, 1], 2, None]]},
    {"id": "d", "kind": "order", "preset": "s000", "ascending": [[1, 2], [2, 2]]},
    {"id": "e", "kind": "first_starter", "preset": "s000", "rolls": [{"A": [1], "B": [2]}], "expect": {"starter": "B"}},
    {"id": "g", "kind": "first_starter", "preset": "s001", "players": ["A"], "chosen": "A", "expect": {"starter": "A"}},
    {"id": "f", "base": "s000", "patch": {"dice.faces": 4}, "expect": "valid"},
)


@given(st.data())
def test_a_scenario_with_anything_in_any_place_passes_or_fails_but_always_answers(data: st.DataObject) -> None:
    case: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(data.draw(st.sampled_from(CASES))))
    inner: Any = case
    while isinstance(inner, (dict, list)) and inner:
        key = data.draw(st.sampled_from(sorted(inner) if isinstance(inner, dict) else list(range(len(inner)))))
        if data.draw(st.booleans()) or not isinstance(inner[key], (dict, list)):
            inner[key] = data.draw(any_json)
            break
        inner = inner[key]
    case["id"] = "x"
    assert isinstance(run_case(case), list)


@given(st.text())
def test_any_text_is_scenarios_or_refused(text: str) -> None:
    is_accepted(lambda: read_cases(text))


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_the_scenarios_that_are_spoilt_above_can_be_run(case: dict[str, Any]) -> None:
    assert run_case(case) == []
