"""Draw the icons that want pixels from public/icon.svg: `python web/icons.py`, after a change of it."""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PUBLIC = Path(__file__).parent / "public"


def main(browser: str) -> None:
    """Write icon-192.png and icon-512.png, drawn by the Chromium at this path."""
    drawing = (PUBLIC / "icon.svg").read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for size in (192, 512):
            page = chromium.new_page(viewport={"width": size, "height": size})
            page.set_content(f"<style>body {{ margin: 0 }} svg {{ display: block }}</style>{drawing}")
            page.screenshot(path=PUBLIC / f"icon-{size}.png", omit_background=True)
        chromium.close()


if __name__ == "__main__":
    main(*sys.argv[1:] or ["/usr/bin/chromium"])
