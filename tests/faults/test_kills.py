"""The server is killed while people play: nothing that it confirmed is lost, and no command is handled twice."""

import random
from pathlib import Path

import pytest

from liarsdice.server.http.auth import hash_token
from liarsdice.server.protocol.encoding import TableFrames
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.reducer import MAX_NEWS, replay_log
from liarsdice.wire import Update
from tests.faults.kills import play_through_kills
from tests.faults.players import Player, check_against_log
from tests.server.live_tables import START_MS, make_config
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
