"""Measures how long a player at a training table waits for estimates: the first figures, and the settled ones.

Each table has a person and champions, at all tables from addresses of their own. Whenever the person is on turn, the
quick estimates are asked for and then the others, and the most valuable move is made. The server and its workers stay
on one core.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from typing import NamedTuple

import httpx
import msgspec
import numpy as np

from benchmarks.figures import Figures, read_figures, save_figures
from benchmarks.server_process import pin_to_core, running_server
from liarsdice.client import AsyncClient
from liarsdice.client.calls import headers
from liarsdice.server.http.training import TrainingResponse


class Waited(NamedTuple):
    """How long a player waited for the first and for the settled estimates of a situation, in seconds."""

    first_s: float
    settled_s: float


async def play(url: str, number: int, rules: str, seats: int, decisions: int) -> list[Waited]:
    """Return how long a player waited for estimates of so many decisions at a table of their own."""
    address = f"127.0.0.{number + 2}"
    waited: list[Waited] = []
    async with AsyncClient(url, transport=httpx.AsyncHTTPTransport(local_address=address)) as client:
        bots = ["champion"] * (seats - 1)
        seat = await client.open_table("Ann", rules=rules, seats=seats, bots=bots, training=True, begin=True)
        asking = httpx.AsyncClient(
            base_url=url,
            headers=headers(client.token),
            timeout=60,
            transport=httpx.AsyncHTTPTransport(local_address=address),
        )
        path = f"/api/tables/{seat.code}/training"
        async with asking:
            while len(waited) < decisions:
                view = await client.wait_for_turn(seat.code)
                if view.is_over:
                    await client.begin(seat.code)
                    continue
                began_s = time.monotonic()
                (await asking.get(path, params={"quick": "true"})).raise_for_status()
                first_s = time.monotonic() - began_s
                answer = msgspec.json.decode((await asking.get(path)).raise_for_status().content, type=TrainingResponse)
                waited.append(Waited(first_s, time.monotonic() - began_s))
                move = answer.moves[0].move
                assert move is not None
                await client.act(view, move)
    return waited


async def measure(rules: str, seats: int, tables: int, decisions: int) -> Figures:
    """Return the times at so many tables at once."""
    async with running_server(1, core=0) as server:
        url = f"http://127.0.0.1:{server.port}"
        await play(url, 100, rules, seats, 2)  # compiles the kernels
        found = await asyncio.gather(*(play(url, number, rules, seats, decisions) for number in range(tables)))
    times = np.array([waited for of_table in found for waited in of_table])
    (first, settled), (first_99, settled_99) = np.quantile(times, (0.5, 0.99), axis=0).round(2).tolist()
    return {"first_s": first, "first_p99_s": first_99, "settled_s": settled, "settled_p99_s": settled_99}


def main() -> None:
    """Measure and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default="perudo")
    parser.add_argument("--seats", type=int, default=5)
    parser.add_argument("--tables", default="1,20")
    parser.add_argument("--decisions", type=int, default=30, help="of each table")
    options = parser.parse_args()
    pin_to_core(1)
    figures: dict[str, Figures] = read_figures("training")
    for tables in map(int, options.tables.split(",")):
        row = asyncio.run(measure(options.rules, options.seats, tables, options.decisions))
        figures[f"{options.rules}, {options.seats} seats, {tables} tables"] = row
        save_figures("training", figures)


if __name__ == "__main__":
    main()
