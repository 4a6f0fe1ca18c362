"""The connections of a server that stops are closed a few at a time, in random order."""

import pytest

from liarsdice.server.http.handover import CLOSED_PER_S, MAX_SPREAD_S, STEP_S, close_gradually
from liarsdice.server.http.websocket import CLOSED_RESTARTING
from tests.server.running_server import RunningServer, close_code, say_hello


class Connections:
    """Connections that count how many are closed before each pause, and in which order."""

    def __init__(self, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.closed: list[int] = []
        self.closed_before_pauses: list[int] = []
        self.all = [_Connection(number, self.closed) for number in range(count)]
        monkeypatch.setattr("liarsdice.server.http.handover.asyncio.sleep", self._pause)

    async def _pause(self, _: float) -> None:
        self.closed_before_pauses.append(len(self.closed))


class _Connection:
    def __init__(self, number: int, closed: list[int]) -> None:
        self._number, self._closed = number, closed

    def shutdown(self) -> None:
        self._closed.append(self._number)


async def test_few_connections_are_closed_at_the_usual_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    connections = Connections(100, monkeypatch)
    await close_gradually(connections.all, lambda: False)
    step = round(CLOSED_PER_S * STEP_S)
    assert connections.closed_before_pauses == list(range(step, 100, step))
    assert sorted(connections.closed) == list(range(100))
    assert connections.closed != sorted(connections.closed)


async def test_however_many_connections_are_closed_within_a_short_time(monkeypatch: pytest.MonkeyPatch) -> None:
    connections = Connections(20_000, monkeypatch)
    await close_gradually(connections.all, lambda: False)
    assert len(connections.closed_before_pauses) < MAX_SPREAD_S / STEP_S
    assert len(connections.closed) == 20_000


async def test_an_operator_who_does_not_want_to_wait_closes_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    connections = Connections(1_000, monkeypatch)
    await close_gradually(connections.all, lambda: bool(connections.closed))
    assert len(connections.closed_before_pauses) == 1
    assert len(connections.closed) == 1_000


async def test_the_pages_of_a_table_that_is_given_up_connect_again(server: RunningServer) -> None:
    browser = server.browser()
    code = await server.open_table(browser)
    async with server.connect(code, browser) as socket:
        await say_hello(socket)
        server.registry.unload(code)
        assert await close_code(socket) == CLOSED_RESTARTING
