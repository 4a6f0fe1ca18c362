"""A server that stops, or cannot reach its database, closes its connections a few at a time, in random order."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from liarsdice.server.errors import StoreError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.websocket import CLOSED_RESTARTING
from liarsdice.server.live import table_registry
from liarsdice.server.live.table_registry import CLOSED_PER_S, MAX_SPREAD_S, SILENT_AFTER_S, STEP_S, close_gradually
from tests.server.live_tables import PATIENCE_S, RecordingSubscriber, make_table
from tests.server.running_server import RunningServer, close_code, say_hello
from tests.server.two_nodes import TwoNodes


class Connections:
    """Connections that count how many are closed before each pause, and in which order."""

    def __init__(self, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.closed: list[int] = []
        self.closed_before_pauses: list[int] = []
        self.closings = [partial(self.closed.append, number) for number in range(count)]
        monkeypatch.setattr("liarsdice.server.live.table_registry.asyncio.sleep", self._pause)

    async def _pause(self, _: float) -> None:
        self.closed_before_pauses.append(len(self.closed))


async def test_few_connections_are_closed_at_the_usual_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    connections = Connections(100, monkeypatch)
    await close_gradually(connections.closings, lambda: False)
    step = round(CLOSED_PER_S * STEP_S)
    assert connections.closed_before_pauses == list(range(step, 100, step))
    assert sorted(connections.closed) == list(range(100))
    assert connections.closed != sorted(connections.closed)


async def test_however_many_connections_are_closed_within_a_short_time(monkeypatch: pytest.MonkeyPatch) -> None:
    connections = Connections(20_000, monkeypatch)
    await close_gradually(connections.closings, lambda: False)
    assert len(connections.closed_before_pauses) < MAX_SPREAD_S / STEP_S
    assert len(connections.closed) == 20_000


async def test_an_operator_who_does_not_want_to_wait_closes_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    connections = Connections(1_000, monkeypatch)
    await close_gradually(connections.closings, lambda: bool(connections.closed))
    assert len(connections.closed_before_pauses) == 1
    assert len(connections.closed) == 1_000


async def test_the_pages_of_a_table_that_is_given_up_connect_again(server: RunningServer) -> None:
    browser = server.browser()
    code = await server.open_table(browser)
    async with server.connect(code, browser) as socket:
        await say_hello(socket)
        server.registry.unload(code)
        assert await close_code(socket) == CLOSED_RESTARTING


async def page_at(nodes: TwoNodes) -> RecordingSubscriber:
    """A page that is open at a table of the first node."""
    live_table = await make_table(nodes.first, "Ann", "Bo")
    page = RecordingSubscriber(hash_token("Ann"))
    live_table.subscribe(page)
    return page


class Database:
    """What becomes of the heartbeat of a node: it takes `takes_s`, and then fails for a reason, if there is one."""

    def __init__(self, nodes: TwoNodes, monkeypatch: pytest.MonkeyPatch) -> None:
        self.takes_s = 0.0
        self.fails: BaseException | None = TimeoutError()
        self._now_s = 1000.0
        monkeypatch.setattr(nodes.first.database_silence, "_now_s", lambda: self._now_s)
        monkeypatch.setattr(nodes.store, "heartbeat", self._heartbeat)

    async def _heartbeat(self, _: int) -> None:
        await asyncio.sleep(0)
        self._now_s += self.takes_s
        if self.fails is not None:
            raise failure(self.fails)


def failure(cause: BaseException) -> StoreError:
    error = StoreError("the database does not work")
    error.__cause__ = cause
    return error


async def test_the_pages_of_a_node_connect_elsewhere_while_its_database_answers_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The whole way: what a node does every second fails without an answer."""
    monkeypatch.setattr(table_registry, "SWEEP_S", 0)
    nodes = TwoNodes()
    page, database = await page_at(nodes), Database(nodes, monkeypatch)
    database.takes_s = 2.0
    running = asyncio.create_task(nodes.first.run())
    await until(lambda: page.handed_over)
    assert nodes.first.database_silence.lasts
    database.fails = None
    await until(lambda: not nodes.first.database_silence.lasts)
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110  the condition depends on a task
            await asyncio.sleep(0)


async def listen(nodes: TwoNodes) -> None:
    with suppress(StoreError):
        await nodes.first.database_silence.listen()


async def test_a_short_silence_of_the_database_moves_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = TwoNodes()
    page, database = await page_at(nodes), Database(nodes, monkeypatch)
    for takes_s, moved in ((SILENT_AFTER_S - 1, False), (1, True)):
        database.takes_s = takes_s
        await listen(nodes)
        assert (page.handed_over, nodes.first.database_silence.lasts) == (moved, moved)


@pytest.mark.parametrize("alone", [False, True])
async def test_pages_stay_while_no_other_node_could_serve_them_better(
    alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = TwoNodes()
    page, database = await page_at(nodes), Database(nodes, monkeypatch)
    database.takes_s = SILENT_AFTER_S
    if alone:
        nodes.kill(1)
        nodes.pass_seconds(30)
    else:
        database.fails = ConnectionRefusedError()
    await listen(nodes)
    assert not page.handed_over
    assert not nodes.first.database_silence.lasts


async def test_a_node_that_waits_for_a_free_connection_is_busy_and_keeps_its_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Moving the pages of a busy node would make the others busy, too."""
    monkeypatch.setattr(table_registry, "SWEEP_S", 0)
    nodes = TwoNodes()
    page, database = await page_at(nodes), Database(nodes, monkeypatch)
    database.fails, database.takes_s = None, SILENT_AFTER_S
    waits = 0

    async def wait_in_vain() -> None:
        nonlocal waits
        waits += 1
        raise failure(TimeoutError())

    monkeypatch.setattr(nodes.services[0], "follow_database_clock", wait_in_vain)
    running = asyncio.create_task(nodes.first.run())
    await until(lambda: waits == 3)
    assert not page.handed_over
    assert not nodes.first.database_silence.lasts
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running


async def test_a_node_whose_database_answers_nothing_sends_new_pages_elsewhere(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = server.browser()
    code = await server.open_table(browser)
    monkeypatch.setattr(table_registry.DatabaseSilence, "lasts", True)
    async with server.connect(code, browser) as socket:
        assert await close_code(socket) == CLOSED_RESTARTING
