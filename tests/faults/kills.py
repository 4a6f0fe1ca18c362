"""Plays matches at several tables while the server or its database is killed, and checks the logs afterwards.

`python -m tests.faults.kills --matches 300` plays as many matches.
"""

import argparse
import asyncio
import itertools
import random
import re
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from liarsdice.server.http.websocket import CLOSED_RESTARTING, CLOSED_TOO_FAST
from liarsdice.server.table.log_entries import LogRow
from tests.faults.players import Player, check_against_log, gather_table
from tests.processes import Server, logs_of

PATIENCE_S = 60.0
POLL_S = 0.005
ORPHAN_LINE = re.compile(
    r'^(?:Traceback \(most recent call last\):|  File "<string>", line 1, in <module>'
    r'|  File ".*/multiprocessing/spawn\.py", line \d+, in (?:spawn_main|_main)'
    r"|    from multiprocessing\.spawn import spawn_main; spawn_main\(.*\)"
    r"|    exitcode = _main\(fd, parent_sentinel\)"
    r"|    (?:preparation_data|self) = reduction\.pickle\.load\(from_parent\)"
    r"| +[\^~]+|(?:EOFError|_pickle\.UnpicklingError): .*)\n",
    re.MULTILINE,
)
RESET = None
"""How a connection ends whose player was sending at that moment: the close message is lost with the rest."""
PEOPLE = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo")


class KillReport(msgspec.Struct):
    """How often something was killed, and what was played. `done`: the commands that were answered with done."""

    kills: int
    tables: int
    matches: int
    entries: int
    done: int
    connections: int
    seconds: float


async def play_through_kills(
    folder: Path, *, seed: int, tables: int, enough: Callable[[int, int], bool], longest_s: float = 0.4
) -> KillReport:
    """Kill a server with a SQLite file and start it again, as `play_through_crashes` says."""
    database = folder / "tables.db"
    server = Server(database, "--pace", "0", "--log-level", "warning")

    def crash() -> None:
        server.kill()
        server.start()

    async def read_logs() -> dict[str, list[LogRow]]:
        return logs_of(database)

    report = await play_through_crashes(
        server, crash, read_logs, seed=seed, tables=tables, enough=enough, longest_s=longest_s
    )
    logged = logged_by(server)
    assert not logged, f"kills and stops log no warning:\n{logged}"
    return report


def logged_by(server: Server) -> str:
    """What a server that was killed wrote to standard error.

    A worker process that is just starting when the server is killed reads an incomplete order from it, and Python
    prints where. Two may do so at once. The lines of these tracebacks are left out if there is nothing else.
    """
    logged = server.log.read_text()
    orphans = logged.count(", in spawn_main\n")
    begun, ended = logged.count("Traceback ("), logged.count("EOFError: ") + logged.count("UnpicklingError: ")
    return ORPHAN_LINE.sub("", logged) if begun == ended == orphans else logged


async def play_through_crashes(
    server: Server,
    crash: Callable[[], None],
    read_logs: Callable[[], Awaitable[dict[str, list[LogRow]]]],
    *,
    seed: int,
    tables: int,
    enough: Callable[[int, int], bool],
    longest_s: float,
) -> KillReport:
    """Play until `enough(kills, matches)` holds, and check every log against what the players received.

    `crash` kills something and starts it again, up to `longest_s` after every table has changed.
    """
    began, rng = time.monotonic(), random.Random(seed)
    await asyncio.to_thread(server.start)
    playing: set[asyncio.Task[None]] = set()
    kills = 0
    try:
        tables_of_players = [await gather_people(server.address, seed, place) for place in range(tables)]
        everybody = list(itertools.chain.from_iterable(tables_of_players))
        playing = {asyncio.create_task(player.play(lambda: server.address)) for player in everybody}
        while not enough(kills, matches_of(tables_of_players)):
            await all_tables_change(tables_of_players, playing)
            await asyncio.sleep(rng.uniform(0, longest_s))
            await asyncio.to_thread(crash)
            kills += 1
        await all_tables_change(tables_of_players, playing)
        assert await asyncio.to_thread(server.stop) == 0, "a server that is stopped exits with 0"
        # whoever was just reconnecting has no connection that ends now
        await until(lambda: all(len(player.close_codes) == player.connections for player in everybody))
        last_codes = [player.close_codes[-1] for player in everybody]
        assert CLOSED_RESTARTING in last_codes, last_codes
        # a player may have been disconnected for its pace just before the stop
        assert set(last_codes) <= {CLOSED_RESTARTING, CLOSED_TOO_FAST, RESET}, last_codes
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        server.end()
    logs = await read_logs()
    done = sum(check_against_log(players, logs[players[0].code]) for players in tables_of_players)
    return KillReport(
        kills=kills,
        tables=tables,
        matches=matches_of(tables_of_players),
        entries=sum(map(len, logs.values())),
        done=done,
        connections=sum(player.connections for player in everybody),
        seconds=round(time.monotonic() - began, 1),
    )


def matches_of(tables_of_players: list[list[Player]]) -> int:
    """The number of finished matches."""
    return sum(max(player.matches for player in players) for players in tables_of_players)


async def gather_people(address: str, seed: int, place: int) -> list[Player]:
    """A table of two to five people; every other table has a bot, too."""
    people = 2 + place % 4
    bots = ["threshold"] if place % 2 else []
    return await gather_table(address, list(PEOPLE[:people]), seed, seats=6, bots=bots, listed=False)


async def all_tables_change(tables_of_players: list[list[Player]], playing: set[asyncio.Task[None]]) -> None:
    """Wait until every player received an update, so that each server does some work before it is killed."""
    before = [(player, player.last_seq) for player in itertools.chain(*tables_of_players)]

    def all_changed() -> bool:
        for task in playing:
            if task.done():
                task.result()
        return all(player.last_seq > old for player, old in before)

    try:
        await until(all_changed)
    except TimeoutError:
        stuck = [player.describe() for player, old in before if player.last_seq <= old]
        raise AssertionError(f"tables do not change: {stuck}") from None


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds. Raises `TimeoutError` after `PATIENCE_S`."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110  the condition depends on many players
            await asyncio.sleep(POLL_S)


def main() -> None:
    """Play the matches and print a report as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        report = asyncio.run(
            play_through_kills(
                Path(folder),
                seed=arguments.seed,
                tables=arguments.tables,
                enough=lambda _, matches: matches >= arguments.matches,
            )
        )
        sys.stdout.write(f"{msgspec.json.encode(report).decode()}\n")


if __name__ == "__main__":
    main()
