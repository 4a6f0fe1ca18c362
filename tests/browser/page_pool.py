"""Pages of users, with a browser context each, that are used again.

A new context starts processes of the browser, which load every file of the page and compile its scripts. One that is
used again has all of that, and begins with no cookies and nothing stored, as a new one does.
"""

from collections import defaultdict

from playwright.async_api import Browser, Page
from playwright.async_api import Error as PlaywrightError

from tests.browser.users import PageOptions, create_page

PLAIN_FILE = "/icon.svg"
"""A file of the server that runs no script. To show it keeps the process, as a blank page does not."""
FORGET = """async () => {
  localStorage.clear();
  sessionStorage.clear();
  for (const { name } of await indexedDB.databases())
    await new Promise((resolve) => {
      const request = indexedDB.deleteDatabase(name);
      request.onsuccess = request.onerror = request.onblocked = resolve;
    });
}"""


class PagePool:
    """The pages that nobody uses, by their options."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._idle: defaultdict[PageOptions, list[Page]] = defaultdict(list)

    async def take(self, options: PageOptions) -> Page:
        """Takes a page that nobody uses, or a new one."""
        idle = self._idle[options]
        return idle.pop() if idle else await create_page(self._browser, options)

    async def give_back(self, page: Page, options: PageOptions, address: str) -> None:
        """Makes a page of the server at an address ready for another user, or closes its context.

        It closes the context of a user with everything, whose service worker would go on, and that of a page which does
        not react, such as one of a server that has ended.
        """
        if not options.everything and await _reset(page, options, address):
            self._idle[options].append(page)
        else:
            await page.context.close()


async def _reset(page: Page, options: PageOptions, address: str) -> bool:
    """Returns whether a page is as a new one of its context."""
    context = page.context
    try:
        await context.set_offline(False)
        for other in context.pages:
            if other is not page:
                await other.close()
        await page.goto(address + PLAIN_FILE)
        await page.evaluate(FORGET)
        await context.clear_cookies()
        await page.mouse.move(0, 0)
        width, height = options.size
        await page.set_viewport_size({"width": width, "height": height})
    except PlaywrightError:
        return False
    return True
