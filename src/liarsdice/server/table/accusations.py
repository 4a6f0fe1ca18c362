"""The open accusations of a table: how entries change them, and whom one may accuse."""

from __future__ import annotations

from msgspec.structs import replace

from liarsdice.server.table.log_entries import AccusationDenied, AccusationEntry, AccusationSettled, Accused
from liarsdice.server.table.table_state import MatchState, OpenAccusation, TableState


def with_accusations(table: TableState, entry: AccusationEntry) -> TableState:
    """Return the table after an entry about an accusation."""
    accusations, number = table.accusations, entry.number
    match entry:
        case Accused(_, player_id, trigger, offence, accuser):
            new = OpenAccusation(number, player_id, trigger, offence=offence, accuser=accuser)
            return replace(
                table,
                accusations=(*accusations, new),
                next_accusation=table.next_accusation + 1,
            )
        case AccusationSettled():
            return replace(
                table, accusations=tuple(accusation for accusation in accusations if accusation.number != number)
            )
        case AccusationDenied():
            denied = (
                replace(accusation, denied=accusation.denied or accusation.number == number)
                for accusation in accusations
            )
            return replace(table, accusations=tuple(denied))


def judges(table: TableState, accusation: OpenAccusation) -> tuple[int, ...]:
    """Return the ids of the players who may decide an accusation now, without the accused, who may admit it.

    They are people who neither are accused nor accuse: the host among them at any time, the others after a denial.
    """
    neutral = (
        player.id
        for player in table.players
        if player.bot is None and not player.gone and player.id not in {accusation.player, accusation.accuser}
    )
    return tuple(player_id for player_id in neutral if accusation.denied or player_id == table.host)


def is_accused(table: TableState, player_id: int) -> bool:
    """Return whether an accusation of a player is open. There is one at most."""
    return any(accusation.player == player_id for accusation in table.accusations)


def owes_all_dice(match: MatchState, seat: int) -> bool:
    """Return whether the penalties that are due at the end of the round take all dice or lives that a seat has left."""
    return sum(penalty.dice for penalty in match.state.penalties if penalty.seat == seat) >= match.state.stakes[seat]
