"""Playing out a match in which only bots have dice left, faster than people play."""

from __future__ import annotations

from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import IllegalActionError
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.table_choices import PlayoutSpeed
from liarsdice.server.table.table_state import Player, TableState


def only_bots_left(table: TableState) -> bool:
    """Return whether no person who has dice could still play in the current match.

    A person for whom a bot stands in may come back, so the seat counts as that of a person.
    """
    match = table.ongoing_match
    if match is None or match.state.phase is Phase.STARTER:
        return False
    seats = zip(table.players, match.state.dice, strict=False)
    return all(player.bot is not None or player.gone or not dice for player, dice in seats)


def change_speed(table: TableState, player: Player, speed: PlayoutSpeed) -> list[e.LogEntry]:
    """Return the entry that changes how fast the bots play on, none if they do so already.

    Raises `IllegalActionError` unless only bots have dice left, and `ForbiddenError` for somebody who did not play.
    """
    match = table.ongoing_match
    if match is None or not only_bots_left(table):
        raise IllegalActionError("a match is played out faster only when nobody but bots has dice left")
    seat = table.seat_of(player.id)
    if seat is None or seat >= len(match.state.names):
        raise ForbiddenError("only somebody who played in this match can speed it up")
    return [] if match.speed is speed else [e.SpeedChanged(player.id, speed)]
