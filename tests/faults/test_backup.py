"""A backup under load has every action that was acknowledged before it began, and a server plays on from it."""

import asyncio
import itertools
from pathlib import Path

from liarsdice.server.storage.administration import SqliteAdministration
from tests.faults.players import Player, check_against_log, gather_table
from tests.processes import Server, logs_of

TABLES, ENOUGH, PATIENCE_S, POLL_S = 3, 30, 60.0, 0.005


async def test_a_backup_under_load_loses_no_acknowledged_action(tmp_path: Path) -> None:
    server = Server(tmp_path / "tables.db", "--pace", "0", "--log-level", "warning")
    restored = Server(tmp_path / "restored.db", "--pace", "0", "--log-level", "warning")
    await asyncio.to_thread(server.start)
    playing: list[asyncio.Task[None]] = []
    try:
        tables = [await gather_table(server.address, ["Ann", "Bo", "Cy"], place, seats=3) for place in range(TABLES)]
        everybody = list(itertools.chain.from_iterable(tables))
        playing = [asyncio.create_task(player.play(lambda: server.address)) for player in everybody]
        await until_played(everybody, playing)

        acknowledged = [dict(player.done) for player in everybody]
        await asyncio.to_thread(SqliteAdministration(tmp_path / "tables.db").back_up, tmp_path / "copy.db")
        await until_played(everybody, playing)

        await asyncio.to_thread(server.kill)
        await stop(playing)
        whole_logs = logs_of(tmp_path / "tables.db")
        for players in tables:
            check_against_log(players, whole_logs[players[0].code])

        SqliteAdministration(tmp_path / "restored.db").restore(tmp_path / "copy.db")
        logs = logs_of(tmp_path / "restored.db")
        assert all(rows == whole_logs[code][: len(rows)] for code, rows in logs.items())
        assert sum(map(len, logs.values())) < sum(map(len, whole_logs.values())), "nothing was written after the backup"
        for player, done in zip(everybody, acknowledged, strict=True):
            assert len(done) > 0
            assert max(done.values()) <= logs[player.code][-1].seq, "an acknowledged action is not in the backup"

        await asyncio.to_thread(restored.start)
        for player in everybody:
            player.last_seq, player.pending, player.latest = 0, {}, None
            player.request_count += 1_000_000  # ids that the restored table does not know
            player.news.clear()
            player.updates.clear()
        playing = [asyncio.create_task(player.play(lambda: restored.address)) for player in everybody]
        await until_played(everybody, playing)
        assert await asyncio.to_thread(restored.stop) == 0
    finally:
        await stop(playing)
        server.end()
        restored.end()


async def until_played(players: list[Player], playing: list[asyncio.Task[None]]) -> None:
    """Wait until every table has made `ENOUGH` more steps, and each player had an action acknowledged."""
    before = {player.token: (player.last_seq, len(player.done)) for player in players}

    def played() -> bool:
        for task in playing:
            if task.done():
                task.result()
        return all(
            player.last_seq >= before[player.token][0] + ENOUGH and len(player.done) > before[player.token][1]
            for player in players
        )

    async with asyncio.timeout(PATIENCE_S):
        while not played():  # noqa: ASYNC110  the condition depends on many players
            await asyncio.sleep(POLL_S)


async def stop(playing: list[asyncio.Task[None]]) -> None:
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
