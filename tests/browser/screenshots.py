"""Pictures of every screen for the documentation, in both themes and sizes: make screenshots."""

import asyncio
import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.async_api import async_playwright, expect

import hatch_build
from tests.browser import scenes
from tests.browser.chromium import launched
from tests.browser.people import DESKTOP, PHONE, WITHIN_MS, Person, somebody
from tests.processes import Server

FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
SIZES = {"desk": DESKTOP, "phone": PHONE}
WALKS = (scenes.pages, scenes.match, scenes.mustache)
QUALITY = 88
LEFT_OUT = ("gathering-alone", "missing", "verify", "talk-desk", "cup-desk", "table-cup-desk")
"""Looked at by tests, but no picture shows more than another does; on a desk the talk is there already."""
WITHOUT_GRAIN = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(".felt::before { display: none !important }");
  document.adoptedStyleSheets = [sheet];
}"""
"""The grain of the felt is noise, which makes a picture five times as large."""


async def main(*wanted: str) -> None:
    """Take all pictures, or those of the walks that are named."""
    hatch_build.build()
    FOLDER.mkdir(exist_ok=True)
    expect.set_options(timeout=WITHIN_MS)
    async with async_playwright() as playwright:
        browser = await launched(playwright)
        for walk in WALKS:
            if wanted and walk.__name__ not in wanted:
                continue
            server = Server(Path(tempfile.mkdtemp()) / "tables.db", "--pace", scenes.PACE, keeps_port=True)
            server.start()
            viewers = [await somebody("Ines", server, browser, size) for size in SIZES.values()]
            guests = [await somebody(name, server, browser) for name in ("Tobias", "Marta")]
            async for scene in walk(viewers, guests):
                for size, viewer in zip(SIZES, viewers, strict=True):
                    if scene.name in LEFT_OUT or f"{scene.name}-{size}" in LEFT_OUT:
                        continue
                    await scene.prepare(viewer.page)
                    await take(viewer, scene.name, size)
                    await scene.undo(viewer.page)
            for person in (*viewers, *guests):
                await person.context.close()
            server.end()
        await browser.close()


async def take(viewer: Person, name: str, size: str) -> None:
    """One screen in both themes."""
    await viewer.page.evaluate(WITHOUT_GRAIN)
    for theme in ("light", "dark"):
        await viewer.page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        await viewer.page.wait_for_load_state("networkidle")
        seen = Image.open(io.BytesIO(await viewer.page.screenshot()))
        seen.convert("RGB").save(FOLDER / f"{name}-{size}-{theme}.webp", quality=QUALITY, method=6)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
