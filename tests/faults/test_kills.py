"""The server is killed while people play: nothing that anybody was told is lost, and nothing is done twice."""

from pathlib import Path

from tests.faults.kills import play_through_kills

KILLS, MATCHES, TABLES = 10, 2, 3


async def test_what_was_said_to_be_done_is_done_once_however_often_the_server_is_killed(tmp_path: Path) -> None:
    tale = await play_through_kills(
        tmp_path,
        seed=1,
        tables=TABLES,
        enough=lambda kills, matches: kills >= KILLS and matches >= MATCHES,
        longest_s=0.1,
    )
    assert tale.granted > tale.kills
    assert tale.connections > tale.kills
