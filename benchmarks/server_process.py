"""A server for `benchmarks.server`: with a database full of tables, without a database, or a bare echo.

Prints one line of JSON when it is ready and serves until it is terminated.
"""

import argparse
import asyncio
import logging
import socket
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from litestar import Litestar, WebSocket, websocket
from litestar.datastructures import State
from litestar.exceptions import WebSocketDisconnect

from benchmarks.server_tables import RULES, SEATS, code_of, pin_to_core, token_of
from liarsdice.core.rules.presets import preset
from liarsdice.server.app import make_app
from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.connections import BACKLOG, LimitedServer
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.run import configure_logging, tune_garbage_collector, uvicorn_config
from liarsdice.server.services import Services
from liarsdice.server.storage.sqlite import SqliteStore
from liarsdice.server.storage.store import LogAppend, ProgramToken, ServerBan, Store, StoredState, StoredTable
from liarsdice.server.table.commands import Begin
from liarsdice.server.table.log_entries import LogRow, Opened
from liarsdice.server.table.snapshots import Snapshot
from liarsdice.server.table.table_config import Away, TableConfig


class NoStore:
    """A `Store` that keeps only the first rows and the last seq of each table: the same work without a database."""

    def __init__(self) -> None:
        self._tables: dict[str, StoredTable] = {}
        self._last_seqs: dict[str, int] = {}

    async def open(self, now_ms: int) -> int:  # noqa: ARG002  as `Store` has it
        """Return 0."""
        return 0

    async def close(self) -> None:
        """Do nothing."""

    async def append(self, request: LogAppend) -> bool:
        """Compare and set the last seq."""
        if self._last_seqs.get(request.code, 0) != request.expected_seq:
            return False
        self._last_seqs[request.code] = request.rows[-1].seq
        if request.expected_seq == 0:
            self._tables[request.code] = StoredTable(request.rows, request.due_at_ms)
        return True

    async def load(self, code: str) -> StoredTable | None:
        """Return the first rows."""
        return self._tables.get(code)

    async def load_match(self, code: str, number: int, limit: int) -> Sequence[LogRow]:  # noqa: ARG002
        """Return none: nothing is stored."""
        return ()

    async def load_state(self, code: str) -> StoredState | None:
        """Return the first rows."""
        stored = self._tables.get(code)
        return None if stored is None else StoredState(None, stored.rows, stored.due_at_ms)

    async def heads(self, codes: Sequence[str]) -> Mapping[str, int]:
        """Return the last seqs."""
        return {code: self._last_seqs[code] for code in codes if code in self._last_seqs}

    async def save_snapshot(self, code: str, snapshot: Snapshot) -> None:
        """Do nothing."""

    async def due_codes(self, after_ms: int, until_ms: int) -> Sequence[str]:  # noqa: ARG002  as `Store` has it
        """Return nothing."""
        return ()

    async def listed_codes(self, limit: int, since_ms: int) -> Sequence[str]:  # noqa: ARG002  as `Store` has it
        """Return nothing."""
        return ()

    async def unchanged_codes(self, before_ms: int, now_ms: int, limit: int) -> Sequence[str]:  # noqa: ARG002  as `Store` has it
        """Return nothing."""
        return ()

    async def delete_table(self, code: str, before_ms: int) -> bool:  # noqa: ARG002  as `Store` has it
        """Delete nothing."""
        return False

    async def heartbeat(self, now_ms: int) -> None:
        """Do nothing."""

    async def last_heartbeat_ms(self) -> int:
        """Return 0."""
        return 0

    async def program_tokens(self) -> tuple[ProgramToken, ...]:
        """Return none."""
        return ()

    async def server_bans(self, now_ms: int) -> tuple[ServerBan, ...]:  # noqa: ARG002  as `Store` has it
        """Return none."""
        return ()

    async def save_ticket(self, ticket_hash: str, code: str, player: int, until_ms: int) -> None:
        """Do nothing."""

    async def redeem_ticket(self, ticket_hash: str, code: str, now_ms: int) -> int | None:  # noqa: ARG002  as `Store` has it
        """Return None."""
        return None


async def make_table_log(away: Away) -> tuple[LogRow, ...]:
    """Return the log of a table with six people who have their first dice."""
    services = Services(NoStore(), pace=0)
    rows: list[LogRow] = []
    append = services.store.append

    async def record(request: LogAppend) -> bool:
        rows.extend(request.rows)
        return await append(request)

    services.store.append = record  # type: ignore[method-assign]
    registry = TableRegistry(services)
    config = TableConfig(
        title="The Crooked Spoon", ruleset=preset(RULES).ruleset, rules_name=RULES, seats=SEATS, away=away
    )
    live_table, _ = await registry.open_table(config, "Player 1", hash_token(token_of(0)), "", ())
    for seat in range(1, SEATS):
        await registry.take_seat(live_table, f"Player {seat + 1}", hash_token(token_of(seat)), "", f"sit-{seat}")
    await registry.submit(live_table, hash_token(token_of(0)), "begin", Begin())
    dealt = asyncio.Event()
    live_table.on_change.append(dealt.set)
    while (table := await live_table.state()).ongoing_match is None or not table.ongoing_match.state.hands:
        dealt.clear()
        await dealt.wait()
    await services.close()
    return tuple(rows)


async def fill(store: Store, tables: int, away: Away = Away.WAIT, *, first: int = 0) -> None:
    """Store the same table many times under the codes from number `first` on. With `Away.BOT`, each is due at once."""
    rows = await make_table_log(away)
    due_at_ms = rows[-1].at_ms if away is Away.BOT else None
    opening = rows[0].entry
    assert isinstance(opening, Opened)
    await store.open(rows[-1].at_ms)
    appends = []
    for place in range(first, first + tables):
        code = code_of(place)
        opened = msgspec.structs.replace(rows[0], entry=msgspec.structs.replace(opening, code=code))
        appends.append(store.append(LogAppend(code, 0, (opened, *rows[1:]), due_at_ms, listed=False)))
    assert all(await asyncio.gather(*appends))


def echo_app(frame_bytes: int) -> Litestar:
    """Return an application that sends every message to everybody at its table, padded to the length of an update."""
    tables: dict[str, set[WebSocket[object, object, State]]] = {}
    padding = "x" * frame_bytes

    @websocket("/ws/{code:str}")
    async def echo(socket: WebSocket[object, object, State], code: str) -> None:
        await socket.accept()
        sockets = tables.setdefault(code, set())
        seq = 1
        try:
            await socket.receive_data("text")
            sockets.add(socket)
            await socket.send_data(f'{{"type":"update","seq":0,"padding":"{padding}"}}')
            while True:
                text = await socket.receive_data("text")
                seq = int(text.rsplit(":", 1)[1].rstrip("}"))
                frame = f'{{"type":"update","seq":{seq},"padding":"{padding}"}}'
                for other in tuple(sockets):
                    await other.send_data(frame)
                await socket.send_data('{"type":"done","id":"","seq":1}')
        except WebSocketDisconnect:
            pass
        finally:
            sockets.discard(socket)

    return Litestar([echo], logging_config=None, openapi_config=None)


class LoudServer(LimitedServer):
    """A server that prints its port when it is ready."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As in uvicorn, then print the port."""
        await super().startup(sockets)
        assert sockets
        print(msgspec.json.encode({"port": sockets[0].getsockname()[1]}).decode(), flush=True)


def main() -> None:
    """Serve as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("sqlite", "nothing", "echo"))
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--core", type=int, default=None)
    parser.add_argument("--frame-bytes", type=int, default=1000)
    arguments = parser.parse_args()
    pin_to_core(arguments.core)
    configure_logging(logging.WARNING)
    tune_garbage_collector()
    with tempfile.TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        if arguments.kind == "echo":
            app = echo_app(arguments.frame_bytes)
        elif arguments.kind == "nothing":
            store: Store = NoStore()
            asyncio.run(fill(store, arguments.tables))
            app = make_app(Services(store, pace=0))
        else:
            path = Path(folder) / "tables.db"
            asyncio.run(make_database(path, arguments.tables))
            app = make_app(Services(SqliteStore(path), pace=0))
        listener = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
        LoudServer(uvicorn_config(app)).run(sockets=[listener])


async def make_database(path: Path, tables: int, away: Away = Away.WAIT) -> None:
    """Create a database with tables."""
    store = SqliteStore(path)
    await fill(store, tables, away)
    await store.close()


if __name__ == "__main__":
    main()
