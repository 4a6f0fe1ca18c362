"""What a page costs while nothing happens: the work of its main thread in ten seconds of each state in which it waits.

A phone pays for it with its battery. The pages move as they do for people, and each state is measured once it has come
to rest. `main_thread_ms` is the time of all tasks; a clock that shows seconds needs a layout for each of them.
"""

import os
from collections.abc import AsyncIterator

from playwright.async_api import Browser, Page, async_playwright, expect

from benchmarks.figures import Figures, save_figures
from benchmarks.page_server import run_with_server
from tests.browser.chromium import launched
from tests.browser.match_player import start_match
from tests.browser.round_steps import QUICK_START, bid, call, current_player, read_verdict
from tests.browser.users import NOT_THE_FIRST_MATCH, PHONE, SILENCE, WITHIN_MS, User
from tests.processes import Server

SETTLES_MS = 6_000
SECONDS = 10
COUNTERS = {"layouts": "LayoutCount", "style_updates": "RecalcStyleCount"}


async def new_user(browser: Browser, server: Server, name: str, *, newcomer: bool = False) -> User:
    """Create a user with a phone."""
    width, height = PHONE
    context = await browser.new_context(
        viewport={"width": width, "height": height}, is_mobile=True, has_touch=True, service_workers="block"
    )
    context.set_default_timeout(WITHIN_MS)
    for script in [SILENCE] if newcomer else [SILENCE, NOT_THE_FIRST_MATCH]:
        await context.add_init_script(script)
    return User(name, server, await context.new_page())


async def states(browser: Browser, server: Server) -> AsyncIterator[tuple[str, Page]]:
    """Yield a name and the page for each state in which a page waits."""
    nia = await new_user(browser, server, "Nia", newcomer=True)
    await nia.goto("/")
    yield "start page", nia.page
    await nia.page.locator(".start > button:not(.primary)").first.click()
    await nia.page.locator(".coach .primary").wait_for()
    yield "hint of a first match", nia.page
    await nia.context.close()

    ann, ben = await new_user(browser, server, "Ann"), await new_user(browser, server, "Ben")
    await ann.goto("/quick")
    await ann.button("Find a table").click()
    await expect(ann.heading("Quick match")).to_be_visible()
    yield "quick match", ann.page
    clock = {"turn_s": 300, "bank_s": 0}
    code = await ann.open_table("basic", {"dice.per_player": 1} | QUICK_START, seats=2, clock=clock)
    await ben.join(code)
    yield "table before a match", ann.page
    await start_match(ann, ben)
    if await current_player((ann, ben)) is ann:
        await bid(ann, 1, 2)
    yield "turn of another player, with a clock", ann.page
    await bid(ben, 2, 3)
    await expect(ann.heading("Your turn")).to_be_visible()
    yield "own turn, with a clock", ann.page
    await call(ann, "Liar!")
    await read_verdict(ann)
    yield "after a reveal", ann.page
    await ann.button("The final order").click()
    await expect(ann.heading("Good game")).to_be_visible()
    yield "end of a match", ann.page


async def idle_figures(page: Page) -> Figures:
    """Return what the main thread of a page does in ten seconds, after all motion."""
    devices = await page.context.new_cdp_session(page)
    await devices.send("Performance.enable")
    await page.wait_for_timeout(SETTLES_MS)

    async def read() -> dict[str, float]:
        metrics = (await devices.send("Performance.getMetrics"))["metrics"]
        return {metric["name"]: metric["value"] for metric in metrics}

    before = await read()
    await page.wait_for_timeout(1000 * SECONDS)
    after = await read()
    figures: Figures = {name: round(after[counter] - before[counter]) for name, counter in COUNTERS.items()}
    figures["main_thread_ms"] = round(1000 * (after["TaskDuration"] - before["TaskDuration"]), 1)
    figures["script_ms"] = round(1000 * (after["ScriptDuration"] - before["ScriptDuration"]), 1)
    await devices.detach()
    return figures


async def measure(server: Server) -> dict[str, Figures]:
    """Measure all states."""
    expect.set_options(timeout=WITHIN_MS)
    async with async_playwright() as playwright:
        browser = await launched(playwright)
        figures = {name: await idle_figures(page) async for name, page in states(browser, server)}
        await browser.close()
    return {name: values | {"load_average": round(os.getloadavg()[0], 1)} for name, values in figures.items()}


def main() -> None:
    """Measure, and save the figures."""
    save_figures("rest", run_with_server(measure))


if __name__ == "__main__":
    main()
