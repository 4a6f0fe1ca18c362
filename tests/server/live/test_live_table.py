"""A live table appends to its log one command at a time, and sends each subscriber what it has not received yet."""

from pathlib import Path

import msgspec
import pytest

from liarsdice.server.errors import TryAgainError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.live_table import MAX_TRIES
from liarsdice.server.protocol.messages import Update
from liarsdice.server.storage.store import LogAppend
from liarsdice.server.table import commands as c
from tests.server.live_tables import RecordingSubscriber, make_table, open_registry
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
