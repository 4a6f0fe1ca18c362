"""Every screen, on a desk and on a phone, in both languages and themes: axe finds nothing, and nothing sticks out."""

from collections.abc import AsyncIterator, Callable, Sequence

import pytest
from playwright.async_api import Page

import hatch_build
from tests.browser import scenes
from tests.browser.people import DESKTOP, PHONE, Come, Person

PACE = scenes.PACE
AXE = hatch_build.WEB / "node_modules" / "axe-core" / "axe.min.js"
THEMES = ("light", "dark")
RUN = """async () => (await axe.run(document)).violations.map(
  ({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(" | ")}`,
)"""
STICKS_OUT = "document.documentElement.scrollWidth - innerWidth"


async def faults(page: Page) -> list[str]:
    """What axe finds on a page, in both themes, and how far it is wider than the screen."""
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    found = []
    for theme in THEMES:
        await page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        found += [f"{theme}: {one}" for one in await page.evaluate(RUN)]
    wide: int = await page.evaluate(STICKS_OUT)
    return [*found, *([f"{wide} pixels too wide"] if wide > 0 else [])]


Walk = Callable[[Sequence[Person], Sequence[Person]], AsyncIterator[scenes.Scene]]


@pytest.mark.parametrize("walk", [scenes.pages, scenes.match, scenes.mustache], ids=lambda walk: str(walk.__name__))
async def test_every_screen_is_fit_for_everybody(come: Come, walk: Walk) -> None:
    viewers = [await come("Ann", DESKTOP), await come("Ana", PHONE, language="es")]
    guests = [await come("Ben"), await come("Cyd")]
    found: dict[str, list[str]] = {}
    async for scene in walk(viewers, guests):
        for viewer in viewers:
            await scene.prepare(viewer.page)
            if told := await faults(viewer.page):
                found[f"{scene.name}, {viewer.name}"] = told
            await scene.undo(viewer.page)
    assert found == {}
