"""Matches of three users under each of the five rule sheets, and one for lives, played through the page."""

import re
from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.match_player import play_match, start_match
from tests.browser.users import NewUser

RULE_SHEETS: list[tuple[str, dict[str, Any]]] = [
    ("chart", {"dice.per_player": 2}),
    ("classic+aces+palifico+calza+reversa", {"dice.per_player": 2}),
    ("basic", {"dice.per_player": 1}),
    ("mustache", {"dice.per_player": 2}),
    ("official", {"dice.per_player": 1}),
    ("basic", {"dice.per_player": 2, "loss.lives": 2}),
]


@pytest.mark.parametrize(
    "rules, changes",
    RULE_SHEETS,
    ids=[rules + (" for lives" if "loss.lives" in changes else "") for rules, changes in RULE_SHEETS],
)
async def test_three_users_play_a_match_and_see_the_same(
    new_user: NewUser, rules: str, changes: dict[str, Any]
) -> None:
    ann, ben, cyd = await new_user("Ann"), await new_user("Ben"), await new_user("Cyd")
    code = await ann.open_table(rules, changes, seats=3)
    await ben.join(code)
    await cyd.join(code)
    await start_match(ann, ben, cyd)
    all_notes = await play_match([ann, ben, cyd], seed=1, exact="Calza!")
    assert re.search(r"(Ann|Ben|Cyd) (was|were) (right|wrong)", all_notes[0].results[1])
    assert len(all_notes[0].final_order) == 3
    await expect(ann.button("Rematch")).to_be_visible()
