"""A browser for each worker, a server for each module, and people who notice whatever goes wrong on a page."""

import fcntl
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

import hatch_build
from tests.browser.chromium import launched
from tests.browser.people import DESKTOP, WITHIN_MS, Come, Person, somebody
from tests.processes import Server

HERE = Path(__file__).parent
SLOW = "2"
"""The pace at which nothing goes on by itself before everybody has looked."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All browser tests of a worker share its browser, and so its event loop."""
    for item in items:
        if HERE in item.path.parents and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(scope="session")
def built_page() -> None:
    """The page as its sources are now; built by one worker while the others wait."""
    with Path(tempfile.gettempdir(), "liarsdice-page.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        hatch_build.build()
    assert (hatch_build.PAGE / "index.html").exists(), "the page is not built: unset SKIP_WEB, or make play"


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    expect.set_options(timeout=WITHIN_MS)
    async with async_playwright() as playwright:
        browser = await launched(playwright)
        yield browser
        await browser.close()


@pytest.fixture(scope="module")
def server(
    built_page: None,  # noqa: ARG001  it is built first
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Iterator[Server]:
    """A server with a database of its own, as fast as the module's `PACE` says."""
    running = Server(
        tmp_path_factory.mktemp("server") / "tables.db",
        "--pace",
        getattr(request.module, "PACE", SLOW),
        keeps_port=True,
    )
    running.start()
    yield running
    running.end()


@pytest_asyncio.fixture(loop_scope="session")
async def come(server: Server, browser: Browser) -> AsyncIterator[Come]:
    """Have somebody come with a browser of their own; at the end nothing may have gone wrong on their pages."""
    people: list[Person] = []

    async def comes(name: str, size: tuple[int, int] = DESKTOP, *, language: str = "en") -> Person:
        people.append(await somebody(name, server, browser, size, language=language))
        return people[-1]

    yield comes
    for person in people:
        await person.context.close()
    assert [trouble for person in people for trouble in person.unexpected()] == []
