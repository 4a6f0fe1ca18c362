"""PostgreSQL fails while people play: nothing that was confirmed is lost, and the server goes on when it is back."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from liarsdice.cli.stdio import EXIT_ERROR
from liarsdice.server.settings import PostgresUrl
from tests.faults.kills import PATIENCE_S, logged_by, play_through_crashes
from tests.postgres_server import PostgresServer
from tests.processes import Server, postgres_logs_of, refusal

CRASHES, KILLS, MATCHES, TABLES = 4, 2, 1, 3


@pytest.fixture
def mortal_server() -> Iterator[PostgresServer]:
    """A PostgreSQL server that this test alone uses and may kill."""
    with PostgresServer() as server:
        yield server


async def test_commands_answered_with_done_survive_crashes_of_postgresql(
    mortal_server: PostgresServer, tmp_path: Path
) -> None:
    url = PostgresUrl(mortal_server.create_database())
    server = Server(url, "--pace", "0", "--log-level", "warning", log=tmp_path / "log")

    def crash() -> None:
        mortal_server.kill()
        mortal_server.start()

    report = await play_through_crashes(
        server,
        crash,
        lambda: postgres_logs_of(url),
        seed=1,
        tables=TABLES,
        enough=lambda kills, matches: kills >= CRASHES and matches >= MATCHES,
        longest_s=0.1,
    )
    assert server.starts == 1
    assert report.done > report.kills
    log = server.log.read_text()
    assert mortal_server.password not in log
    assert all(line.startswith("{") for line in log.splitlines()), log


async def test_commands_answered_with_done_survive_kills_of_a_server_on_postgresql(
    postgres_url: PostgresUrl, tmp_path: Path
) -> None:
    server = Server(postgres_url, "--pace", "0", "--log-level", "warning", log=tmp_path / "log")

    def crash() -> None:
        server.kill()
        server.start()

    report = await play_through_crashes(
        server,
        crash,
        lambda: postgres_logs_of(postgres_url),
        seed=2,
        tables=TABLES,
        enough=lambda kills, matches: kills >= KILLS and matches >= MATCHES,
        longest_s=0.1,
    )
    assert report.done > report.kills
    assert logged_by(server) == ""


async def test_a_server_is_not_ready_while_postgresql_is_down(mortal_server: PostgresServer, tmp_path: Path) -> None:
    server = Server(PostgresUrl(mortal_server.create_database()), log=tmp_path / "log")
    server.start()
    try:
        async with httpx.AsyncClient(base_url=server.address) as client, asyncio.timeout(PATIENCE_S):
            assert (await client.get("/readyz")).status_code == 200
            mortal_server.kill()
            assert (await client.get("/readyz")).status_code == 503
            assert (await client.get("/healthz")).status_code == 200
            mortal_server.start()
            while (await client.get("/readyz")).status_code != 200:
                pass
    finally:
        server.end()


def test_a_database_that_cannot_be_used_is_refused_without_its_password(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    hidden = "s3cr3t"
    wrong = {
        postgres_server.url(password=hidden): "password authentication failed",
        f"postgresql://dice:{hidden}@/dice?host={tmp_path}": "No such file or directory",
        f"postgresql://dice:{hidden}@127.0.0.1:1/dice": "Connection refused",
        postgres_server.url("missing"): 'database "missing" does not exist',
        f"postgresql://dice:{hidden}@[host/dice": "--database is an address such as",
    }
    for url, complaint in wrong.items():
        status, output = refusal(PostgresUrl(url), tmp_path)
        assert status == EXIT_ERROR
        assert complaint in output
        assert hidden not in output
        assert postgres_server.password not in output
