"""After a lost connection to the database, tables that have changed in between are loaded again."""

from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.table import commands as c
from tests.server.live_tables import FakeClockServices, RecordingSubscriber, make_table
from tests.server.memory_store import MemoryStore

ANN = hash_token("Ann")


async def test_tables_that_another_server_has_changed_are_sent_to_their_pages() -> None:
    store = MemoryStore()
    services = [FakeClockServices(store) for _ in range(2)]
    first, second = map(TableRegistry, services)
    codes = [(await make_table(first, "Ann", "Bo")).code for _ in range(2)]
    pages = []
    for code in codes:
        live_table = await first.get(code)
        pages.append(RecordingSubscriber(hash_token("Bo")))
        live_table.subscribe(pages[-1])
    before = [len(page.frames) for page in pages]
    await second.submit(await second.get(codes[0]), ANN, "w", c.Say("hello"))
    await first.sweep()
    assert [len(page.frames) for page in pages] == before
    store.reconnect_count += 1
    await first.sweep()
    assert [len(page.frames) > count for page, count in zip(pages, before, strict=True)] == [True, False]
    assert (await first.get(codes[0])).known_state == await (await second.get(codes[0])).state()
    for service in services:
        await service.close()


async def test_a_table_that_is_gone_does_not_hold_up_the_others() -> None:
    store = MemoryStore()
    services = FakeClockServices(store)
    registry = TableRegistry(services)
    gone, changed = [await make_table(registry, "Ann", "Bo") for _ in range(2)]
    other = TableRegistry(FakeClockServices(store))
    seq = await other.submit(await other.get(changed.code), ANN, "w", c.Say("hello"))
    store.tables.pop(gone.code)
    store.reconnect_count += 1
    await registry.sweep()
    assert changed.known_state is not None
    assert changed.known_state.seq == seq
    await services.close()
