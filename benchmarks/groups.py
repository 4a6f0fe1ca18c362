"""Measures what the page of a group costs a server that has many groups with many matches each.

`first` is a look at a group that the server has not shown since it started, `again` the next look.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

import httpx
import msgspec
import numpy as np

from benchmarks.figures import Figures, save_figures
from liarsdice.core.records.awards import Award
from liarsdice.core.rules.bids import Bid
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice.server.app import make_app
from liarsdice.server.groups.group import Group, Member, Scoring, Season
from liarsdice.server.groups.results import RECORDED, GroupResult, ResultSeat
from liarsdice.server.http.auth import hash_token
from liarsdice.server.services import Services
from liarsdice.server.storage.db_schema import migrate_file
from liarsdice.server.storage.sqlite import SqliteStore

MEMBERS, SEATS, MATCHES_A_NIGHT = 8, 5, 3
DAY_MS = 24 * 3_600_000
TOKEN = "a" * 43


def code_of(number: int) -> str:
    """Return the code of the group with a number."""
    return f"{number:010}".translate(str.maketrans("0123456789", "ABCDEFGHJK"))


def group_of(number: int) -> Group:
    """Return a group, of whose members one holds `TOKEN`."""
    people = tuple(
        Member(id=member, name=f"Player {member}", token_hashes=(hash_token(TOKEN if member == 1 else str(member)),))
        for member in range(1, MEMBERS + 1)
    )
    return Group(
        code=code_of(number), name="The group", founder=1, founded_at_ms=0, members=people, seasons=seasons(number)
    )


def seasons(number: int) -> tuple[Season, ...]:
    """Return seasons of 50 nights for a group with a number; how they count differs between groups."""
    scoring = list(Scoring)[number % len(Scoring)]
    length_ms = 50 * 7 * DAY_MS
    ends = [(begins + 1) * length_ms for begins in range(6)]
    past = tuple(Season(place, end - length_ms, scoring, end, (1,), 100) for place, end in enumerate(ends, 1))
    return (*past, Season(len(past) + 1, ends[-1], scoring))


def result_of(number: int, chance: random.Random) -> GroupResult:
    """Return a match of five of the members."""
    members = chance.sample(range(1, MEMBERS + 1), SEATS)
    seats = tuple(ResultSeat(member, place, True) for place, member in enumerate(members, 1))  # noqa: FBT003  it played
    awards = tuple(
        Award(
            kind=kind, seat=chance.randrange(SEATS), round_number=3, count=4, dice=3, bid=Bid(5, 4), p=chance.random()
        )
        for kind in RECORDED
    )
    catches = tuple((chance.randrange(SEATS), chance.randrange(SEATS)) for _ in range(14))
    at_ms = number // MATCHES_A_NIGHT * 7 * DAY_MS + number
    return GroupResult("ABCD", number, at_ms, "Perudo", seats, awards, catches, (4, 17))


def fill(path: Path, groups: int, matches: int) -> None:
    """Write a database with so many groups and matches of each."""
    migrate_file(path)
    chance = random.Random(1)
    results = [result_of(number, chance) for number in range(1, matches + 1)]
    rows = [(result.match, result.at_ms, msgspec.json.encode(result)) for result in results]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        for number in range(groups):
            code = code_of(number)
            connection.execute(
                "INSERT INTO groups VALUES (?, 1, 0, NULL, ?)", (code, msgspec.json.encode(group_of(number)))
            )
            connection.executemany(f"INSERT INTO group_results VALUES ('{code}', 'ABCD', ?, ?, ?)", rows)  # noqa: S608  our own code
        connection.commit()


async def measure(path: Path, groups: int, looks: int) -> Figures:
    """Return the milliseconds of processor time and of waiting for the pages of some groups."""
    app = make_app(Services(SqliteStore(path)))
    transport = httpx.ASGITransport(app)  # type: ignore[arg-type]
    chance = random.Random(2)
    numbers = [number for number in chance.sample(range(groups), min(groups, 3 * looks)) if number % len(Scoring)]
    spent: dict[str, list[tuple[float, float]]] = {"first": [], "again": []}
    async with app.lifespan(), httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
        client.cookies.set("liarsdice", TOKEN)
        for number in numbers[:looks]:
            for look, times in spent.items():
                cpu_s, began_s = time.process_time(), time.perf_counter()
                answer = await client.get(f"/api/groups/{code_of(number)}")
                times.append((time.process_time() - cpu_s, time.perf_counter() - began_s))
                assert answer.json()["inside"] is not None, look
    figures: Figures = {}
    for look, times in spent.items():
        cpu, wall = np.array(times).T * 1000
        figures |= {
            f"{look}_cpu_ms": round(float(np.median(cpu)), 1),
            f"{look}_ms": round(float(np.median(wall)), 1),
            f"{look}_p99_ms": round(float(np.quantile(wall, 0.99)), 1),
        }
    return figures


def main() -> None:
    """Measure and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", type=int, default=10_000)
    parser.add_argument("--matches", type=int, default=1_000)
    parser.add_argument("--looks", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "groups.db"
        fill(path, options.groups, options.matches)
        figures = asyncio.run(measure(path, options.groups, options.looks))
    title = f"{options.groups:,} groups of {options.matches:,} matches"
    save_figures("groups", {title: figures}, packages=(DISTRIBUTION,))


if __name__ == "__main__":
    main()
