"""Renders the PNG icons from public/icon.svg. Run `python web/icons.py` after a change of that file."""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PUBLIC = Path(__file__).parent / "public"


def main(browser: str) -> None:
    """Writes icon-192.png and icon-512.png with the Chromium at the path `browser`."""
    svg = (PUBLIC / "icon.svg").read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for size in (192, 512):
            page = chromium.new_page(viewport={"width": size, "height": size})
            page.set_content(f"<style>body {{ margin: 0 }} svg {{ display: block }}</style>{svg}")
            page.screenshot(path=PUBLIC / f"icon-{size}.png", omit_background=True)
        chromium.close()


if __name__ == "__main__":
    main(*sys.argv[1:] or ["/usr/bin/chromium"])
