"""Takes pictures of every screen in both themes and sizes, and records the reveal of the README: `make screenshots`."""

import asyncio
import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.async_api import async_playwright, expect

import hatch_build
from tests.browser import screens
from tests.browser.chromium import launched
from tests.browser.screen_steps import capture_reveal
from tests.browser.server_without_pauses import PROGRAM
from tests.browser.users import DESKTOP, PHONE, WITHIN_MS, PageOptions, User, create_page
from tests.processes import Server

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "screenshots"
REVEAL = ROOT / "docs" / "pictures" / "reveal.webp"
SIZES = {"desk": DESKTOP, "phone": PHONE}
QUALITY = 88
SKIPPED = (
    "gathering-alone",
    "no-matches",
    "missing",
    "verify",
    "talk-desk",
    "cup-desk",
    "table-cup-desk",
    "tv-phone",
    "tv-desk-light",
)
"""Screens that tests need but that look like others; on a desktop the chat is always visible.
The shared screen is always dark.
"""
REMOVE_TEXTURE = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(".felt::before { display: none !important }");
  document.adoptedStyleSheets = [sheet];
}"""
"""The texture of the felt is noise, which makes a picture five times as large."""


async def main(*names: str) -> None:
    """Takes all pictures, or those of the groups that are named; `capture_reveal` is the record of a reveal."""
    hatch_build.build()
    FOLDER.mkdir(exist_ok=True)
    expect.set_options(timeout=WITHIN_MS)
    async with async_playwright() as playwright:
        browser = await launched(playwright)
        if not names or capture_reveal.__name__ in names:
            await capture_reveal(browser, REVEAL)
        for group in screens.GROUPS:
            if names and group.__name__ not in names:
                continue
            server = Server(Path(tempfile.mkdtemp()) / "tables.db", keeps_port=True, program=PROGRAM)
            server.start()
            viewers = [
                User("Ines", server, await create_page(browser, PageOptions(size, drawn=True)))
                for size in SIZES.values()
            ]
            guests = [User(name, server, await create_page(browser, PageOptions())) for name in ("Tobias", "Marta")]
            async for screen in group(viewers, guests):
                for size, viewer in zip(SIZES, viewers, strict=True):
                    if screen.name in SKIPPED or f"{screen.name}-{size}" in SKIPPED:
                        continue
                    await screen.prepare(viewer.page)
                    await take_screenshot(viewer, screen.name, size)
                    await screen.undo(viewer.page)
            for user in (*viewers, *guests):
                await user.context.close()
            server.end()
        await browser.close()


async def take_screenshot(viewer: User, name: str, size: str) -> None:
    """Saves one screen in both themes."""
    await viewer.page.evaluate(REMOVE_TEXTURE)
    for theme in ("light", "dark"):
        if f"{name}-{size}-{theme}" in SKIPPED:
            continue
        await viewer.page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        await viewer.page.wait_for_load_state("networkidle")
        image = Image.open(io.BytesIO(await viewer.page.screenshot()))
        image.convert("RGB").save(FOLDER / f"{name}-{size}-{theme}.webp", quality=QUALITY, method=6)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
