"""Fixtures: a browser and a server for each process of pytest, and users with a page each."""

import fcntl
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

import hatch_build
from tests.browser.chromium import launched
from tests.browser.server_without_pauses import PROGRAM, SERVER_FLAGS
from tests.browser.users import DESKTOP, WITHIN_MS, NewUser, PageOptions, PagePool, User
from tests.processes import Server

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Runs all browser tests of a worker in one event loop, as they share a browser."""
    for item in items:
        if item.path.parent == HERE and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(scope="session")
def built_page() -> None:
    """Builds the page if it is out of date. One worker builds, the others wait."""
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


@pytest.fixture(scope="session")
def session_server(
    built_page: None,  # noqa: ARG001  the server serves the built page
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Server]:
    """A server for all browser tests, so that pages that are used again have its files."""
    running = Server(tmp_path_factory.mktemp("server") / "tables.db", *SERVER_FLAGS, keeps_port=True, program=PROGRAM)
    running.start()
    yield running
    running.end()


@pytest.fixture
def server(session_server: Server) -> Iterator[Server]:
    """The server, which is started again if a test has ended it."""
    yield session_server
    if not session_server.is_running:
        session_server.start()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def page_pool(browser: Browser) -> PagePool:
    return PagePool(browser)


@pytest_asyncio.fixture(loop_scope="session")
async def new_user(server: Server, page_pool: PagePool) -> AsyncIterator[NewUser]:
    """Creates users by name. At the end the test fails if their pages had unexpected problems."""
    users: list[tuple[User, PageOptions]] = []

    async def create(
        name: str,
        size: tuple[int, int] = DESKTOP,
        *,
        language: str = "en",
        everything: bool = False,
        drawn: bool = False,
        newcomer: bool = False,
    ) -> User:
        options = PageOptions(size, language, everything, drawn, newcomer)
        user = User(name, server, await page_pool.take(options))
        users.append((user, options))
        return user

    yield create
    for user, options in users:
        user.stop_recording()
        await page_pool.give_back(user.page, options, server.address)
    assert [problem for user, _ in users for problem in user.unexpected_problems()] == []
