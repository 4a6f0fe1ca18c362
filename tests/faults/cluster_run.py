"""Plays matches through several nodes while faults happen to them, and checks the logs afterwards.

`python -m tests.faults.cluster_run --actions 100000 --results FILE` plays until so many actions were acknowledged, in
parts with a new database each, and appends a line of JSON to the file after each part.
"""

import argparse
import asyncio
import itertools
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
import uvloop

from liarsdice.server.table.log_entries import LogRow, Played
from liarsdice.server.table.reducer import replay_log
from liarsdice.wire import Stage, Update
from tests.faults.cluster import Cluster, running_cluster
from tests.faults.kills import PATIENCE_S, all_tables_change, gather_people, matches_of
from tests.faults.players import Player, check_against_log, check_last_view
from tests.postgres_server import PostgresServer

RETRY_S = 0.1
ANSWER_WITHIN_S = 2.0
INTERRUPTS = 0.05
REST_S = 0.2
SKEW_S = 300.0
DROPPED = 0.2
MOST_FAILURES = 5
Span = tuple[float, float]
"""From when until when, on the monotonic clock."""


class FaultReport(msgspec.Struct):
    """What happened and what was played.

    `acknowledged`: the commands that were answered with done; each was found in the log once. `longest_wait_s`: the
    longest time from a command until its answer. `longest_turn_s`: the longest time that a table waited for its bots or
    its dealer. Both are given for the waits that ended after each fault and before the next one, and leave out the time
    during which no node could write to the database. `bot_turns`: how often a node let a bot decide a turn.
    `bot_moves`: the moves of bots in the logs.
    """

    nodes: int
    skew_s: float
    drop_hints: float
    faults: dict[str, int]
    tables: int
    matches: int
    entries: int
    acknowledged: int
    connections: int
    longest_wait_s: dict[str, float]
    longest_turn_s: dict[str, float]
    bot_turns: int
    bot_moves: int
    seconds: float


class TableWatch:
    """Measures how long a table waits for its bots and its dealer. `waits`: as the pages of its players see them."""

    def __init__(self) -> None:
        self.waits: list[Span] = []
        self._seq = 0
        self._since_s: float | None = None

    def note(self, update: Update) -> None:
        """Note an update that one of the players received."""
        if update.seq > self._seq:
            now_s = time.monotonic()
            if self._since_s is not None:
                self.waits.append((self._since_s, now_s))
            self._seq, self._since_s = update.seq, now_s if server_acts(update) else None


def server_acts(update: Update) -> bool:
    """Whether a table waits for a bot or for its dealer, and not for a person."""
    match = update.table.match
    if match is None or update.table.stage is not Stage.PLAYING:
        return False
    return match.turn is None or update.table.players[match.turn].bot is not None


def longest_s(waits: Iterable[Span], faults: Sequence[tuple[str, float]], outages: Sequence[Span]) -> dict[str, float]:
    """The longest wait after each fault, without the time of the outages. `faults`: their names and beginnings.

    >>> longest_s([(0.0, 2.0), (10.0, 15.0), (20.0, 21.0)], [("stop", 1.0), ("kill", 11.0)], [(11.0, 14.0)])
    {'stop': 2.0, 'kill': 2.0}
    """
    longest: dict[str, float] = {}
    for start, end in waits:
        name = next((name for name, began_s in reversed(faults) if began_s <= end), "no fault")
        in_outages = sum(max(0.0, min(end, until) - max(start, since)) for since, until in outages)
        longest[name] = max(longest.get(name, 0.0), round(end - start - in_outages, 2))
    return longest


async def play_through_faults(
    cluster: Cluster,
    faults: Sequence[str],
    *,
    seed: int,
    tables: int,
    actions: int = 0,
    calm_s: float = 0.1,
    patience_s: float = ANSWER_WITHIN_S,
) -> FaultReport:
    """Play while these faults happen in this order, and then in any order until `actions` are acknowledged.

    Then all players rest, and every log is checked against what they received. `calm_s`: the longest time that passes
    without a fault after every table has changed. `patience_s`: after how long without an answer a player reconnects.
    """
    began_s, rng, happened = time.monotonic(), random.Random(seed), list[tuple[str, float]]()
    tables_of_players = [await gather_people(cluster.address(), seed, place) for place in range(tables)]
    everybody = list(itertools.chain.from_iterable(tables_of_players))
    watches = [TableWatch() for _ in tables_of_players]
    for players, watch in zip(tables_of_players, watches, strict=True):
        for player in players:
            player.retry_s, player.patience_s, player.interrupts = RETRY_S, patience_s, INTERRUPTS
            player.on_update = watch.note

    def leave(address: str) -> None:
        for player in everybody:
            if player.address == address:
                player.hang_up()

    def next_faults() -> Iterator[str]:
        yield from faults
        while sum(len(player.done) for player in everybody) < actions:
            yield rng.choice(faults)

    cluster.on_unreachable = leave
    playing = {asyncio.create_task(_play(player, cluster)) for player in everybody}
    try:
        for fault in next_faults():
            await all_tables_change(tables_of_players, playing)
            await asyncio.sleep(rng.uniform(0, calm_s))
            happened.append((fault, time.monotonic()))
            await cluster.faults()[fault]()
        await all_tables_change(tables_of_players, playing)
        await _come_to_rest(cluster, everybody)
        await cluster.count_bot_turns(cluster.nodes)
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
    logs = await cluster.logs()
    acknowledged = sum(_checked(players, logs[players[0].code]) for players in tables_of_players)
    waits = [wait for player in everybody for wait in player.waits]
    turns = [wait for watch in watches for wait in watch.waits]
    return FaultReport(
        nodes=len(cluster.nodes),
        skew_s=cluster.skew_s,
        drop_hints=cluster.drop_hints,
        faults=dict(Counter(name for name, _ in happened)),
        tables=tables,
        matches=matches_of(tables_of_players),
        entries=sum(len(logs[players[0].code]) for players in tables_of_players),
        acknowledged=acknowledged,
        connections=sum(player.connections for player in everybody),
        longest_wait_s=longest_s(waits, happened, cluster.outages),
        longest_turn_s=longest_s(turns, happened, cluster.outages),
        bot_turns=round(cluster.bot_turns),
        bot_moves=sum(bot_moves(logs[players[0].code]) for players in tables_of_players),
        seconds=round(time.monotonic() - began_s, 1),
    )


async def _play(player: Player, cluster: Cluster) -> None:
    await player.play(lambda: cluster.address(but_not=player.address))


async def _come_to_rest(cluster: Cluster, everybody: Sequence[Player]) -> None:
    """Let nobody send new commands, and wait until every page shows the end of the log by itself."""
    for player in everybody:
        player.resting = True
    heads: dict[str, int] = {}

    def rests(player: Player) -> bool:
        at_the_end = player.last_seq == heads.get(player.code)
        return at_the_end and not player.pending and player.latest is not None and not server_acts(player.latest)

    try:
        async with asyncio.timeout(PATIENCE_S):
            while not all(map(rests, everybody)):
                await asyncio.sleep(REST_S)
                heads = await cluster.heads()
    except TimeoutError:
        restless = [(heads.get(player.code), player.describe()) for player in everybody if not rests(player)]
        raise AssertionError(f"pages do not show the end of the log: {restless}") from None


def _checked(players: list[Player], rows: list[LogRow]) -> int:
    """Check what the players of a table received against its log; return how many commands were acknowledged."""
    acknowledged = check_against_log(players, rows)
    table = replay_log(rows)
    assert table is not None
    for player in players:
        check_last_view(player, table)
    return acknowledged


def bot_moves(rows: list[LogRow]) -> int:
    """The number of moves by bots in a log."""
    table = replay_log(rows)
    assert table is not None
    bots = {seat for seat, player in enumerate(table.players) if player.bot is not None}
    return sum(isinstance(row.entry, Played) and row.entry.seat in bots for row in rows)


async def play_part(postgres: PostgresServer, arguments: argparse.Namespace, seed: int) -> FaultReport:
    """Play one part on a new database. In every other part, clocks and bus fail."""
    wrong = seed % 2 == 1
    with tempfile.TemporaryDirectory() as folder:
        async with running_cluster(
            postgres,
            Path(folder),
            seed=seed,
            nodes=arguments.nodes,
            skew_s=SKEW_S if wrong else 0,
            drop_hints=DROPPED if wrong else 0,
        ) as cluster:
            faults = list(arguments.faults or cluster.faults())
            random.Random(seed).shuffle(faults)
            return await play_through_faults(
                cluster,
                faults,
                seed=seed,
                tables=arguments.tables,
                actions=arguments.part,
                calm_s=arguments.calm_s,
                patience_s=arguments.patience_s,
            )


def main() -> None:
    """Play in parts, and exit with status 1 if any of them fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--actions", type=int, default=10_000)
    parser.add_argument("--part", type=int, default=10_000, help="how many actions are played on one database")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--tables", type=int, default=12)
    parser.add_argument("--calm-s", type=float, default=20.0, help="the longest pause between two faults")
    parser.add_argument("--patience-s", type=float, default=5.0, help="after how long players reconnect")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", nargs="*", help="the names of the faults, by default all of them")
    parser.add_argument("--results", type=Path, default=Path("/dev/stdout"))
    arguments = parser.parse_args()
    acknowledged = failures = 0
    with PostgresServer() as postgres, suppress(KeyboardInterrupt):
        for seed in itertools.count(arguments.seed):
            try:
                with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                    report = runner.run(play_part(postgres, arguments, seed))
                acknowledged += report.acknowledged
                line = msgspec.json.encode(report)
            except AssertionError as error:
                failures += 1
                line = msgspec.json.encode({"seed": seed, "failed": str(error)[:4000]})
            with arguments.results.open("a") as results:
                results.write(f"{line.decode()}\n")
            if acknowledged >= arguments.actions or failures == MOST_FAILURES:
                break
    raise SystemExit(1 if failures else 0)


if __name__ == "__main__":
    main()
