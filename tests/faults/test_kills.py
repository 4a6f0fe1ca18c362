"""Servers are killed while people play, alone and with others on one database: nothing that they confirmed is lost.

After each run every page shows the end of the log by itself, every confirmed command is in the log once, and no entry
is missing. Longer runs: `python -m tests.faults.kills` and `python -m tests.faults.cluster_run`.
"""

import asyncio
import os
import random
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from liarsdice.server.http.auth import hash_token
from liarsdice.server.protocol.encoding import TableFrames
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.reducer import MAX_NEWS, replay_log
from liarsdice.wire import Update
from tests.faults.cluster import running_cluster
from tests.faults.cluster_run import SKEW_S, play_through_faults
from tests.faults.kills import logged_by, play_through_kills
from tests.faults.players import Player, check_against_log
from tests.postgres_server import PostgresServer
from tests.processes import Server
from tests.server.live_tables import PATIENCE_S, START_MS, make_config
from tests.server.running_server import FROM_TABLE

KILLS, MATCHES, TABLES = 10, 2, 3


async def test_commands_answered_with_done_survive_kills_and_are_handled_once(tmp_path: Path) -> None:
    report = await play_through_kills(
        tmp_path,
        seed=1,
        tables=TABLES,
        enough=lambda kills, matches: kills >= KILLS and matches >= MATCHES,
        longest_s=0.1,
    )
    assert report.done > report.kills
    assert report.connections > report.kills


async def test_what_a_group_has_acknowledged_survives_kills(tmp_path: Path) -> None:
    """Each kill comes while a change is on its way, which is made or not, and nothing between."""
    server, chance = Server(tmp_path / "tables.db", keeps_port=True), random.Random(1)
    server.start()
    try:
        async with httpx.AsyncClient(base_url=server.address, timeout=PATIENCE_S) as client:
            form = {"name": "Group 0", "person": "Ann"}
            code = (await client.post("/api/groups", json=form)).json()["inside"]["code"]
            for number in range(1, KILLS + 1):
                command = {"command": {"type": "rename", "name": f"Group {number}"}}
                change = asyncio.create_task(client.post(f"/api/groups/{code}/do", json=command))
                await asyncio.wait([change], timeout=chance.uniform(0, 0.02))
                server.kill()
                (outcome,) = await asyncio.gather(change, return_exceptions=True)
                server.start()
                name = (await client.get(f"/api/groups/{code}")).json()["inside"]["name"]
                if isinstance(outcome, httpx.Response) and outcome.status_code == 200:
                    assert name == f"Group {number}"
                else:
                    assert name in {f"Group {number - 1}", f"Group {number}"}
                    again = await client.post(f"/api/groups/{code}/do", json=command)
                    assert again.json()["inside"]["name"] == f"Group {number}"
    finally:
        server.end()


def test_the_tracebacks_of_processes_whose_server_was_killed_are_no_warning(tmp_path: Path) -> None:
    order, closed = os.pipe()
    os.close(closed)
    call = f"from multiprocessing.spawn import spawn_main; spawn_main(pipe_handle={order}, tracker_fd={order})"
    words = [sys.executable, "-c", call, "--multiprocessing-fork"]
    ended = subprocess.run(words, pass_fds=[order], capture_output=True, text=True, check=False)
    os.close(order)
    assert "EOFError" in ended.stderr
    lines = ended.stderr.splitlines(keepends=True)
    server = Server(tmp_path / "tables.db")
    server.log.write_text("".join(lines[:2] + lines + lines[2:]))  # two processes at once
    assert logged_by(server) == ""
    for warning in ended.stderr.replace("spawn.py", "run.py"), f"{ended.stderr}EOFError: x\n", "a: EOFError: x\n":
        server.log.write_text(warning)
        assert logged_by(server) != ""


def test_a_player_who_missed_much_receives_the_latest_news() -> None:
    entries: list[e.LogEntry] = [e.Opened("ABCD", make_config()), e.Joined(1, "Ann", hash_token("ann"), "")]
    rows = [
        e.LogRow(seq, START_MS, "", entry) for seq, entry in enumerate(entries + [e.Spoke(1, "hm")] * (MAX_NEWS + 9), 1)
    ]
    table = replay_log(rows)
    assert table is not None
    update = FROM_TABLE.decode(TableFrames(table, None).update(1, 2))
    assert isinstance(update, Update)
    assert len(update.news) == MAX_NEWS
    player = Player("ABCD", "ann", random.Random(1), last_seq=2)
    player.record(update)
    assert check_against_log([player], rows) == 0
    del player.news[rows[-1].seq]
    with pytest.raises(AssertionError, match="missed some"):
        check_against_log([player], rows)


CLUSTER_TABLES = 2
OF_NODES = (
    "kill -9",
    "freeze",
    "black hole",
    "stop",
    "backends terminated",
    "black hole, then reset",
    "listeners terminated",
    "stop in a black hole",
)
OF_DATABASE = ("database killed", "database read-only", "database in recovery")


async def test_confirmed_commands_are_kept_once_while_servers_and_their_connections_fail(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    async with running_cluster(postgres_server, tmp_path, seed=1) as cluster:
        report = await play_through_faults(cluster, OF_NODES, seed=1, tables=CLUSTER_TABLES)
    assert report.faults == dict.fromkeys(OF_NODES, 1)
    assert report.acknowledged > len(OF_NODES)


async def test_confirmed_commands_are_kept_once_while_the_database_fails(tmp_path: Path) -> None:
    with PostgresServer("-c", "fsync=off") as postgres:
        async with running_cluster(postgres, tmp_path, seed=2, nodes=2) as cluster:
            report = await play_through_faults(cluster, OF_DATABASE, seed=2, tables=CLUSTER_TABLES)
    assert report.faults == dict.fromkeys(OF_DATABASE, 1)
    assert report.acknowledged > len(OF_DATABASE)


async def test_servers_with_wrong_clocks_and_a_bus_that_loses_messages_agree(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    async with running_cluster(postgres_server, tmp_path, seed=3, nodes=2, skew_s=SKEW_S, drop_hints=0.5) as cluster:
        report = await play_through_faults(cluster, ["kill -9"], seed=3, tables=CLUSTER_TABLES)
    assert report.acknowledged > 1
