"""Users of the page in a browser, each with a page of their own, which is used again."""

import re
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from playwright.async_api import Browser, ConsoleMessage, Locator, Page, WebError, WebSocket, expect
from playwright.async_api import Error as PlaywrightError

from tests.processes import Server

NO_SERVICE_WORKER = "Service Worker registration blocked by Playwright"
NO_ICON = r"404.*/favicon\.ico"  # Chromium asks for it beside a plain file, as the page pool shows one
DESKTOP, PHONE = (1280, 800), (390, 844)
SILENCE = "try { localStorage.setItem('liarsdice.sound', 'off') } catch {}"
NOT_THE_FIRST_MATCH = "try { localStorage.setItem('liarsdice.played', 'yes') } catch {}"  # a blank page has no storage
TRANSPARENT = """try {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("html { opacity: 0 !important }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
} catch {}"""
"""Makes a page transparent: the browser lays it out and reacts to clicks, but draws no pixels, which no test reads."""
WITHIN_MS = 30_000
"""The timeout of all waits, long enough for a busy machine."""


@dataclass(frozen=True)
class PageOptions:
    """The options of a user's page. The size `PHONE` also has a touch screen.

    Only a page with `everything` has sounds and a service worker. Each costs the browser more than a page does: the
    sound system works through every match, and a service worker stores all files of the page for each user anew.
    Only a page with `everything` or `drawn` is drawn, which costs as much as its scripts do.
    A `newcomer` has never played a match.
    """

    size: tuple[int, int] = DESKTOP
    language: str = "en"
    everything: bool = False
    drawn: bool = False
    newcomer: bool = False


class User:
    """A user with a page. `problems` are errors and warnings of the page, `frames` the received WebSocket messages."""

    def __init__(self, name: str, server: Server, page: Page) -> None:
        self.name = name
        self.server = server
        self.page = page
        self.context = page.context
        self.problems: list[str] = []
        self.frames: list[str] = []
        self.expected_problems: list[str] = [NO_SERVICE_WORKER, NO_ICON]
        self.context.on("console", self._console)
        self.context.on("weberror", self._web_error)
        page.on("websocket", self._socket)

    def stop_recording(self) -> None:
        """Ends the record of problems and messages, as the page is no longer this user's."""
        self.context.remove_listener("console", self._console)
        self.context.remove_listener("weberror", self._web_error)
        self.page.remove_listener("websocket", self._socket)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{self.name}: {message.text} ({message.location.get('url', '')})")

    def _web_error(self, error: WebError) -> None:
        self.problems.append(f"{self.name}: {error.error}")

    def _socket(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: self.frames.append(str(frame)))

    def expect_problem(self, pattern: str) -> None:
        """Expects problems that match a pattern, because the test causes them."""
        self.expected_problems.append(pattern)

    def unexpected_problems(self) -> list[str]:
        """The problems that match no expected pattern."""
        return [
            problem
            for problem in self.problems
            if not any(re.search(pattern, problem) for pattern in self.expected_problems)
        ]

    async def goto(self, path: str) -> None:
        """Opens a path of the server."""
        await self.page.goto(self.server.address + path)

    async def post(self, path: str, form: dict[str, Any]) -> dict[str, Any]:
        """Posts a form to the API with the cookies of this user, and returns the JSON answer."""
        response = await self.context.request.post(self.server.address + path, data=form)
        assert response.ok, await response.text()
        result: dict[str, Any] = await response.json()
        return result

    async def open_table(self, rules: str, changes: dict[str, Any] | None = None, **form: Any) -> str:  # noqa: ANN401  as TableForm
        """Opens a table as its host, shows it and returns its code."""
        form = {
            "name": self.name,
            "rules": rules,
            "changes": changes or {},
            "title": "The Wet Boot",
        } | form
        code: str = (await self.post("/api/tables", form))["code"]
        await self.goto(f"/t/{code}")
        await expect(self.board).to_be_visible()
        return code

    async def join(self, code: str) -> None:
        """Opens the link of a table and takes a seat."""
        await self.goto(f"/t/{code}")
        await self.page.get_by_label("Your name").fill(self.name)
        await self.button("Sit down").click()
        await expect(self.page.get_by_text(f"{self.name} (you)")).to_be_visible()

    def button(self, name: str | re.Pattern[str]) -> Locator:
        """A button by its accessible name."""
        return self.page.get_by_role("button", name=name)

    def heading(self, name: str | re.Pattern[str]) -> Locator:
        """A heading by its text."""
        return self.page.get_by_role("heading", name=name)

    @property
    def board(self) -> Locator:
        """The board with the seats."""
        return self.page.get_by_role("region", name="The table", exact=True)

    @property
    def action_panel(self) -> Locator:
        """The panel with the actions of the user."""
        return self.page.get_by_role("region", name="Your move")

    @property
    def dice(self) -> Locator:
        """The images of the own dice, whose names have the face."""
        return self.page.get_by_role("list", name="Your dice").get_by_role("img")

    async def hand(self) -> list[int]:
        """The faces of the own dice."""
        return [int(re.sub(r"\D", "", text or "")) for text in await self._named(self.dice)]

    async def _named(self, images: Locator) -> list[str]:
        return [await image.get_attribute("aria-label") or "" for image in await images.all()]

    async def choose_theme(self, theme: Literal["light", "dark"], language: str = "en") -> None:
        """Sets theme and language of the pages opened from now on."""
        script = (
            f"localStorage.setItem('liarsdice.theme','{theme}');localStorage.setItem('liarsdice.language','{language}')"
        )
        await self.page.add_init_script(script)


async def create_page(browser: Browser, options: PageOptions) -> Page:
    """Creates a page with a new browser context, without animations."""
    width, height = options.size
    context = await browser.new_context(
        viewport={"width": width, "height": height},
        locale=options.language,
        reduced_motion="reduce",
        has_touch=options.size == PHONE,
        is_mobile=options.size == PHONE,
        device_scale_factor=1,
        service_workers="allow" if options.everything else "block",
    )
    context.set_default_timeout(WITHIN_MS)
    if not options.newcomer:
        await context.add_init_script(NOT_THE_FIRST_MATCH)
    if not options.everything:
        await context.add_init_script(SILENCE)
    if not (options.everything or options.drawn):
        await context.add_init_script(TRANSPARENT)
    return await context.new_page()


NewUser = Callable[..., Awaitable[User]]
"""The type of the fixture `new_user`."""


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
