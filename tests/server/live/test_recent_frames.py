"""A crowd that comes at once receives the same messages, built and encoded once."""

import asyncio
from pathlib import Path

import pytest

from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live import live_table
from liarsdice.server.live.live_table import RecentFrames
from liarsdice.server.protocol import encoding, views
from liarsdice.server.protocol.messages import TableSetup, Update
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_state import TableState
from tests.server.live_tables import RecordingSubscriber, make_config, make_table, open_registry
from tests.server.running_server import FROM_TABLE

CROWD = 100


async def test_the_messages_to_a_crowd_that_comes_at_once_are_built_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = list[str]()

    def count_setup(table: TableState) -> TableSetup:
        built.append("setup")
        return views.table_setup(table)

    monkeypatch.setattr(encoding, "table_setup", count_setup)
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann")
        crowd = [RecordingSubscriber("") for _ in range(CROWD)]
        for spectator in crowd:
            live_table.subscribe(spectator)
        assert built == ["setup"]
        assert {tuple(map(id, spectator.frames)) for spectator in crowd} == {tuple(map(id, crowd[0].frames))}


async def test_somebody_who_comes_after_a_change_receives_the_new_state(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann")
        before, after = RecordingSubscriber(""), RecordingSubscriber("")
        live_table.subscribe(before)
        seq = await registry.submit(live_table, hash_token("Ann"), "1", c.Lock(locked=True))
        live_table.subscribe(after)
        setup, update = map(FROM_TABLE.decode, after.frames)
        assert isinstance(setup, TableSetup)
        assert isinstance(update, Update)
        assert (setup.locked, update.seq) == (True, seq)


async def test_somebody_who_comes_later_receives_the_time_that_is_left_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_table, "KEPT_S", 0)
    async with open_registry(tmp_path / "db") as registry:
        table = await (await make_table(registry, "Ann")).state()
        recent, later = RecentFrames(), asyncio.Event()
        frames = recent.of(table, lambda: 2_000)
        assert recent.of(table, lambda: 1_999) is frames
        asyncio.get_running_loop().call_later(0, later.set)
        await later.wait()
        assert recent.of(table, lambda: 1_000) is not frames


def test_tables_with_the_same_rules_share_one_bid_chart() -> None:
    first, second = (make_config(patched(preset("perudo").ruleset, dice__per_player=7)) for _ in range(2))
    charts = [views.table_setup(TableState(code="FLEA", config=config)).cells for config in (first, second)]
    assert charts[0] is charts[1]
