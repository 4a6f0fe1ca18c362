"""Plays at many tables for a long time and reports how the memory of the server develops.

`python -m benchmarks.soak --minutes 30 --tables 300` starts `benchmarks.server_process` with a database. Six clients at
each table play matches, talk, and now and then lose their connection and reconnect; more tables are opened and left,
and further connections end as those of attackers do.

All tables begin their first match at once, and a table takes more memory until that match is over and its lists are
full; the lobby keeps up to `MAX_LISTED` tables in memory. Before the first minute, the clients therefore play as fast
as they can, until each table has made between one and two matches' worth of actions, and so many listed tables are
opened. Prints one line of JSON each minute. The exit status is 1 if the memory at the end is more than 2% above that of
minute 5.
"""

import argparse
import asyncio
import itertools
import random
import time
from contextlib import suppress

import httpx
import msgspec
import uvloop

from benchmarks.attack import PING, REQUESTS, UPGRADE
from benchmarks.server_clients import Clients, Seat, Table
from benchmarks.server_process import SEATS, ServerProcess, pin_to_core, running_server
from liarsdice.server.live.table_registry import MAX_LISTED
from liarsdice.server.protocol.messages import CommandRequest
from liarsdice.server.table.commands import Say

BASE_MINUTE = 5
MAX_GROWTH = 0.02
ACTIONS_PER_S = 60
CHURN_PER_S = 2
OPEN_EVERY_S = 10
ENDS_PER_S = 20
MATCH_ACTIONS = 270
"""About as many actions as a match of six players has under the rules of the benchmark."""

WARMING_TABLES, WARMING_PAUSE_S = 16, 0.002
"""How many tables warm up at a time, and how long one waits until it tries to act again."""

LINE = "a line of talk, about as long as people write"


class Sample(msgspec.Struct):
    """The server after some minutes: its resident memory, and what its metrics say.

    `stall_s`: the longest stall of its event loop in the last minute or two.
    """

    minute: int
    memory_mb: float
    tables: int
    connections: int
    commits: int
    stall_s: float


async def soak(minutes: int, tables: int, actions_per_s: float) -> bool:
    """Run the soak and print its samples; return whether the memory stayed within the limit."""
    async with running_server(tables) as server:
        clients = Clients(server.port, tables)
        await clients.connect(range(SEATS))
        await _warm_up(clients)
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}", timeout=60) as browser:
            for _ in range(MAX_LISTED):
                await _open_table(browser)
            background = [
                asyncio.create_task(work)
                for work in (_churn(clients), _open_tables(browser), _end_connections(clients))
            ]
            playing = asyncio.create_task(clients.act(actions_per_s, 60 * minutes))
            samples = []
            began_s = time.monotonic()
            for minute in range(minutes + 1):
                await asyncio.sleep(max(0.0, began_s + 60 * minute - time.monotonic()))
                samples.append(await _sample(browser, server, minute))
                print(msgspec.json.encode(samples[-1]).decode(), flush=True)
            for task in background:
                task.cancel()
            print(msgspec.json.encode(await playing).decode(), flush=True)
    base = samples[min(BASE_MINUTE, minutes - 1)].memory_mb
    growth = samples[-1].memory_mb / base - 1
    print(f"memory grew by {growth:.1%} since minute {min(BASE_MINUTE, minutes - 1)}", flush=True)
    return growth <= MAX_GROWTH


async def _warm_up(clients: Clients) -> None:
    """Play one to two matches at each table, each another part, so that the tables are not in step afterwards."""
    waiting = iter(clients.tables)

    async def play_tables() -> None:
        for table in waiting:
            actions = random.randrange(MATCH_ACTIONS, 2 * MATCH_ACTIONS)
            while actions:
                actions -= table.act()
                await asyncio.sleep(WARMING_PAUSE_S)

    began_s = time.monotonic()
    await asyncio.gather(*(play_tables() for _ in range(WARMING_TABLES)))
    print(f"warmed up in {time.monotonic() - began_s:.0f} s", flush=True)


async def _sample(browser: httpx.AsyncClient, server: ServerProcess, minute: int) -> Sample:
    """Return what the system and the metrics say of the server now."""
    metrics: dict[str, float] = {}
    for line in (await browser.get("/metrics")).text.splitlines():
        name, _, value = line.rpartition(" ")
        if not line.startswith("#"):
            metrics[name.partition("{")[0]] = float(value)
    return Sample(
        minute=minute,
        memory_mb=round(server.memory_kb() / 1000, 1),
        tables=int(metrics["liarsdice_tables"]),
        connections=int(metrics["liarsdice_connections"]),
        commits=int(metrics["liarsdice_commits_total"]),
        stall_s=metrics["liarsdice_loop_stall_seconds"],
    )


async def _churn(clients: Clients) -> None:
    """Let random clients talk, and others reconnect."""
    for number in itertools.count():
        await asyncio.sleep(1 / CHURN_PER_S)
        with suppress(OSError):
            await _reconnect(random.choice(clients.tables), random.randrange(SEATS))
        speaker: Seat = random.choice(random.choice(clients.tables).seats)
        if not speaker.closed:
            speaker.send(msgspec.json.encode(CommandRequest(f"talk{number}", Say(LINE))))


async def _reconnect(table: Table, seat: int) -> None:
    """Connect a seat again and close its former connection, whose actions would be lost if it were closed before."""
    new = Seat(table, seat)
    new.latest = table.seats[seat].latest
    await table.clients.open(new)
    old, table.seats[seat] = table.seats[seat], new
    if old.transport is not None:
        old.transport.abort()


async def _open_tables(browser: httpx.AsyncClient) -> None:
    """Open a listed table again and again, look at the lobby, and leave."""
    while True:
        await asyncio.sleep(OPEN_EVERY_S)
        await _open_table(browser)
        (await browser.get("/api/lobby")).raise_for_status()


async def _open_table(browser: httpx.AsyncClient) -> None:
    (await browser.post("/api/tables", json={"name": "Ann", "listed": True})).raise_for_status()


async def _end_connections(clients: Clients) -> None:
    """Open connections that send too many requests or frames, or leave at once, and are reset."""
    upgrade = UPGRADE.format(clients.tables[0].code).encode()
    for head, rest in itertools.cycle(((REQUESTS, b""), (upgrade, PING * 200), (upgrade, b""), (b"GET", b""))):
        with suppress(OSError, RuntimeError):  # the last if the server was first to close it
            _, writer = await asyncio.open_connection("127.0.0.1", clients.port)
            writer.write(head)
            await asyncio.sleep(1 / ENDS_PER_S)
            writer.write(rest)
            await asyncio.sleep(0)
            writer.transport.abort()


def main() -> None:
    """Run the soak as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=int, default=30)
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--actions-per-s", type=float, default=ACTIONS_PER_S)
    arguments = parser.parse_args()
    pin_to_core(None)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        within = runner.run(soak(arguments.minutes, arguments.tables, arguments.actions_per_s))
    raise SystemExit(0 if within else 1)


if __name__ == "__main__":
    main()
