"""What one node gives, another one takes: tickets, invite links, seats, bans and records."""

import asyncio
from collections.abc import AsyncIterator, Callable

import httpx
import pytest

from liarsdice.play.verify_record import RecordSigner
from liarsdice.server.app import make_app
from liarsdice.server.bus.postgres_bus import RemoteEventBus, postgres_bus
from liarsdice.server.http.address_limits import RateLimits
from liarsdice.server.http.auth import COOKIE, hash_token
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.live.table_services import AddressPolicy
from liarsdice.server.settings import PostgresUrl
from liarsdice.server.storage.postgres import PostgresStore
from tests.server.live_tables import PATIENCE_S, START_MS, FakeClockServices, RecordingSubscriber, make_table
from tests.server.memory_store import SharedMemoryStore
from tests.server.nodes import Network

HERE, THERE = "192.0.2.1", "192.0.2.2"


class HttpNodes:
    """The applications of two nodes with one database and the same keys, without sockets."""

    def __init__(self) -> None:
        self.network, store = Network(), SharedMemoryStore(START_MS)
        self.services: list[FakeClockServices] = []
        self._clients: list[httpx.AsyncClient] = []
        for _ in range(2):
            limits = RateLimits(misses_per_minute=3, key=b"addresses")
            services = FakeClockServices(
                store, event_bus=self.network.join(), rate_limits=limits, signer=RecordSigner(b"s" * 32)
            )
            services.address_policy = AddressPolicy(b"addresses", seats_per_address=2)
            self.services.append(services)
        self._apps = [make_app(services) for services in self.services]

    def browser(self, node: int, address: str = HERE, token: str = "") -> httpx.AsyncClient:
        """A browser at an address, whose requests go to one node."""
        transport = httpx.ASGITransport(self._apps[node], client=(address, 1))  # type: ignore[arg-type]  # as wide as ASGI
        client = httpx.AsyncClient(
            transport=transport, base_url="http://dice.example", cookies={COOKIE: token} if token else {}
        )
        self._clients.append(client)
        return client

    async def close(self) -> None:
        for client in self._clients:
            await client.aclose()
        for services in self.services:
            await services.close()


@pytest.fixture
async def nodes() -> AsyncIterator[HttpNodes]:
    nodes = HttpNodes()
    yield nodes
    await nodes.close()


async def open_table(client: httpx.AsyncClient, **form: object) -> str:
    answer = await client.post("/api/tables", json={"name": "Ann", **form})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["code"])


async def sit_down(client: httpx.AsyncClient, code: str, name: str) -> int:
    return (await client.post(f"/api/tables/{code}/seats", json={"name": name, "id": "1"})).status_code


async def test_a_ticket_of_one_node_works_once_on_another_one(nodes: HttpNodes) -> None:
    ann = nodes.browser(0)
    code = await open_table(ann)
    ticket = (await ann.post(f"/api/tables/{code}/ticket")).json()["ticket"]
    path, form = f"/api/tables/{code}/redeem", {"ticket": ticket}
    answers = await asyncio.gather(*(nodes.browser(node % 2).post(path, json=form) for node in range(6)))
    assert sorted(answer.status_code for answer in answers) == [201, *[403] * 5]


async def test_an_invite_link_of_one_node_works_on_another_one(nodes: HttpNodes) -> None:
    code = await open_table(nodes.browser(0))
    guest = nodes.browser(1, THERE)
    for guess in ("AAAA", "BBBB", "CCCC"):
        assert (await guest.get(f"/api/tables/{guess}")).status_code == 404
    assert (await guest.get(f"/api/tables/{code}")).status_code == 429
    invite = (await nodes.browser(0).get(f"/api/tables/{code}")).json()["invite"]
    await guest.get(invite)
    assert (await guest.get(f"/api/tables/{code}")).json()["invite"] == invite


async def test_the_lobby_is_the_same_on_every_node(nodes: HttpNodes) -> None:
    first, second = nodes.browser(0), nodes.browser(1, THERE)
    codes = [await open_table(client, listed=True, name=name) for client, name in ((first, "Ann"), (second, "Bo"))]
    assert await sit_down(second, codes[0], "Bo") == 201
    nodes.network.deliver()
    for services in nodes.services:
        await asyncio.gather(*services.running_tasks)
    lobbies = [(await client.get("/api/lobby")).json() for client in (first, second)]
    assert lobbies[0] == lobbies[1]
    assert {table["code"]: table["player_names"] for table in lobbies[0]} == {codes[0]: ["Ann", "Bo"], codes[1]: ["Bo"]}


async def test_seats_of_an_address_are_counted_on_all_nodes_together(nodes: HttpNodes) -> None:
    code = await open_table(nodes.browser(0), listed=True)
    assert await sit_down(nodes.browser(1), code, "Bo") == 201
    for node in (0, 1):
        assert await sit_down(nodes.browser(node), code, "Cy") == 403
    assert await sit_down(nodes.browser(1, THERE), code, "Di") == 201


async def test_every_node_has_the_same_public_key_and_an_id_of_its_own(nodes: HttpNodes) -> None:
    browsers = [nodes.browser(node) for node in (0, 1)]
    keys = [(await browser.get("/api/key")).json() for browser in browsers]
    assert keys[0] == keys[1]
    for path, word in (("/healthz", "ok"), ("/readyz", "ready")):
        texts = [(await browser.get(path)).text for browser in browsers]
        assert texts == [f"{word} {services.event_bus.node_id}\n" for services in nodes.services]
        assert texts[0] != texts[1]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110  the condition depends on what the nodes tell each other
            await asyncio.sleep(0.01)


async def test_nodes_on_postgresql_know_each_others_pages_and_spending(postgres_url: PostgresUrl) -> None:
    """The same over the bus of a real database."""
    nodes = [
        FakeClockServices(
            PostgresStore(postgres_url),
            event_bus=RemoteEventBus(postgres_bus(postgres_url), "bus"),
            rate_limits=RateLimits(tables_per_minute=10, key=b"addresses"),
        )
        for _ in range(2)
    ]
    registries = [TableRegistry(services) for services in nodes]
    try:
        for services in nodes:
            await services.open()
        live_table = await make_table(registries[0], "Ann", "Bo")
        (await registries[1].get(live_table.code)).subscribe(RecordingSubscriber(hash_token("Bo")))
        first, second = (services.rate_limits.by_name["tables"] for services in nodes)
        await until(lambda: live_table.presence.is_connected(2) and first.node_count == second.node_count == 2)
        assert sum(second.consume(HERE) for _ in range(10)) == 5
        await until(lambda: len(first) == 1)
        assert sum(first.consume(HERE) for _ in range(10)) == 2
    finally:
        for services in nodes:
            await services.close()
