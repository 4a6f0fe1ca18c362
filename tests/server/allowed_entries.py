"""Which entries may follow in a log: a check for tests that let anything happen at a table."""

from liarsdice.server.table import log_entries as e
from liarsdice.server.table.log_entries import AccusationSettled
from liarsdice.server.table.table_state import TableState
from liarsdice.wire import Stage


def check_allowed(table: TableState, entry: e.LogEntry, rows: list[e.LogRow]) -> None:
    """Assert that an entry was allowed in the state before it."""
    match entry:
        case e.Spoke(player_id):
            speaker = table.player(player_id)
            assert speaker is not None
            assert not speaker.muted
            assert not speaker.gone
        case e.Played():
            settled = isinstance(rows[table.seq - 1].entry, AccusationSettled)
            assert settled or not table.paused, "a paused match went on"
        case e.Joined() | e.BotJoined() | e.ConfigChanged() | e.MatchBegan():
            assert table.stage is not Stage.PLAYING
        case e.HostChanged(player_id):
            host = table.player(player_id)
            assert host is not None
            assert host.bot is None
            assert not host.gone
        case _:
            pass
