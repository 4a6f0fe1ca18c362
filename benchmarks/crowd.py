"""People for `benchmarks.server`: thousands of connections in one process, cheap enough to leave the server the limit.

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

from benchmarks.stage import SEATS, code_of, cookie_of, path_of, settle
from benchmarks.websocket import Line, framed
from liarsdice.core.actions import Challenge, Move
from liarsdice.core.engine.state import Phase
from liarsdice.core.rules.bids import Bid
from liarsdice.server.protocol.messages import BidPair, Do, Stage
from liarsdice.server.table.commands import Begin

LONGEST_ROUND = 8
CONNECTING_AT_ONCE = 100
UPDATE = b'{"type":"update","seq":'
PROBLEM = b'{"type":"problem"'
ENCODER = msgspec.json.Encoder()
FLOOD_BATCH = 100


class Order(msgspec.Struct, tag_field="order"):
    """What the crowd shall do."""


class Act(Order, tag="act"):
    """Move so often, at all tables together, for so long; measure after the first `warm_s`."""

    per_s: float
    warm_s: float
    for_s: float


class Flood(Act, tag="flood"):
    """The same, while one more client sends `flood_per_s` messages."""

    flood_per_s: float = 10_000


class Measured(msgspec.Struct):
    """What came of it. Times from an action to everybody's update of it; `late`: the table was not ready to act."""

    actions: int
    late: int
    p50_ms: float
    p99_ms: float
    most_ms: float
    frames: int
    frame_bytes: int
    problems: int
    crowd_cpu: float
    flood_sent: int = 0
    flood_connections: int = 0


class _MatchLook(msgspec.Struct):
    mark: int
    phase: Phase
    turn: int | None
    bids: list[object]


class _TableLook(msgspec.Struct):
    stage: Stage
    match: _MatchLook | None


class _OwnLook(msgspec.Struct):
    bids: Sequence[BidPair]
    challenge: bool


class _Look(msgspec.Struct):
    table: _TableLook
    own: _OwnLook


LOOK = msgspec.json.Decoder(_Look)
ORDER = msgspec.json.Decoder(Act | Flood)


class Seat(Line):
    """One of six at a table."""

    def __init__(self, table: "Table", seat: int) -> None:
        super().__init__(path_of(table.code), cookie_of(seat))
        self.table, self.seat = table, seat
        self.latest = b""

    def heard(self, body: bytes) -> None:
        """Tell the table of its newest update."""
        if body.startswith(UPDATE):
            self.latest = body
            self.table.update(self, int(body[len(UPDATE) : body.index(b",", len(UPDATE))]), len(body))
        elif body.startswith(PROBLEM):
            self.table.crowd.problem(body)


class Table:
    """Six people, and how long their table takes to tell all of them of an action."""

    def __init__(self, crowd: "Crowd", code: str) -> None:
        self.crowd, self.code = crowd, code
        self.seats = [Seat(self, seat) for seat in range(SEATS)]
        self._seqs = [0] * SEATS
        self._before = 0
        self._waiting = 0
        self._began_s = 0.0
        self._said = 0

    def update(self, seat: Seat, seq: int, size: int) -> None:
        """An update has come to a seat."""
        self.crowd.frames += 1
        self.crowd.frame_bytes += size
        before, self._seqs[seat.seat] = self._seqs[seat.seat], seq
        if self._waiting and before <= self._before < seq:
            self._waiting -= 1
            if not self._waiting:
                self.crowd.times_s.append(time.perf_counter() - self._began_s)

    def act(self) -> bool:
        """Let whoever is on turn act; False where nobody can yet."""
        if self._waiting:
            return False
        found = self._echoed() if self.crowd.echo else self._move()
        if found is None:
            return False
        seat, body = found
        self._before, self._waiting, self._began_s = max(self._seqs), SEATS, time.perf_counter()
        seat.say(body)
        return True

    def _echoed(self) -> tuple[Seat, bytes]:
        return random.choice(self.seats), f'{{"type":"do","id":"","mark":{max(self._seqs) + 1}}}'.encode()

    def _move(self) -> tuple[Seat, bytes] | None:
        if len(set(self._seqs)) > 1:
            return None
        look = LOOK.decode(self.seats[0].latest)
        match = look.table.match
        what: Move | Begin
        if look.table.stage is not Stage.PLAYING or match is None:
            seat, what, mark = self.seats[0], Begin(), 0
        elif match.phase is not Phase.BIDDING or match.turn is None:
            return None
        else:
            seat, mark = self.seats[match.turn], match.mark
            own = LOOK.decode(seat.latest).own
            if own.challenge and (len(match.bids) >= LONGEST_ROUND or not own.bids):
                what = Challenge()
            else:
                what = Bid(*own.bids[random.randrange(min(4, len(own.bids)))])
        self._said += 1
        return seat, ENCODER.encode(Do(f"w{self._said}", what, mark))


class Crowd:
    """Everybody, and what they measure together."""

    def __init__(self, port: int, tables: int, *, echo: bool) -> None:
        self.port, self.echo = port, echo
        self.tables = [Table(self, code_of(place)) for place in range(tables)]
        self.times_s: list[float] = []
        self.frames = self.frame_bytes = self.problems = 0
        self._noise_sent = self._noise_connections = 0

    def problem(self, body: bytes) -> None:
        """Count what was refused; there should be nothing."""
        self.problems += 1
        if self.problems <= 3:
            print(body.decode(), file=sys.stderr)

    async def connect(self, seats: range) -> None:
        """Sit down those who have these seats, at every table."""
        free = asyncio.Semaphore(CONNECTING_AT_ONCE)

        async def one(seat: Seat) -> None:
            async with free:
                await self._dial(seat)

        await asyncio.gather(*(one(table.seats[seat]) for table in self.tables for seat in seats))

    async def _dial(self, line: Line) -> None:
        await asyncio.get_running_loop().create_connection(lambda: line, "127.0.0.1", self.port)
        await line.open

    async def act(self, order: Act) -> Measured:
        """Act at a steady mean rate, at random moments, one table after the other."""
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
        await asyncio.sleep(0.5)  # what is on its way counts
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
        """Act while somebody at the first table sends as fast as they can, and comes back whenever thrown out."""
        self._noise_sent = self._noise_connections = 0
        noise = asyncio.create_task(self._noise(order.flood_per_s))
        measured = await self.act(order)
        noise.cancel()
        measured.flood_sent, measured.flood_connections = self._noise_sent, self._noise_connections
        return measured

    async def _noise(self, per_s: float) -> None:
        batch = framed(b'{"type":"do","id":"flood","what":{"type":"say","text":"flood"}}') * FLOOD_BATCH
        while True:
            line = Line(path_of(self.tables[0].code), cookie_of(0))
            try:
                await self._dial(line)
            except OSError:
                continue
            self._noise_connections += 1
            while not line.closed:
                assert line.transport is not None
                line.transport.write(batch)
                self._noise_sent += FLOOD_BATCH
                await asyncio.sleep(FLOOD_BATCH / per_s)


def _ms(times_s: list[float], share: float) -> float:
    return round(1000 * times_s[min(len(times_s) - 1, int(len(times_s) * share))], 2) if times_s else float("nan")


async def obey(crowd: Crowd) -> None:
    """Connect, say so, and do what is ordered until no more orders come."""
    await crowd.connect(range(1))
    print('"one of each"', flush=True)
    await crowd.connect(range(1, SEATS))
    gc.collect()
    gc.freeze()
    print('"everybody"', flush=True)
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    while line := await orders.readline():
        order = ORDER.decode(line)
        measured = await (crowd.flood(order) if isinstance(order, Flood) else crowd.act(order))
        print(ENCODER.encode(measured).decode(), flush=True)


def main() -> None:
    """Be a crowd."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--core", type=int, default=None)
    parser.add_argument("--echo", action="store_true")
    asked = parser.parse_args()
    settle(asked.core)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_crowded(asked.port, asked.tables, echo=asked.echo))


async def _crowded(port: int, tables: int, *, echo: bool) -> None:
    await obey(Crowd(port, tables, echo=echo))


if __name__ == "__main__":
    main()
