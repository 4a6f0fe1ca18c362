"""Whole matches of three people at one table, by each of the five rule sheets, played through the page to the end."""

import re
from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.people import Come
from tests.browser.playing import begin, play_out

SHEETS: list[tuple[str, dict[str, Any]]] = [
    ("chart", {"dice.per_player": 2}),
    ("classic+aces+palifico+calza+reversa", {"dice.per_player": 2}),
    ("basic", {"dice.per_player": 1}),
    ("mustache", {"dice.per_player": 2}),
    ("official", {"dice.per_player": 1}),
]


@pytest.mark.parametrize("rules, changes", SHEETS, ids=[rules for rules, _ in SHEETS])
async def test_three_people_play_a_match_to_the_end_and_all_see_the_same(
    come: Come, rules: str, changes: dict[str, Any]
) -> None:
    ann, ben, cyd = await come("Ann"), await come("Ben"), await come("Cyd")
    code = await ann.open_table(rules, changes, seats=3)
    await ben.join(code)
    await cyd.join(code)
    await begin(ann, ben, cyd)
    evenings = await play_out([ann, ben, cyd], seed=1, exact="Calza!")
    assert re.search(r"(Ann|Ben|Cyd) (was|were) (right|wrong)", evenings[0].verdicts[1])
    assert len(evenings[0].order) == 3
    await expect(ann.button("Rematch")).to_be_visible()
