"""How long a newcomer needs to understand the game: scripted newcomers play a first match and take the time to read.

Each follows only what the page says (`tests.browser.newcomer`), reads 3.3 words a second, and sees the page at the pace
and with the motion that people see. The figure is the time from the start page to the first bid that the own dice
support and the first right doubt, whichever is later.
"""

import asyncio
import os
import statistics

from playwright.async_api import Browser, async_playwright, expect

from benchmarks.figures import Figures, save_figures
from benchmarks.page_server import run_with_server
from tests.browser.chromium import launched
from tests.browser.newcomer import WORDS_A_SECOND, Newcomer
from tests.browser.users import DESKTOP, PHONE, WITHIN_MS, User
from tests.processes import Server

NEWCOMERS = 8
AT_ONCE = 2
LIMIT_S = 90


async def newcomer(browser: Browser, server: Server, number: int) -> Newcomer:
    """Let one newcomer play, every other one on a phone, and return what happened."""
    width, height = (DESKTOP, PHONE)[number % 2]
    context = await browser.new_context(viewport={"width": width, "height": height}, service_workers="block")
    context.set_default_timeout(WITHIN_MS)
    player = Newcomer(User(f"Newcomer {number}", server, await context.new_page()), reads=True)
    await player.begin()
    await player.play()
    await context.close()
    return player


async def measure(server: Server) -> Figures:
    """Let all newcomers play, and return the figures."""
    expect.set_options(timeout=WITHIN_MS)
    async with async_playwright() as playwright:
        browser = await launched(playwright)
        players = list[Newcomer]()
        for first in range(0, NEWCOMERS, AT_ONCE):
            group = range(first, min(first + AT_ONCE, NEWCOMERS))
            players += await asyncio.gather(*(newcomer(browser, server, number) for number in group))
        await browser.close()
    times_s = sorted(player.understood_after_s or 0.0 for player in players)
    return {
        "newcomers": len(players),
        "words_a_second": WORDS_A_SECOND,
        "within_90_s": sum(time_s < LIMIT_S for time_s in times_s),
        "fastest_s": round(times_s[0]),
        "median_s": round(statistics.median(times_s)),
        "slowest_s": round(times_s[-1]),
        "load_average": round(os.getloadavg()[1], 1),
    }


def main() -> None:
    """Measure, and save the figures with the load average of the last five minutes."""
    save_figures("first_match", {"first match": run_with_server(measure)})


if __name__ == "__main__":
    main()
