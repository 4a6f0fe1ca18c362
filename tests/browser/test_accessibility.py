"""Screens on desktop and phone, in both languages and themes: axe finds nothing, and no page is too wide."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest
from playwright.async_api import Page

import hatch_build
from tests.browser import screens
from tests.browser.users import DESKTOP, PHONE, NewUser, User

AXE = hatch_build.WEB / "node_modules" / "axe-core" / "axe.min.js"
COLOUR_RULES = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
"""The rules of axe that depend on the theme, which changes nothing but colours."""
THEMES: dict[str, dict[str, Any]] = {"light": {}, "dark": COLOUR_RULES}
RUN_AXE = """async (options) => (await axe.run(document, { ...options, resultTypes: ["violations"] })).violations.map(
  ({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(" | ")}`,
)"""
EXCESS_WIDTH = "document.documentElement.scrollWidth - innerWidth"


async def find_faults(page: Page) -> list[str]:
    """The violations that axe finds in both themes, and by how much the page is too wide."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE.read_text(encoding="utf-8"))
    faults = []
    for theme, options in THEMES.items():
        await page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        faults += [f"{theme}: {violation}" for violation in await page.evaluate(RUN_AXE, options)]
    excess: int = await page.evaluate(EXCESS_WIDTH)
    return [*faults, *([f"{excess} pixels too wide"] if excess > 0 else [])]


ScreenGroup = Callable[[Sequence[User], Sequence[User]], AsyncIterator[screens.Screen]]


@pytest.mark.parametrize(
    "group",
    [screens.page_screens, screens.table_screens, screens.special_round_screens],
    ids=lambda group: str(group.__name__),
)
async def test_every_screen_is_accessible(new_user: NewUser, group: ScreenGroup) -> None:
    viewers = [
        await new_user("Ann", DESKTOP, drawn=True),
        await new_user("Ana", PHONE, language="es", drawn=True),
    ]
    guests = [await new_user("Ben"), await new_user("Cyd")]
    faults: dict[str, list[str]] = {}
    async for screen in group(viewers, guests):
        for viewer in viewers:
            await screen.prepare(viewer.page)
            if found := await find_faults(viewer.page):
                faults[f"{screen.name}, {viewer.name}"] = found
            await screen.undo(viewer.page)
    assert faults == {}
