"""The time from `make play` in a fresh clone to a newcomer's first bid, with nothing downloaded before; then again.

Packages come from the registries that pip and npm are configured with.
"""

import asyncio
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from playwright.async_api import async_playwright, expect

from benchmarks.figures import Figures, save_figures
from tests.browser.chromium import launched

WITHIN_MS = 60_000
ADDRESS = re.compile(r"http://\S+")
RUNS = ("fresh", "second")


async def first_bid(address: str) -> float:
    """Open the page, choose "Play now", wait for the first own turn and bid; return the seconds that it took."""
    expect.set_options(timeout=WITHIN_MS)
    async with async_playwright() as playwright:
        browser = await launched(playwright)
        page = await browser.new_page()
        started_s = time.monotonic()
        await page.goto(address)
        await page.get_by_role("button", name=re.compile("Play now")).click()
        await page.get_by_role("button", name="I know the game").click()
        await expect(page.get_by_role("heading", name="Your turn")).to_be_visible()
        await page.locator("[data-bid]").first.click()
        await page.get_by_role("button", name=re.compile("^Say ")).click()
        await expect(page.get_by_role("heading", name="Your turn")).to_be_hidden()
        seconds = time.monotonic() - started_s
        await browser.close()
    return seconds


def measure(clone: Path, home: Path) -> Figures:
    """Run `make play` once, and return the figures."""
    settings = {"XDG_STATE_HOME": str(home), "npm_config_cache": str(home / "npm"), "PIP_NO_CACHE_DIR": "1"}
    started_s = time.monotonic()
    program = subprocess.Popen(
        ["make", "--silent", "play", "ARGS=--port 0"],
        cwd=clone,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | settings,
        start_new_session=True,
    )
    try:
        assert program.stdout is not None
        address = next(match[0] for line in program.stdout if (match := ADDRESS.search(line)))
        serving_s = time.monotonic() - started_s
        page_s = asyncio.run(first_bid(address))
    finally:
        os.killpg(program.pid, signal.SIGINT)
        program.wait()
    return {
        "address_printed_after_s": round(serving_s, 1),
        "then_to_the_first_bid_s": round(page_s, 1),
        "in_all_s": round(serving_s + page_s, 1),
    }


def main() -> None:
    """Measure a fresh and a second run, and save the figures."""
    repository = Path(__file__).parents[1]
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "liarsdice"
        subprocess.run(["git", "clone", "--quiet", str(repository), str(clone)], check=True)
        save_figures("first_bid", {run: measure(clone, Path(folder) / "home") for run in RUNS})


if __name__ == "__main__":
    main()
