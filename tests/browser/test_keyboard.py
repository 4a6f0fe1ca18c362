"""A match without a mouse: Tab and arrow keys choose a bid, Enter makes it, L and X call."""

import re

from tests.browser.match_player import wait_until_removed
from tests.browser.round_steps import QUICK_START
from tests.browser.users import NewUser, User

MAX_TABS = 60
MAX_TURNS = 200


async def tab_to(user: User, selector: str) -> None:
    """Presses Tab until an element of the selector has the focus."""
    for _ in range(MAX_TABS):
        if await user.page.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector):
            return
        await user.page.keyboard.press("Tab")
    raise AssertionError(f"Tab never reaches {selector}")


async def test_a_match_is_played_by_keys_alone(new_user: NewUser) -> None:
    ann = await new_user("Ann", everything=True)
    rules = {"dice.per_player": 2} | QUICK_START
    await ann.open_table("classic+calza", rules, seats=2, bots=["random"], begin=True)
    keys, panel = ann.page.keyboard, ann.action_panel
    chart, end = panel.get_by_role("grid"), ann.heading("Good game")
    next_button = panel.get_by_role("button", name=re.compile("Next round|The final order"))
    used: set[str] = set()
    for _ in range(MAX_TURNS):
        await chart.or_(next_button).or_(end).first.wait_for()
        if await end.is_visible():
            if used == {"x", "l", "moved", "end"}:
                break
            used.add("end")
            await tab_to(ann, "a[href^='/replay/']")
            current = await end.element_handle()
            await tab_to(ann, "button.primary")
            await keys.press("Enter")
        elif not await chart.is_visible():
            current = await next_button.element_handle()
            await tab_to(ann, "button.primary")
            await keys.press("Enter")
        else:
            current = await chart.element_handle()
            calls = [key for key in ("x", "l") if key not in used and await call_offered(ann, key)]
            if calls or not await chart.locator("[data-bid]").count():
                await keys.press([*calls, "l"][0])
                used.update(calls[:1])
            else:
                used |= await bid_by_keys(ann)
        await wait_until_removed(current)
    assert used == {"x", "l", "moved", "end"}


async def call_offered(user: User, key: str) -> bool:
    """Whether the call of a key is offered."""
    return await user.action_panel.get_by_role("button", name={"x": "Calza!", "l": "Liar!"}[key]).is_visible()


async def bid_by_keys(user: User) -> set[str]:
    """Moves up once in the chart and makes that bid. Returns {"moved"} if the arrow key moved the focus."""
    await tab_to(user, "[data-bid]")
    focused = "document.activeElement.dataset.bid"
    before = await user.page.evaluate(focused)
    await user.page.keyboard.press("ArrowUp")
    await user.page.wait_for_function(f"() => {focused} !== undefined")
    after = await user.page.evaluate(focused)
    await user.page.keyboard.press("Enter")
    return {"moved"} if after != before else set()
