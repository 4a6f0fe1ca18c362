"""People before their screens, each with a browser of their own; whatever goes wrong on a page is written down."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, WebSocket, expect

from tests.processes import Server

DESKTOP, PHONE = (1280, 800), (390, 844)
WITHIN_MS = 30_000
"""Long enough for a busy machine; whoever waits for what comes waits no longer than that takes."""


class Person:
    """Somebody with a browser. `troubles`: what the page complained of, or the browser about the page."""

    def __init__(self, name: str, server: Server, context: BrowserContext, page: Page) -> None:
        self.name = name
        self.server = server
        self.context = context
        self.page = page
        self.troubles: list[str] = []
        self.frames: list[str] = []
        self.expected: list[str] = []
        context.on("console", self._console)
        context.on("weberror", lambda error: self.troubles.append(f"{self.name}: {error.error}"))
        page.on("websocket", self._socket)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.troubles.append(f"{self.name}: {message.text} ({message.location.get('url', '')})")

    def _socket(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: self.frames.append(str(frame)))

    def expect_trouble(self, pattern: str) -> None:
        """Say that the browser will complain so, because we break something on purpose."""
        self.expected.append(pattern)

    def unexpected(self) -> list[str]:
        """What went wrong that nobody meant to."""
        return [trouble for trouble in self.troubles if not any(re.search(one, trouble) for one in self.expected)]

    async def goto(self, path: str) -> None:
        """Open a page of the server."""
        await self.page.goto(self.server.address + path)

    async def post(self, path: str, form: dict[str, Any]) -> dict[str, Any]:  # JSON has what the API says
        """Ask the API as this person's page would."""
        answer = await self.context.request.post(self.server.address + path, data=form)
        assert answer.ok, await answer.text()
        told: dict[str, Any] = await answer.json()
        return told

    async def open_table(self, rules: str, changes: dict[str, Any] | None = None, **form: Any) -> str:  # noqa: ANN401  as TableForm
        """Open a table, sit down as its host, look at it; its code."""
        form = {
            "name": self.name,
            "rules": rules,
            "changes": changes or {},
            "title": "The Wet Boot",
            "seed": "5eed",
        } | form
        code: str = (await self.post("/api/tables", form))["code"]
        await self.goto(f"/t/{code}")
        await expect(self.stage).to_be_visible()
        return code

    async def join(self, code: str) -> None:
        """Follow an invitation: type a name, sit down."""
        await self.goto(f"/t/{code}")
        await self.page.get_by_label("Your name").fill(self.name)
        await self.button("Sit down").click()
        await expect(self.page.get_by_text(f"{self.name} (you)")).to_be_visible()

    def button(self, name: str | re.Pattern[str]) -> Locator:
        """A button by what it says."""
        return self.page.get_by_role("button", name=name)

    def heading(self, name: str | re.Pattern[str]) -> Locator:
        """A heading by what it says."""
        return self.page.get_by_role("heading", name=name)

    @property
    def stage(self) -> Locator:
        """The felt."""
        return self.page.get_by_role("region", name="The table", exact=True)

    @property
    def dock(self) -> Locator:
        """What there is to do."""
        return self.page.get_by_role("region", name="Your move")

    @property
    def dice(self) -> Locator:
        """The own dice, each named by its face."""
        return self.page.get_by_role("list", name="Your dice").get_by_role("img")

    async def hand(self) -> list[int]:
        """The faces of the own dice as they are shown."""
        return [int(re.sub(r"\D", "", text or "")) for text in await self._named(self.dice)]

    async def _named(self, images: Locator) -> list[str]:
        return [await image.get_attribute("aria-label") or "" for image in await images.all()]

    async def choose_theme(self, theme: Literal["light", "dark"], language: str = "en") -> None:
        """Have the next page that is opened look so, and speak so."""
        script = (
            f"localStorage.setItem('liarsdice.theme','{theme}');localStorage.setItem('liarsdice.language','{language}')"
        )
        await self.page.add_init_script(script)


async def somebody(
    name: str, server: Server, browser: Browser, size: tuple[int, int] = DESKTOP, *, language: str = "en"
) -> Person:
    """A new person with a fresh browser; a phone where the screen is small. Nothing moves, as they asked for."""
    context = await browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        locale=language,
        reduced_motion="reduce",
        has_touch=size == PHONE,
        is_mobile=size == PHONE,
        device_scale_factor=1,
    )
    context.set_default_timeout(WITHIN_MS)
    return Person(name, server, context, await context.new_page())


Come = Callable[..., Awaitable[Person]]
"""Has somebody come with a browser of their own, by name."""
