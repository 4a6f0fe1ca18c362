"""A server for `benchmarks.server`, put together here: with tables from the start, with no database, or a bare echo.

Says one line when it is ready, as JSON, and serves until it is told to stop.
"""

import argparse
import asyncio
import socket
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
import uvicorn
from litestar import Litestar, WebSocket, websocket
from litestar.datastructures import State
from litestar.exceptions import WebSocketDisconnect

from benchmarks.stage import RULES, SEATS, code_of, settle, token_of
from liarsdice.core.rules.presets import preset
from liarsdice.server.app import make_app
from liarsdice.server.http.auth import holder_of
from liarsdice.server.live.table_registry import Rooms
from liarsdice.server.logging_setup import start_logs
from liarsdice.server.run import BACKLOG, calm_collector, config_of
from liarsdice.server.services import House
from liarsdice.server.storage.sqlite import SqliteStore
from liarsdice.server.storage.store import Append, Kept, Store
from liarsdice.server.table.commands import Begin
from liarsdice.server.table.log_entries import Opened, Row
from liarsdice.server.table.table_config import Away, Options


class NoStore:
    """Keeps nothing but heads and what it was given at first: the same work without a database."""

    def __init__(self) -> None:
        self._kept: dict[str, Kept] = {}
        self._heads: dict[str, int] = {}

    async def open(self, now_ms: int) -> int:  # noqa: ARG002  as `Store` has it
        """Nothing was missed."""
        return 0

    async def close(self) -> None:
        """Nothing is held."""

    async def append(self, wanted: Append) -> bool:
        """Compare and set the head."""
        if self._heads.get(wanted.code, 0) != wanted.head:
            return False
        self._heads[wanted.code] = wanted.rows[-1].seq
        if wanted.head == 0:
            self._kept[wanted.code] = Kept(wanted.rows, wanted.due_at_ms)
        return True

    async def load(self, code: str) -> Kept | None:
        """What was given at first."""
        return self._kept.get(code)

    async def due(self, after_ms: int, until_ms: int) -> Sequence[str]:  # noqa: ARG002  as `Store` has it
        """Nothing: every table is awake."""
        return ()

    async def listed(self, most: int, since_ms: int) -> Sequence[str]:  # noqa: ARG002  as `Store` has it
        """Nothing."""
        return ()

    async def alive(self, now_ms: int) -> None:
        """Noted."""

    async def keep_ticket(self, ticket: str, code: str, player: int, until_ms: int) -> None:
        """Nobody changes devices here."""

    async def take_ticket(self, ticket: str, code: str, now_ms: int) -> int | None:  # noqa: ARG002  as `Store` has it
        """No ticket was kept."""
        return None


async def one_table(away: Away) -> tuple[Row, ...]:
    """The log of a table where six people have just been dealt their first dice."""
    house = House(NoStore(), pace=0)
    written: list[Row] = []
    keep = house.store.append

    async def noted(wanted: Append) -> bool:
        written.extend(wanted.rows)
        return await keep(wanted)

    house.store.append = noted  # type: ignore[method-assign]
    rooms = Rooms(house)
    options = Options(
        title="The Crooked Spoon", ruleset=preset(RULES).ruleset, rules_name=RULES, seats=SEATS, away=away
    )
    room, _ = await rooms.open(options, "Player 1", holder_of(token_of(0)), "", ())
    for seat in range(1, SEATS):
        await rooms.sit(room, f"Player {seat + 1}", holder_of(token_of(seat)), "", f"sit-{seat}")
    await rooms.ask(room, holder_of(token_of(0)), "begin", Begin())
    dealt = asyncio.Event()
    room.after.append(dealt.set)
    while (table := await room.table()).playing is None or not table.playing.state.hands:
        dealt.clear()
        await dealt.wait()
    await house.close()
    return tuple(written)


async def fill(store: Store, tables: int, away: Away = Away.WAIT) -> None:
    """Make the same table many times, each with a code of its own; where a bot helps the absent out, that is due."""
    rows = await one_table(away)
    due_at_ms = rows[-1].at_ms if away is Away.BOT else None
    first = rows[0].entry
    assert isinstance(first, Opened)
    await store.open(rows[-1].at_ms)
    waiting = []
    for place in range(tables):
        code = code_of(place)
        opened = msgspec.structs.replace(rows[0], entry=msgspec.structs.replace(first, code=code))
        waiting.append(store.append(Append(code, 0, (opened, *rows[1:]), due_at_ms, listed=False)))
    assert all(await asyncio.gather(*waiting))


def echo_app(frame_bytes: int) -> Litestar:
    """The least that the same frameworks can do: each message goes to everybody at its table, as long as an update."""
    tables: dict[str, set[WebSocket[object, object, State]]] = {}
    filling = "x" * frame_bytes

    @websocket("/ws/{code:str}")
    async def echo(socket: WebSocket[object, object, State], code: str) -> None:
        await socket.accept()
        here = tables.setdefault(code, set())
        seq = 1
        try:
            await socket.receive_data("text")
            here.add(socket)
            await socket.send_data(f'{{"type":"update","seq":0,"filling":"{filling}"}}')
            while True:
                text = await socket.receive_data("text")
                mark = text.rsplit(":", 1)[1].rstrip("}")
                seq = int(mark)
                frame = f'{{"type":"update","seq":{seq},"filling":"{filling}"}}'
                for other in tuple(here):
                    await other.send_data(frame)
                await socket.send_data('{"type":"done","id":"","seq":1}')
        except WebSocketDisconnect:
            pass
        finally:
            here.discard(socket)

    return Litestar([echo], logging_config=None, openapi_config=None)


class _Server(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        assert sockets
        print(msgspec.json.encode({"port": sockets[0].getsockname()[1]}).decode(), flush=True)


def main() -> None:
    """Serve as asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("sqlite", "nothing", "echo"))
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--core", type=int, default=None)
    parser.add_argument("--frame-bytes", type=int, default=1000)
    asked = parser.parse_args()
    settle(asked.core)
    start_logs("warning")
    calm_collector()
    with tempfile.TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        if asked.kind == "echo":
            app = echo_app(asked.frame_bytes)
        elif asked.kind == "nothing":
            store: Store = NoStore()
            asyncio.run(fill(store, asked.tables))
            app = make_app(House(store, pace=0))
        else:
            path = Path(folder) / "tables.db"
            asyncio.run(filled(path, asked.tables))
            app = make_app(House(SqliteStore(path), pace=0))
        door = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
        _Server(config_of(app)).run(sockets=[door])


async def filled(path: Path, tables: int, away: Away = Away.WAIT) -> None:
    """Make a database with tables in it."""
    store = SqliteStore(path)
    await fill(store, tables, away)
    await store.close()


if __name__ == "__main__":
    main()
