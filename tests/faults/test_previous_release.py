"""A node of an earlier release and one of today serve the same tables on one database, as during a rolling upgrade.

`tests/compatibility/README.md` says which release it is.
"""

import asyncio
import itertools
import os
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from liarsdice.server.database_url import PostgresUrl
from liarsdice.server.http.websocket import CLOSED_RESTARTING
from tests.faults.kills import all_tables_change, gather_people
from tests.faults.players import Player, check_against_log
from tests.processes import ADDRESS, START_WITHIN_S, Server, postgres_logs_of

RELEASE = Path(__file__).parent.parent / "compatibility" / "files" / "releases" / "0.1.0-6829bac.tar.xz"
FLAGS = ("--pace", "0", "--log-level", "warning")
CHANGES_WITH_BOTH = 6
CHANGES_AFTER_IT = 3


@contextmanager
def running_release(database: PostgresUrl, folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server of the earlier release, in a new interpreter that finds its sources first, and its address."""
    with tarfile.open(RELEASE) as archive:
        archive.extractall(folder / "release", filter="data")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LIARSDICE_")} | {
        "LIARSDICE_CONNECTIONS_PER_MINUTE": "0",
        "LIARSDICE_DATABASE": database.url,
        "PYTHONPATH": str(folder / "release"),
        "XDG_STATE_HOME": str(folder),
    }
    words = [sys.executable, "-m", "liarsdice", "serve", "--port", "0", *FLAGS]
    with (
        (folder / "release.log").open("w") as log,
        subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=log, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            address = ADDRESS.search(process.stdout.readline())
            assert address, (folder / "release.log").read_text()
            yield process, address[0]
        finally:
            process.kill()


async def test_nothing_is_lost_while_a_node_of_an_earlier_release_is_replaced(
    postgres_url: PostgresUrl, tmp_path: Path
) -> None:
    node = Server(postgres_url, *FLAGS, log=tmp_path / "node.log")
    playing: set[asyncio.Task[None]] = set()
    with running_release(postgres_url, tmp_path) as (release, release_address):
        try:
            await asyncio.to_thread(node.start)
            addresses = [release_address, node.address]
            tables = [await gather_people(address, 1, 2 * place) for place, address in enumerate(addresses)]
            everybody = list(itertools.chain.from_iterable(tables))
            for number, player in enumerate(everybody):
                playing.add(asyncio.create_task(_play(player, addresses, number)))
            for _ in range(CHANGES_WITH_BOTH):
                await all_tables_change(tables, playing)
            assert {player.address for player in everybody} == {release_address, node.address}
            of_release = [player for player in everybody if player.address == release_address]
            addresses.remove(release_address)
            release.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(release.wait, START_WITHIN_S) == 0
            for _ in range(CHANGES_AFTER_IT):
                await all_tables_change(tables, playing)
        finally:
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)
            node.end()
    assert CLOSED_RESTARTING in [code for player in of_release for code in player.close_codes]
    logs = await postgres_logs_of(postgres_url)
    for players in tables:
        assert check_against_log(players, logs[players[0].code]) > CHANGES_WITH_BOTH


async def _play(player: Player, addresses: list[str], number: int) -> None:
    await player.play(lambda: addresses[number % len(addresses)])
