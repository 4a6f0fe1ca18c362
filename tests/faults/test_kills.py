"""The server is killed while people play: nothing that it confirmed is lost, and no command is handled twice."""

from pathlib import Path

from tests.faults.kills import play_through_kills

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
