"""Servers share a database while servers, network and database fail: nothing that was confirmed is lost.

After each run every page shows the end of the log by itself, every confirmed command is in the log once, and no entry
is missing. Longer runs: `python -m tests.faults.cluster_run`.
"""

from pathlib import Path

from tests.faults.cluster import running_cluster
from tests.faults.cluster_run import SKEW_S, play_through_faults
from tests.postgres_server import PostgresServer

TABLES = 2
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
        report = await play_through_faults(cluster, OF_NODES, seed=1, tables=TABLES)
    assert report.faults == dict.fromkeys(OF_NODES, 1)
    assert report.acknowledged > len(OF_NODES)


async def test_confirmed_commands_are_kept_once_while_the_database_fails(tmp_path: Path) -> None:
    with PostgresServer("-c", "fsync=off") as postgres:
        async with running_cluster(postgres, tmp_path, seed=2, nodes=2) as cluster:
            report = await play_through_faults(cluster, OF_DATABASE, seed=2, tables=TABLES)
    assert report.faults == dict.fromkeys(OF_DATABASE, 1)
    assert report.acknowledged > len(OF_DATABASE)


async def test_servers_with_wrong_clocks_and_a_bus_that_loses_messages_agree(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    async with running_cluster(postgres_server, tmp_path, seed=3, nodes=2, skew_s=SKEW_S, drop_hints=0.5) as cluster:
        report = await play_through_faults(cluster, ["kill -9"], seed=3, tables=TABLES)
    assert report.acknowledged > 1
