"""Clients for `benchmarks.server`: thousands of connections in one process, cheap enough that the server is the limit.

Reads one order a line from standard input and answers each with one line, both as JSON.
"""

import argparse
import asyncio
import gc
import random
import sys
import time
from collections.abc import Sequence

import msgspec
import uvloop

from benchmarks.server_orders import ORDER_DECODER, Act, Crowd, Flood, Measured
from benchmarks.server_tables import SEATS, code_of, cookie_of, path_of, pin_to_core
from benchmarks.websocket_client import WebSocketClient, encode_frame
from liarsdice.core.actions import Challenge, Move
from liarsdice.core.bids.bid_chart import BidRange, bids_in
from liarsdice.core.engine.state import Phase
from liarsdice.server.protocol.messages import CommandRequest
from liarsdice.server.table.commands import Begin
from liarsdice.wire import Stage

MAX_BIDS = 8
MAX_CONNECTING = 100
UPDATE_PREFIX = b'{"type":"update","seq":'
PROBLEM_PREFIX = b'{"type":"problem"'
ENCODER = msgspec.json.Encoder()
FLOOD_BATCH = 100


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
        super().__init__(path_of(table.code), cookie_of(seat))
        self.table, self.seat = table, seat
        self.port = table.ports[seat % len(table.ports)]
        self.latest = b""

    def on_message(self, body: bytes) -> None:
        """Keep an update and report it to the table; count problems."""
        if body.startswith(UPDATE_PREFIX):
            self.latest = body
            self.table.on_update(self, int(body[len(UPDATE_PREFIX) : body.index(b",", len(UPDATE_PREFIX))]), len(body))
        elif body.startswith(PROBLEM_PREFIX):
            self.table.clients.count_problem(body)


class Table:
    """Six clients of a table, and how long it takes until all of them have the update of an action."""

    def __init__(self, clients: "Clients", code: str, ports: Sequence[int]) -> None:
        self.clients, self.code, self.ports = clients, code, ports
        self.seats = [Seat(self, seat) for seat in range(SEATS)]
        self._seqs = [0] * SEATS
        self._seq_before = 0
        self._waiting_count = 0
        self._began_s = 0.0
        self._request_count = 0

    def on_update(self, seat: Seat, seq: int, size: int) -> None:
        """Record that a seat has received an update."""
        self.clients.frames += 1
        self.clients.frame_bytes += size
        last_seq, self._seqs[seat.seat] = self._seqs[seat.seat], seq
        if self._waiting_count and last_seq <= self._seq_before < seq:
            self._waiting_count -= 1
            if not self._waiting_count:
                self.clients.times_s.append(time.perf_counter() - self._began_s)

    def act(self) -> bool:
        """Let the player on turn act; return False if nobody can act yet."""
        if self._waiting_count:
            return False
        action = self._echo_message() if self.clients.echo else self._move()
        if action is None:
            return False
        seat, body = action
        self._seq_before, self._waiting_count, self._began_s = max(self._seqs), SEATS, time.perf_counter()
        seat.send(body)
        return True

    def _echo_message(self) -> tuple[Seat, bytes]:
        return random.choice(self.seats), f'{{"type":"do","id":"","turn_id":{max(self._seqs) + 1}}}'.encode()

    def _move(self) -> tuple[Seat, bytes] | None:
        if len(set(self._seqs)) > 1:
            return None
        update = UPDATE_DECODER.decode(self.seats[0].latest)
        match = update.table.match
        command: Move | Begin
        if update.table.stage is not Stage.PLAYING or match is None:
            seat, command, turn_id = self.seats[0], Begin(), 0
        elif match.phase is not Phase.BIDDING or match.turn is None:
            return None
        else:
            seat, turn_id = self.seats[match.turn], match.turn_id
            own = UPDATE_DECODER.decode(seat.latest).own
            if own.may_challenge and (len(match.bids) >= MAX_BIDS or not own.bids):
                command = Challenge()
            else:
                bids = bids_in(own.bids)
                command = bids[random.randrange(min(4, len(bids)))]
        self._request_count += 1
        return seat, ENCODER.encode(CommandRequest(f"w{self._request_count}", command, turn_id))


class Clients:
    """All clients, and what they measure together."""

    def __init__(self, crowd: Crowd) -> None:
        self.echo, ports = crowd.echo, crowd.ports
        self.tables = [
            Table(self, code_of(crowd.first + place), ports if crowd.mixed else (ports[place % len(ports)],))
            for place in range(crowd.tables)
        ]
        self.times_s: list[float] = []
        self.frames = self.frame_bytes = self.problems = 0
        self._flood_sent = self._flood_connections = 0

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
                await self._open(seat, seat.port)

        await asyncio.gather(*(connect_seat(table.seats[seat]) for table in self.tables for seat in seats))

    async def _open(self, client: WebSocketClient, port: int) -> None:
        await asyncio.get_running_loop().create_connection(lambda: client, "127.0.0.1", port)
        await client.open

    async def act(self, order: Act) -> Measured:
        """Act at a steady mean rate, at random moments, at one table after the other."""
        turns = random.sample(self.tables[1:], len(self.tables) - 1)  # the flood goes to the first table
        now_s = began_s = time.perf_counter()
        place = acted = late = 0
        measuring = False
        cpu_s = measured_s = 0.0
        while (now_s := time.perf_counter()) - began_s < order.warm_s + order.for_s:
            if not measuring and now_s - began_s >= order.warm_s:
                measuring, acted, late, cpu_s, measured_s = True, 0, 0, time.process_time(), now_s
                self.times_s, self.frames, self.frame_bytes = [], 0, 0
            due = int((now_s - began_s) * order.per_s)
            while place < due:
                if turns[place % len(turns)].act():
                    acted += 1
                else:
                    late += 1
                place += 1
            await asyncio.sleep(random.uniform(0.0005, 0.0015))
        cpu = (time.process_time() - cpu_s) / (time.perf_counter() - measured_s)
        await asyncio.sleep(0.5)  # updates on their way count, too
        times_s = sorted(self.times_s)
        return Measured(
            actions=acted,
            late=late,
            p50_ms=_ms(times_s, 0.5),
            p99_ms=_ms(times_s, 0.99),
            most_ms=_ms(times_s, 1.0),
            frames=self.frames,
            frame_bytes=round(self.frame_bytes / max(1, self.frames)),
            problems=self.problems,
            crowd_cpu=round(cpu, 3),
        )

    async def flood(self, order: Flood) -> Measured:
        """Act while a client at the first table sends too much, and reconnects whenever it is disconnected."""
        self._flood_sent = self._flood_connections = 0
        flooding = asyncio.create_task(self._flood(order.flood_per_s))
        measured = await self.act(order)
        flooding.cancel()
        measured.flood_sent, measured.flood_connections = self._flood_sent, self._flood_connections
        return measured

    async def _flood(self, per_s: float) -> None:
        batch = encode_frame(b'{"type":"do","id":"flood","command":{"type":"say","text":"flood"}}') * FLOOD_BATCH
        while True:
            client = WebSocketClient(path_of(self.tables[0].code), cookie_of(0))
            try:
                await self._open(client, self.tables[0].ports[0])
            except OSError:
                continue
            self._flood_connections += 1
            while not client.closed:
                assert client.transport is not None
                client.transport.write(batch)
                self._flood_sent += FLOOD_BATCH
                await asyncio.sleep(FLOOD_BATCH / per_s)


def _ms(times_s: list[float], share: float) -> float:
    return round(1000 * times_s[min(len(times_s) - 1, int(len(times_s) * share))], 2) if times_s else float("nan")


async def run_orders(clients: Clients) -> None:
    """Connect, report it, and carry out orders until standard input ends."""
    await clients.connect(range(1))
    print('"one of each"', flush=True)
    await clients.connect(range(1, SEATS))
    gc.collect()
    gc.freeze()
    print('"everybody"', flush=True)
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    while line := await orders.readline():
        order = ORDER_DECODER.decode(line)
        measured = await (clients.flood(order) if isinstance(order, Flood) else clients.act(order))
        print(ENCODER.encode(measured).decode(), flush=True)


def main() -> None:
    """Connect the clients and carry out orders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("crowd", type=msgspec.json.Decoder(Crowd).decode, help="a `Crowd` as JSON")
    parser.add_argument("--core", type=int, default=None)
    arguments = parser.parse_args()
    pin_to_core(arguments.core)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_run(arguments.crowd))


async def _run(crowd: Crowd) -> None:
    await run_orders(Clients(crowd))


if __name__ == "__main__":
    main()
