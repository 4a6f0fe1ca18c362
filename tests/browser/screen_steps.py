"""Pictures of the screens: how each is reached, and how a reveal is caught."""

import asyncio
import io
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright._impl._api_structures import SetCookieParam
from playwright.async_api import Browser, Page

from tests.browser.match_player import wait_until_removed
from tests.browser.round_steps import raise_bid
from tests.browser.server_without_pauses import PROGRAM
from tests.browser.users import WITHIN_MS, User
from tests.processes import Server


async def nothing(_: Page) -> None:
    """Does nothing."""


@dataclass(frozen=True)
class Screen:
    """A screen: its name, and what each viewer does to see it and to leave it.

    `part`: the selector of what no screen before it has shown.
    """

    name: str
    prepare: Callable[[Page], Awaitable[None]] = nothing
    undo: Callable[[Page], Awaitable[None]] = nothing
    part: str = "html"


OPEN_PAGE = """(address) => {
  const target = new URL(address);
  if (target.origin !== location.origin || target.pathname === location.pathname || !document.querySelector("#main"))
    return false;
  document.querySelector("#main").dataset.left = "";
  const link = document.createElement("a");
  link.href = address;
  document.body.append(link);
  link.click();
  link.remove();
  return true;
}"""
"""Opens a page as a link does, without loading the program again. Returns whether it could."""


def open_page(address: str, *, click: str = "", shown: str = "main") -> Callable[[Page], Awaitable[None]]:
    """Opens a page, waits for the selector `shown`, and clicks on the selector `click`."""

    async def run(page: Page) -> None:
        if await page.evaluate(OPEN_PAGE, address):
            await page.locator("#main[data-left]").wait_for(state="detached")
        else:
            await page.goto(address)
        await page.locator(shown).first.wait_for()
        if click:
            await page.locator(click).first.click()

    return run


def click(selector: str, *, shown: str = "body") -> Callable[[Page], Awaitable[None]]:
    """Clicks the first visible element of a selector, and waits for the selector `shown`.

    Without `shown`, nothing is clicked where the size of the screen hides the element.
    """

    async def run(page: Page) -> None:
        element = page.locator(selector).locator("visible=true").first
        if shown != "body" or await element.count():
            await element.click()
        await page.locator(shown).first.wait_for()

    return run


def wait_for(selector: str) -> Callable[[Page], Awaitable[None]]:
    """Waits for the first element of a selector."""

    async def run(page: Page) -> None:
        await page.locator(selector).first.wait_for()

    return run


async def press_escape(page: Page) -> None:
    """Closes a dialog."""
    await page.keyboard.press("Escape")


async def share_seat(viewers: Sequence[User], address: str) -> None:
    """Gives all viewers the seat of the first one, and shows the table."""
    first, *others = viewers
    stored = (await first.context.storage_state())["cookies"]
    cookies: list[SetCookieParam] = [
        {"name": cookie["name"], "value": cookie["value"], "url": first.server.address} for cookie in stored
    ]
    for other in others:
        await other.context.add_cookies(cookies)
    await asyncio.gather(*(other.page.goto(address) for other in others))
    await asyncio.gather(*(other.page.locator(".board").wait_for() for other in others))


def open_first_match(origin: str) -> Callable[[Page], Awaitable[None]]:
    """Starts a first match and waits for its first hint."""

    async def run(page: Page) -> None:
        await open_page(f"{origin}/", click=".start > button:not(.primary)", shown="h1")(page)
        await page.locator(".tutorial .primary").wait_for()

    return run


async def open_estimates(page: Page) -> None:
    """Shows the estimates at a training table."""
    await page.locator(".training .tabs button").last.click()
    await page.locator(".estimates h2").first.wait_for()


OWN_GAMES = (
    '{"Rosa\'s Sunday dice": "/rules/perudo?dice.per_player=3", "Last hour": "/rules/classic?dice.per_player=2"}'
)


def open_own_games(origin: str) -> Callable[[Page], Awaitable[None]]:
    """Shows the form for a new table where tables with changed rules were opened before."""

    async def run(page: Page) -> None:
        await page.evaluate("games => localStorage.setItem('liarsdice.games', games)", OWN_GAMES)
        await open_page(f"{origin}/new?rules=classic&dice.per_player=2", shown="main li .preset")(page)

    return run


def open_rules_lab(origin: str) -> Callable[[Page], Awaitable[None]]:
    """Opens the rules lab of a new table, at the top of the window."""

    async def run(page: Page) -> None:
        await open_page(f"{origin}/new?rules=perudo", click=".variants > summary", shown=".preset")(page)
        await page.locator(".variants > details:last-child > summary").click()
        table = page.locator("details table")
        await table.wait_for()
        await table.evaluate("table => table.closest('details').scrollIntoView()")

    return run


SIZE = (1080, 720)
SHOWN_SIZE = (720, 480)
FRAME_MS = 100
FRAMES = 100
"""Ten seconds: the call, the cups, the stamp, the lost die, and the sentence for as long as it takes to read it."""
QUALITY = 50
MIN_BID_DICE = 5
MAX_TURNS = 60
MOVE_ANIMATIONS = """(ms) => {
  globalThis.times ??= new WeakMap();
  for (const animation of document.getAnimations()) {
    if (animation.playState === "finished") continue;
    const time = times.has(animation) ? times.get(animation) + ms : 0;
    times.set(animation, time);
    animation.pause();
    animation.currentTime = time;
    if (time >= animation.effect.getComputedTiming().endTime) animation.finish();
  }
}"""
"""Moves the animations that the clock of the page does not move. A new one starts at its beginning."""


async def capture_reveal(browser: Browser, path: Path) -> None:
    """Saves an animation of a challenge at a table with three bots."""
    server = Server(Path(tempfile.mkdtemp()) / "tables.db", program=PROGRAM)
    server.start()
    width, height = SIZE
    context = await browser.new_context(viewport={"width": width, "height": height}, color_scheme="dark")
    context.set_default_timeout(WITHIN_MS)
    page = await context.new_page()
    await page.clock.install()
    ines = User("Ines", server, page)
    await ines.open_table("perudo", seats=4, bots=["novice", "threshold", "inference"], begin=True)
    await challenge(ines)
    frames = []
    for _ in range(FRAMES):
        await page.evaluate(MOVE_ANIMATIONS, FRAME_MS)
        image = Image.open(io.BytesIO(await page.screenshot()))
        frames.append(image.convert("RGB").resize(SHOWN_SIZE, Image.Resampling.LANCZOS))
        await page.clock.run_for(FRAME_MS)
    first, *others = frames
    first.save(path, save_all=True, append_images=others, duration=FRAME_MS, loop=0, quality=QUALITY, method=4)
    await context.close()
    server.end()


async def challenge(ines: User) -> None:
    """Bids until Ines may challenge a bid of some dice, and does, with the clock of the page stopped."""
    page = ines.page
    next_button = ines.action_panel.locator(".next .primary")
    chart = ines.action_panel.get_by_role("grid")
    for _ in range(MAX_TURNS):
        await chart.or_(next_button).first.wait_for()
        if await next_button.is_visible():
            handle = await next_button.element_handle()
            await next_button.click()
            await wait_until_removed(handle)
        elif await ines.board.locator(".bid-dice .die").count() >= MIN_BID_DICE:
            await page.clock.pause_at(await page.evaluate("Date.now()"))
            button = ines.action_panel.get_by_role("button", name="Dudo!")
            await button.click()
            if await button.is_visible():
                await button.click()  # a first match asks for a second tap
            await page.locator(".theatre").wait_for()
            return
        else:
            await raise_bid(ines)
    raise AssertionError("Ines never has such a bid to answer")
