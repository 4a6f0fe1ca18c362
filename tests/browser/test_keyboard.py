"""A whole match without a mouse: Tab and arrows to a bid, Enter says it, L and X call."""

import re

from tests.browser.people import Come, Person
from tests.browser.playing import gone
from tests.browser.turns import QUICK_START

PACE = "0.2"
MOST_TABS = 60
MOST_TURNS = 200


async def tab_to(person: Person, selector: str) -> None:
    """Press Tab until something like that has the focus."""
    for _ in range(MOST_TABS):
        if await person.page.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector):
            return
        await person.page.keyboard.press("Tab")
    raise AssertionError(f"Tab never comes to {selector}")


async def test_a_match_is_played_by_keys_alone(come: Come) -> None:
    ann = await come("Ann")
    rules = {"dice.per_player": 2} | QUICK_START
    await ann.open_table("classic+calza", rules, seats=2, bots=["random"], begin=True)
    keys, dock = ann.page.keyboard, ann.dock
    chart, end = dock.get_by_role("grid"), ann.heading("Good game")
    going_on = dock.get_by_role("button", name=re.compile("Next round|The final order"))
    used: set[str] = set()
    for _ in range(MOST_TURNS):
        await chart.or_(going_on).or_(end).first.wait_for()
        if await end.is_visible():
            if used == {"x", "l", "moved", "end"}:
                break
            used.add("end")
            await tab_to(ann, "a[href^='/replay/']")
            watched = await end.element_handle()
            await tab_to(ann, "button.primary")
            await keys.press("Enter")
        elif not await chart.is_visible():
            watched = await going_on.element_handle()
            await tab_to(ann, "button.primary")
            await keys.press("Enter")
        else:
            watched = await chart.element_handle()
            words = [key for key in ("x", "l") if key not in used and await offers(ann, key)]
            if words or not await chart.locator("[data-bid]").count():
                await keys.press([*words, "l"][0])
                used.update(words[:1])
            else:
                used |= await bid_by_keys(ann)
        await gone(watched)
    assert used == {"x", "l", "moved", "end"}


async def offers(person: Person, key: str) -> bool:
    """Whether the call of that key may be made."""
    return await person.dock.get_by_role("button", name={"x": "Calza!", "l": "Liar!"}[key]).is_visible()


async def bid_by_keys(person: Person) -> set[str]:
    """Go to the chart, one up from where it begins, and say that; whether the arrow went anywhere."""
    await tab_to(person, "[data-bid]")
    focused = "document.activeElement.dataset.bid"
    before = await person.page.evaluate(focused)
    await person.page.keyboard.press("ArrowUp")
    await person.page.wait_for_function(f"{focused} !== undefined")
    after = await person.page.evaluate(focused)
    await person.page.keyboard.press("Enter")
    return {"moved"} if after != before else set()
