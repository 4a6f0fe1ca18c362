"""A match without a mouse, and for a screen reader."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence

import pytest
from playwright.async_api import Page

import hatch_build
from tests.browser import screens
from tests.browser.match_player import wait_until_removed
from tests.browser.round_steps import QUICK_START
from tests.browser.screen_steps import Screen
from tests.browser.users import DESKTOP, PHONE, NewUser, User

AXE = hatch_build.WEB / "node_modules" / "axe-core" / "axe.min.js"
THEMES = ("light", "dark")
RUN_AXE = """async ([theme, part, rules]) => {
  const [sheets, sheet] = [[...document.adoptedStyleSheets], new CSSStyleSheet()];
  // the pages of tests are transparent, which axe must not see; clipped away, they are not drawn either
  sheet.replaceSync("html { clip-path: polygon(0 0) }");
  document.adoptedStyleSheets = [sheet];
  document.documentElement.dataset.theme = theme;
  const options = { resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) };
  const { violations } = await axe.run(part, options);
  document.adoptedStyleSheets = sheets;
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(" | ")}`,
  );
}"""
COLOUR_RULES = ("color-contrast", "link-in-text-block")
"""The rules of axe that depend on the theme, which changes nothing but colours."""
EXCESS_WIDTH = "document.documentElement.scrollWidth - innerWidth"


async def find_faults(page: Page, part: str = "html", themes: Sequence[str] = THEMES) -> list[str]:
    """The violations that axe finds in a part of a page, and by how much the page is too wide.

    It runs all rules in the first of the themes, and in others those that depend on the theme.
    """
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE.read_text(encoding="utf-8"))
    faults = []
    for theme in themes:
        rules = None if theme == themes[0] else COLOUR_RULES
        faults += [f"{theme}: {violation}" for violation in await page.evaluate(RUN_AXE, [theme, part, rules])]
    excess: int = await page.evaluate(EXCESS_WIDTH)
    return [*faults, *([f"{excess} pixels too wide"] if excess > 0 else [])]


ScreenGroup = Callable[[Sequence[User], Sequence[User]], AsyncIterator[Screen]]


@pytest.mark.parametrize("group", screens.GROUPS, ids=lambda group: str(group.__name__))
async def test_every_screen_is_accessible(new_user: NewUser, group: ScreenGroup) -> None:
    viewers = [await new_user("Ann", DESKTOP), await new_user("Ana", PHONE, language="es")]
    guests = [await new_user("Ben"), await new_user("Cyd")]
    for viewer in viewers:
        viewer.expect_problem("closed before the connection is established")  # they leave tables at once

    async def look(screen: Screen, viewer: User, theme: str) -> tuple[str, list[str]]:
        await screen.prepare(viewer.page)
        faults = await find_faults(viewer.page, screen.part, [theme])
        await screen.undo(viewer.page)
        return f"{screen.name}, {viewer.name}", faults

    faults: dict[str, list[str]] = {}
    themes = THEMES
    async for screen in group(viewers, guests):
        looks = [look(screen, viewer, theme) for viewer, theme in zip(viewers, themes, strict=True)]
        faults |= dict(await asyncio.gather(*looks))
        themes = themes[::-1]  # what is only on one of the two devices is seen in both themes, on several screens
    assert {place: found for place, found in faults.items() if found} == {}


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
    for _ in ("made",) if after != before else ("chosen", "made"):
        await user.page.keyboard.press("Enter")
    return {"moved"} if after != before else set()
