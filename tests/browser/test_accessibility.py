"""Screens on desktop and phone, in both languages and themes: axe finds nothing, and no page is too wide."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

import pytest
from playwright.async_api import Page

import hatch_build
from tests.browser import screens
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
