"""A live table appends to its log one command at a time, and sends each subscriber what it has not received yet."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from liarsdice.server.errors import TryAgainError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live import live_table as live_table_module
from liarsdice.server.live.live_table import MAX_TRIES
from liarsdice.server.protocol.messages import Update
from liarsdice.server.storage.store import LogAppend
from liarsdice.server.table import commands as c
from tests.server.live_tables import RecordingSubscriber, make_table, open_registry
from tests.server.running_nodes import running_nodes
from tests.server.running_server import FROM_TABLE

ANN = hash_token("Ann")


def messages(subscriber: RecordingSubscriber) -> list[msgspec.Struct]:
    return [FROM_TABLE.decode(frame) for frame in subscriber.frames]


async def test_an_update_contains_only_the_news_since_the_last_one(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        ann = RecordingSubscriber(ANN)
        live_table.subscribe(ann)
        seq = await registry.submit(live_table, ANN, "1", c.Say("hello"))
        updates = [message for message in messages(ann) if isinstance(message, Update)]
        assert updates[-1].seq == seq
        assert [item.seq for item in updates[-1].news] == [seq]


async def test_a_command_fails_if_other_writers_are_always_faster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann")
        tries = 0

        async def lose(_: LogAppend) -> bool:
            nonlocal tries
            tries += 1
            return False

        with monkeypatch.context() as patch:
            patch.setattr(registry.services.store, "append", lose)
            with pytest.raises(TryAgainError, match="too many commands"):
                await registry.submit(live_table, ANN, "1", c.Say("hello"))
        assert tries == MAX_TRIES
        assert await registry.submit(live_table, ANN, "1", c.Say("hello"))


@pytest.mark.parametrize("is_written", [True, False])
async def test_an_action_whose_caller_is_cancelled_is_neither_lost_nor_done_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_written: bool
) -> None:
    """Whether the entry reached the log is unknown then, so the table is read again."""
    async with open_registry(tmp_path / "db") as registry:
        live_table, store = await make_table(registry, "Ann"), registry.services.store
        before = await live_table.state()
        append, appending = store.append, asyncio.Event()

        async def hang(request: LogAppend) -> bool:
            if is_written:
                await append(request)
            appending.set()
            return bool(await asyncio.get_running_loop().create_future())

        with monkeypatch.context() as patch:
            patch.setattr(store, "append", hang)
            cancelled = asyncio.create_task(registry.submit(live_table, ANN, "1", c.Say("hello")))
            await appending.wait()
            cancelled.cancel()
            assert isinstance((await asyncio.gather(cancelled, return_exceptions=True))[0], asyncio.CancelledError)
        assert (await live_table.state()).seq == before.seq + is_written
        for _ in range(2):
            assert await registry.submit(live_table, ANN, "1", c.Say("hello")) == before.seq + 1
        stored = await store.load(live_table.code)
        assert stored is not None
        assert [row.seq for row in stored.rows] == [*range(1, before.seq + 2)]


async def test_commands_at_one_table_wait_together_for_a_database_that_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second command does not begin to wait when the first one has waited long enough."""
    async with asyncio.timeout(60), running_nodes() as nodes:
        live_table = await make_table(nodes.registries[0], "Ann")
        seq = (await live_table.state()).seq

        async def hang(_: LogAppend) -> bool:
            return bool(await asyncio.get_running_loop().create_future())

        with monkeypatch.context() as patch:
            patch.setattr(nodes.store, "append", hang)
            patch.setattr(live_table_module, "ANSWER_TIMEOUT_S", 0.01)
            commands = [nodes.registries[0].submit(live_table, ANN, f"{number}", c.Say("hi")) for number in range(3)]
            answers = await asyncio.gather(*commands, return_exceptions=True)
        assert [type(answer) for answer in answers] == [TryAgainError] * 3
        assert await nodes.registries[0].submit(live_table, ANN, "0", c.Say("hi")) == seq + 1
