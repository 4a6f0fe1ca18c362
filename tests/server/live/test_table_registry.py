"""Tables in a server: matches go on by themselves, commands are handled once, and restarts lose nothing."""

import gc
import weakref
from pathlib import Path

import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.play.verify_record import verify_record
from liarsdice.server.bus.event_bus import LocalEventBus
from liarsdice.server.errors import ForbiddenError, StaleError, TableNotFoundError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.match_api import match_record
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.table import commands as c
from liarsdice.server.table import reducer, snapshots
from liarsdice.server.table.reducer import MAX_HANDLED_REQUESTS, replay_log
from liarsdice.server.table.snapshots import SNAPSHOT_EVERY
from liarsdice.server.table.table_state import TableState
from tests import chance
from tests.server import live_tables
from tests.server.live_tables import (
    FakeClockServices,
    RecordingSubscriber,
    begin_match,
    fake_clock,
    is_over,
    make_config,
    make_table,
    match_of,
    open_registry,
    token_on_turn,
    turn_id,
    wait_until,
    wait_until_idle,
)
from tests.server.memory_store import MemoryStore

ANN, BO = hash_token("Ann"), hash_token("Bo")


@pytest.mark.parametrize("rules", ["classic+aces+palifico+calza", "perudo", "mustache", "official", "snyd-stairs"])
async def test_bots_play_a_match_to_its_end_and_its_dice_can_be_verified(tmp_path: Path, rules: str) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(
            registry, "Ann", config=make_config(rules, seats=4), bots=("inference", "random", "threshold")
        )
        await registry.submit(live_table, ANN, "begin", c.Begin())
        ann = (await live_table.state()).players[0].id
        await registry.submit(live_table, ANN, "bot", c.StandIn(ann, bot=True))
        table = await wait_until(live_table, is_over)
        assert table.match is not None
        stored = await registry.services.store.load(live_table.code)
        assert stored is not None
        assert [row.seq for row in stored.rows] == list(range(1, table.seq + 1))
        signer = fake_clock(registry).signer
        unsigned = match_record(stored.rows, 1)
        assert unsigned is not None
        verified = verify_record(
            unsigned.signed(signer).encode(), keys=[signer.public_key], promise=table.match.promise
        )
        assert verified.dice.rounds == table.match.state.round_number
        assert match_record(stored.rows, 2) is None


async def test_no_record_of_a_match_is_published_before_its_end(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await table_in_match(registry)
        stored = await registry.services.store.load(live_table.code)
        assert stored is not None
        assert match_record(stored.rows, 1) is None


async def table_in_match(registry: TableRegistry, *, rules: str = "perudo") -> LiveTable:
    live_table = await make_table(registry, "Ann", "Bo", config=make_config(rules))
    await begin_match(registry, live_table)
    return live_table


async def test_a_request_is_handled_once_however_much_the_others_did_meanwhile(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        seq = await registry.submit(live_table, ANN, "hello", c.Say("hello"))
        for number in range(2 * MAX_HANDLED_REQUESTS):
            fake_clock(registry).time_ms += 1_000
            await registry.submit(live_table, BO, f"w{number}", c.Say(f"line {number}"))
        assert await registry.submit(live_table, ANN, "hello", c.Say("hello")) == seq
        assert (await live_table.state()).seq == seq + 2 * MAX_HANDLED_REQUESTS


async def test_a_repeated_request_is_handled_once(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await table_in_match(registry)
        table = await live_table.state()
        token_hash = token_on_turn(table)
        first = await registry.submit(live_table, token_hash, "a1", Bid(2, 3), turn_id(table))
        assert await registry.submit(live_table, token_hash, "a1", Bid(2, 3), turn_id(table)) == first
        after = await live_table.state()
        assert after.match is not None
        assert len(after.match.state.bids) == 1
        assert after.seq == first


async def test_a_move_for_an_earlier_turn_is_stale(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await table_in_match(registry)
        table = await live_table.state()
        await registry.submit(live_table, token_on_turn(table), "a1", Bid(2, 3), turn_id(table))
        with pytest.raises(StaleError):
            await registry.submit(
                live_table, token_on_turn(await live_table.state()), "a2", Challenge(), turn_id(table)
            )


async def test_an_illegal_move_changes_nothing(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await table_in_match(registry)
        table = await live_table.state()
        with pytest.raises(IllegalActionError):
            await registry.submit(live_table, token_on_turn(table), "a1", Challenge(), turn_id(table))
        assert (await live_table.state()).seq == table.seq


async def test_only_the_host_begins_and_strangers_can_do_nothing(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        with pytest.raises(ForbiddenError, match="host"):
            await registry.submit(live_table, BO, "x", c.Begin())
        with pytest.raises(ForbiddenError, match="only players at this table"):
            await registry.submit(live_table, hash_token("Eve"), "x", c.Say("hello"))
        with pytest.raises(ForbiddenError, match="only players at this table"):
            await registry.submit(live_table, "", "x", c.Say("hello"))


async def test_names_are_unique_and_seats_limited(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", config=make_config(seats=3))
        with pytest.raises(MalformedError, match="another name"):
            await registry.take_seat(live_table, "bo", hash_token("b2"), "", "s")
        await registry.take_seat(live_table, "Cy", hash_token("Cy"), "", "s")
        with pytest.raises(IllegalActionError, match="all 3 seats"):
            await registry.take_seat(live_table, "Di", hash_token("Di"), "", "s")


async def test_two_servers_with_one_database_agree() -> None:
    """SQLite serves one process, so the database here is one in memory."""
    store, buses = MemoryStore(), list[LocalEventBus]()
    services = [FakeClockServices(store, event_bus=LocalEventBus(buses)) for _ in range(2)]
    first, second = map(TableRegistry, services)
    live_table = await make_table(first, "Ann", "Bo")
    other = await second.get(live_table.code)
    await first.submit(live_table, ANN, "1", c.Say("one"))
    await second.submit(other, BO, "1", c.Say("two"))
    services[0].time_ms += 1_000
    await first.submit(live_table, ANN, "2", c.Say("three"))
    stored = await store.load(live_table.code)
    assert stored is not None
    texts = [row.entry.text for row in stored.rows if hasattr(row.entry, "text")]
    assert texts == ["one", "two", "three"]
    assert [row.seq for row in stored.rows] == list(range(1, len(stored.rows) + 1))
    for service in services:
        await service.close()


async def test_a_table_is_the_same_after_a_restart(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await table_in_match(registry)
        before = await live_table.state()
        code = live_table.code
    async with open_registry(tmp_path / "db") as registry:
        after = await (await registry.get(code.lower())).state()
    assert after == before


@pytest.mark.parametrize("code", ["ZZZZ", "../x", "", "O0O0", "ABCDEFGHJ"])
async def test_an_unknown_code_is_refused(tmp_path: Path, code: str) -> None:
    async with open_registry(tmp_path / "db") as registry:
        with pytest.raises(TableNotFoundError):
            await registry.get(code)


async def test_a_log_does_not_grow_without_end_by_talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "KEPT_ENTRIES", MAX_HANDLED_REQUESTS)
    monkeypatch.setattr(reducer, "MAX_REQUEST_AGE", MAX_HANDLED_REQUESTS)
    longest = MAX_HANDLED_REQUESTS + SNAPSHOT_EVERY + 5
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        for number in range(2 * longest):
            fake_clock(registry).time_ms += 1_000
            await registry.submit(live_table, ANN, f"w{number}", c.Say(f"line {number}"))
        await wait_until_idle(registry, live_table.code)
        before, code = await live_table.state(), live_table.code
        stored = await registry.services.store.load(code)
        assert stored is not None
        assert before.seq > 2 * longest
        assert len(stored.rows) <= longest
        assert replay_log(stored.rows) == before
    async with open_registry(tmp_path / "db") as registry:
        loaded = await registry.services.store.load_state(code)
        assert loaded is not None
        assert len(loaded.rows) < SNAPSHOT_EVERY
        assert await (await registry.get(code)).state() == before


async def test_the_end_of_a_match_is_a_snapshot(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", config=make_config(seats=2), bots=("random",))
        await registry.submit(live_table, ANN, "begin", c.Begin())
        await registry.submit(live_table, ANN, "bot", c.StandIn(1, bot=True))
        await wait_until(live_table, is_over)
        await wait_until_idle(registry, live_table.code)
        loaded = await registry.services.store.load_state(live_table.code)
        assert loaded is not None
        assert loaded.snapshot == await live_table.state()
        assert loaded.rows == ()


async def test_an_unloaded_table_leaves_nothing_for_the_garbage_collector() -> None:
    services = FakeClockServices(MemoryStore())
    registry = TableRegistry(services)
    gc.collect()
    gc.disable()
    try:
        live_table = await make_table(registry, "Ann", bots=("random",))
        live_table.subscribe(RecordingSubscriber(hash_token("Ann")))
        await registry.submit(live_table, hash_token("Ann"), "begin", c.Begin())
        await registry.submit(live_table, hash_token("Ann"), "leave", c.Leave())
        code = (await wait_until(live_table, is_over)).code
        await wait_until_idle(registry, code)
        unloaded = weakref.ref(live_table)
        registry.unload(code)
        del live_table
        assert unloaded() is None
        with pytest.raises(TableNotFoundError):
            await registry.get("ZZZZ")
        kinds = (LiveTable, TableState)
        assert not [kept for kept in gc.get_objects() if isinstance(kept, kinds) and kept.code in (code, "ZZZZ")]
    finally:
        gc.enable()


async def test_tables_of_tests_have_the_same_code_and_dice_in_every_run(tmp_path: Path) -> None:
    runs = []
    for name in ("first", "second"):
        chance.reseed("a run")
        async with open_registry(tmp_path / name) as registry:
            live_table = await make_table(registry, "Ann", "Bo")
            table = await begin_match(registry, live_table)
            runs.append((live_table.code, match_of(table).state.hands))
    assert runs[0] == runs[1]


async def test_a_test_that_waits_for_what_cannot_come_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_tables, "STANDSTILL_S", 0.01)
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        await begin_match(registry, live_table)
        with pytest.raises(AssertionError, match="nothing more happens at the table"):
            await wait_until(live_table, is_over)
