"""Thousands of clients of a server in one process, cheap enough that the server is the limit."""

import asyncio
import random
import sys
import time
from collections.abc import Sequence
from typing import cast

import msgspec

from benchmarks.server_process import SEATS, code_of, token_of
from liarsdice.core.actions import Challenge, Move
from liarsdice.core.bids.bid_chart import BidRange, bids_in
from liarsdice.core.engine.state import Phase
from liarsdice.server.http.auth import COOKIE
from liarsdice.server.protocol.messages import CommandRequest
from liarsdice.server.table.commands import Begin
from liarsdice.wire import Stage

HELLO = b'{"type":"hello","last_seq":0}'
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
MAX_BIDS = 8
MAX_CONNECTING = 100
UPDATE_PREFIX = b'{"type":"update","seq":'
PROBLEM_PREFIX = b'{"type":"problem"'
ENCODER = msgspec.json.Encoder()


class WebSocketClient(asyncio.Protocol):
    """A connection that knows unfragmented text, no extensions and masks of zeros.

    `open` resolves with the first message; subclasses override `on_message`.
    """

    def __init__(self, path: str, cookie: str) -> None:
        self._path, self._cookie = path, cookie
        self.open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.closed = False
        self.transport: asyncio.Transport | None = None
        self._buffer = b""
        self._upgraded = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the handshake."""
        self.transport = cast("asyncio.Transport", transport)  # uvloop's transports have its methods only
        self.transport.write(
            f"GET {self._path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            f"Cookie: {self._cookie}\r\n\r\n".encode()
        )

    def connection_lost(self, error: Exception | None) -> None:
        """Record that the connection is closed."""
        self.closed = True
        if not self.open.done():
            self.open.set_exception(error or ConnectionError("closed before it was open"))

    def data_received(self, data: bytes) -> None:
        """Handle the frames that are complete."""
        data = self._buffer + data if self._buffer else data
        position, length = 0, len(data)
        if not self._upgraded:
            end = data.find(b"\r\n\r\n")
            if end < 0:
                self._buffer = data
                return
            assert data.startswith(b"HTTP/1.1 101"), data[:200]
            self._upgraded, position = True, end + 4
            self.send(HELLO)
        while length - position >= 2:
            size, start = data[position + 1], position + 2
            if size == 126:
                size, start = int.from_bytes(data[position + 2 : position + 4], "big"), position + 4
            elif size == 127:
                size, start = int.from_bytes(data[position + 2 : position + 10], "big"), position + 10
            if start > length or start + size > length:
                break
            self._handle_frame(data[position] & 15, data[start : start + size])
            position = start + size
        self._buffer = data[position:]

    def _handle_frame(self, kind: int, body: bytes) -> None:
        if kind == TEXT:
            if not self.open.done():
                self.open.set_result(None)
            self.on_message(body)
        elif kind == PING:
            self.send(body, PONG)
        elif kind == CLOSE and self.transport is not None:
            self.closed = True
            self.transport.abort()

    def on_message(self, body: bytes) -> None:
        """Handle a text message."""

    def send(self, body: bytes, kind: int = TEXT) -> None:
        """Send a message in one frame of a kind (opcode), masked with zeros."""
        assert self.transport is not None
        size = len(body)
        length = bytes((0x80 | size,)) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
        self.transport.write(bytes((0x80 | kind,)) + length + b"\0\0\0\0" + body)


class _Match(msgspec.Struct):
    turn_id: int
    phase: Phase
    turn: int | None
    bids: list[object]


class _Table(msgspec.Struct):
    stage: Stage
    match: _Match | None


class _Own(msgspec.Struct):
    bids: Sequence[BidRange]
    may_challenge: bool


class _Update(msgspec.Struct):
    table: _Table
    own: _Own


UPDATE_DECODER = msgspec.json.Decoder(_Update)


class Seat(WebSocketClient):
    """One of six clients at a table."""

    def __init__(self, table: "Table", seat: int) -> None:
        super().__init__(f"/ws/{table.code}", f"{COOKIE}={token_of(seat)}")
        self.table, self.seat = table, seat
        self.latest = b""

    def on_message(self, body: bytes) -> None:
        """Keep an update and report it to the table; count problems."""
        if body.startswith(UPDATE_PREFIX):
            self.latest = body
            self.table.on_update(self, int(body[len(UPDATE_PREFIX) : body.index(b",", len(UPDATE_PREFIX))]))
        elif body.startswith(PROBLEM_PREFIX):
            self.table.clients.count_problem(body)


class Table:
    """Six clients of a table, and how long it takes until all of them have the update of an action."""

    def __init__(self, clients: "Clients", code: str) -> None:
        self.clients, self.code = clients, code
        self.seats = [Seat(self, seat) for seat in range(SEATS)]
        self._seqs = [0] * SEATS
        self._seq_before = 0
        self._waiting_count = 0
        self._began_s = 0.0
        self._request_count = 0

    def on_update(self, seat: Seat, seq: int) -> None:
        """Record that a seat has received an update."""
        last_seq, self._seqs[seat.seat] = self._seqs[seat.seat], seq
        if self._waiting_count and last_seq <= self._seq_before < seq:
            self._waiting_count -= 1
            if not self._waiting_count:
                self.clients.times_s.append(time.perf_counter() - self._began_s)

    def act(self) -> bool:
        """Let the player on turn act; return False if nobody can act yet."""
        if self._waiting_count or len(set(self._seqs)) > 1:
            return False
        update = UPDATE_DECODER.decode(self.seats[0].latest)
        match = update.table.match
        command: Move | Begin
        if update.table.stage is not Stage.PLAYING or match is None:
            seat, command, turn_id = self.seats[0], Begin(), 0
        elif match.phase is not Phase.BIDDING or match.turn is None:
            return False
        else:
            seat, turn_id = self.seats[match.turn], match.turn_id
            own = UPDATE_DECODER.decode(seat.latest).own
            if own.may_challenge and (len(match.bids) >= MAX_BIDS or not own.bids):
                command = Challenge()
            elif bids := bids_in(own.bids):
                command = bids[random.randrange(min(4, len(bids)))]
            else:  # the seat has just reconnected
                return False
        self._request_count += 1
        self._seq_before, self._waiting_count, self._began_s = max(self._seqs), SEATS, time.perf_counter()
        seat.send(ENCODER.encode(CommandRequest(f"w{self._request_count}", command, turn_id)))
        return True


class Measured(msgspec.Struct):
    """The result. Times are from an action until everybody has its update. `late`: moves when no table was ready."""

    actions: int
    late: int
    p50_ms: float
    p99_ms: float
    problems: int


class Clients:
    """All clients, and what they measure together."""

    def __init__(self, port: int, tables: int) -> None:
        self.port = port
        self.tables = [Table(self, code_of(place)) for place in range(tables)]
        self.times_s: list[float] = []
        self.problems = 0

    def count_problem(self, body: bytes) -> None:
        """Count a refused command, of which there should be none, and print the first ones."""
        self.problems += 1
        if self.problems <= 3:
            print(body.decode(), file=sys.stderr)

    async def connect(self, seats: range) -> None:
        """Connect these seats of every table."""
        limit = asyncio.Semaphore(MAX_CONNECTING)

        async def connect_seat(seat: Seat) -> None:
            async with limit:
                await self.open(seat)

        await asyncio.gather(*(connect_seat(table.seats[seat]) for table in self.tables for seat in seats))

    async def open(self, client: Seat) -> None:
        """Connect a client."""
        await asyncio.get_running_loop().create_connection(lambda: client, "127.0.0.1", self.port)
        await client.open

    async def act(self, per_s: float, for_s: float) -> Measured:
        """Act for some seconds at a steady mean rate, at random moments, at one table after the other."""
        turns = random.sample(self.tables, len(self.tables))
        self.times_s = []
        began_s = time.perf_counter()
        acted = late = 0
        while (now_s := time.perf_counter()) - began_s < for_s:
            while acted + late < int((now_s - began_s) * per_s):
                if turns[(acted + late) % len(turns)].act():
                    acted += 1
                else:
                    late += 1
            await asyncio.sleep(random.uniform(0.0005, 0.0015))
        await asyncio.sleep(0.5)  # updates on their way count, too
        times_s = sorted(self.times_s)
        return Measured(acted, late, _ms(times_s, 0.5), _ms(times_s, 0.99), self.problems)


def _ms(times_s: list[float], share: float) -> float:
    return round(1000 * times_s[min(len(times_s) - 1, int(len(times_s) * share))], 2) if times_s else float("nan")
