"""Matches at several tables while the server is killed at random moments, and what must be true afterwards.

`python -m tests.faults.kills --matches 300` goes on for as long as it takes.
"""

import argparse
import asyncio
import itertools
import random
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from liarsdice.server.http.websocket import CLOSED_RESTARTING
from tests.faults.players import Player, check, gather_table
from tests.processes import Server, logs_of

PATIENCE_S = 60.0
LOOK_S = 0.005
PEOPLE = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo")


class Tale(msgspec.Struct):
    """What happened: how often the server was killed, and what came through."""

    kills: int
    tables: int
    matches: int
    entries: int
    granted: int
    connections: int
    seconds: float


async def play_through_kills(
    folder: Path, *, seed: int, tables: int, enough: Callable[[int, int], bool], longest_s: float = 0.4
) -> Tale:
    """Play until `enough(kills, matches)` holds, and check every log against what everybody was told.

    A server lives for up to `longest_s` after each table has moved on.
    """
    began, chance = time.monotonic(), random.Random(seed)
    server = Server(folder / "tables.db", "--pace", "0", "--log-level", "warning")
    await asyncio.to_thread(server.start)
    playing: set[asyncio.Task[None]] = set()
    kills = 0
    try:
        seated = [await _gathered(server.address, seed, place) for place in range(tables)]
        everybody = list(itertools.chain.from_iterable(seated))
        playing = {asyncio.create_task(player.play(lambda: server.address)) for player in everybody}
        while not enough(kills, matches_of(seated)):
            await _all_move_on(seated, playing)
            await asyncio.sleep(chance.uniform(0, longest_s))
            await asyncio.to_thread(server.kill)
            kills += 1
            await asyncio.to_thread(server.start)
        await _all_move_on(seated, playing)
        endings = [len(player.endings) for player in everybody]
        assert await asyncio.to_thread(server.stop) == 0, "a server that is told to stop ends well"
        await _until(lambda: all(len(player.endings) > had for player, had in zip(everybody, endings, strict=True)))
        assert {player.endings[-1] for player in everybody} == {CLOSED_RESTARTING}
        assert server.log.read_text() == "", "to be killed or stopped is nothing to warn of"
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        server.end()
    logs = logs_of(server.database)
    granted = sum(check(players, logs[players[0].code]) for players in seated)
    return Tale(
        kills=kills,
        tables=tables,
        matches=matches_of(seated),
        entries=sum(map(len, logs.values())),
        granted=granted,
        connections=sum(player.connections for player in everybody),
        seconds=round(time.monotonic() - began, 1),
    )


def matches_of(seated: list[list[Player]]) -> int:
    """How many matches came to their end."""
    return sum(max(player.matches for player in players) for players in seated)


async def _gathered(address: str, seed: int, place: int) -> list[Player]:
    """Tables of two to six, every other one with a bot that moves while its server is killed."""
    people = 2 + place % 4
    bots = ["threshold"] if place % 2 else []
    return await gather_table(address, list(PEOPLE[:people]), seed, seats=6, bots=bots, listed=True)


async def _all_move_on(seated: list[list[Player]], playing: set[asyncio.Task[None]]) -> None:
    """Wait until everybody was told of something new, so that each server does some work before its end."""
    had = [(player, player.have) for player in itertools.chain(*seated)]

    def all_moved() -> bool:
        for task in playing:
            if task.done():
                task.result()
        return all(player.have > old for player, old in had)

    try:
        await _until(all_moved)
    except TimeoutError:
        stuck = [player.story() for player, old in had if player.have <= old]
        raise AssertionError(f"tables stand still: {stuck}") from None


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110  what is waited for happens in many places
            await asyncio.sleep(LOOK_S)


def main() -> None:
    """Play as many matches as are asked for, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        tale = asyncio.run(
            play_through_kills(
                Path(folder),
                seed=asked.seed,
                tables=asked.tables,
                enough=lambda _, matches: matches >= asked.matches,
            )
        )
        sys.stdout.write(f"{msgspec.json.encode(tale).decode()}\n")


if __name__ == "__main__":
    main()
