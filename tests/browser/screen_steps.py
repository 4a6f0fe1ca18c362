"""A screen of the page, and the steps that lead to it and away from it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from playwright._impl._api_structures import SetCookieParam
from playwright.async_api import Page

from tests.browser.users import User


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


def open_rules_lab(origin: str) -> Callable[[Page], Awaitable[None]]:
    """Opens the rules lab of a new table, at the top of the window."""

    async def run(page: Page) -> None:
        await open_page(f"{origin}/new?rules=perudo", shown=".rulebook li")(page)
        await page.locator("fieldset > details:last-child > summary").first.click()
        table = page.locator("details table")
        await table.wait_for()
        await table.evaluate("table => table.closest('details').scrollIntoView()")

    return run
