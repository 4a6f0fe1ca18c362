"""What a table sends is what the protocol says, built once however many look on."""

from pathlib import Path

import msgspec
import pytest

from liarsdice.server.http.auth import holder_of
from liarsdice.server.protocol import encoding as frames_module
from liarsdice.server.protocol.encoding import ENCODER, Frames
from liarsdice.server.protocol.messages import Update
from liarsdice.server.protocol.views import own_seen, table_seen
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_state import TableState
from tests.server.houses import open_house, table_of, until


async def dealt(folder: Path) -> TableState:
    """A table of three on whose first dice a bid waits to be made."""
    async with open_house(folder / "db") as rooms:
        room = await table_of(rooms, "Ann", "Bo", "Cy")
        await rooms.ask(room, holder_of("Ann"), "begin", c.Begin())
        return await until(room, lambda table: table.playing is not None and bool(table.playing.state.hands))


@pytest.mark.parametrize("have", [0, 3, 10_000])
async def test_an_update_is_to_the_byte_the_one_of_the_protocol(tmp_path: Path, have: int) -> None:
    table = await dealt(tmp_path)
    frames = Frames(table, 1_500)
    for player in (None, *(one.id for one in table.players)):
        whole = Update(
            seq=table.seq,
            news=tuple(item for item in table.news if item.seq > have),
            table=table_seen(table, 1_500),
            own=own_seen(table, player),
        )
        assert frames.update(player, have) == ENCODER.encode(whole)


async def test_what_all_share_is_worked_out_once_for_however_many_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await dealt(tmp_path)
    worked_out: list[str] = []
    for name in ("table_seen", "setting_of", "legal"):
        plain = getattr(frames_module, name)

        def noted(*given: object, name: str = name, plain: object = plain) -> object:
            worked_out.append(name)
            assert callable(plain)
            return plain(*given)

        monkeypatch.setattr(frames_module, name, noted)
    frames = Frames(table, None)
    for _ in range(20):
        for player in (None, *(one.id for one in table.players)):
            assert msgspec.json.decode(frames.update(player, 0))
            assert frames.setting
    assert sorted(worked_out) == ["legal", "setting_of", "table_seen"]
