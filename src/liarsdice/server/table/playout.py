"""Playing out a match in which only bots have dice left, faster than people play; and guesses of those who are out."""

from __future__ import annotations

from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import IllegalActionError
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.public_events import Verdict
from liarsdice.server.table.table_config import PlayoutSpeed
from liarsdice.server.table.table_state import CallGuess, MatchState, Player, TableState


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


def is_out(table: TableState, player_id: int | None) -> bool:
    """Return whether a player of the current match has no dice left while others bid."""
    match, seat = table.ongoing_match, table.seat_of(player_id)
    if match is None or seat is None or seat >= len(match.state.names):
        return False
    return match.state.phase is Phase.BIDDING and not match.state.dice[seat]


def sees_all_cups(table: TableState, player_id: int | None) -> bool:
    """Return whether a player may see the dice of all seats: one who is out, and cannot tell anybody about them."""
    return is_out(table, player_id) and (table.config.open_cups or only_bots_left(table))


def own_guess(table: TableState, player_id: int | None) -> CallGuess | None:
    """Return what a player has guessed about the call of this round, None for nothing."""
    seat = table.seat_of(player_id)
    if table.match is None or seat is None:
        return None
    return next((guess for guess in table.match.guesses if guess.seat == seat), None)


def guess_call(table: TableState, player: Player, caller: int, *, right: bool) -> list[e.LogEntry]:
    """Return the entry for a guess of who makes the next call, and whether the caller is right.

    Raises `ForbiddenError` for a player who is not out, and `IllegalActionError` outside the bidding, for a second
    guess in a round, and about a seat without dice.
    """
    match = table.ongoing_match
    if match is None or match.state.phase is not Phase.BIDDING:
        raise IllegalActionError("a call is guessed while players bid")
    if not is_out(table, player.id):
        raise ForbiddenError("only players who are out of this match may guess its calls")
    if own_guess(table, player.id) is not None:
        raise IllegalActionError("you have guessed the call of this round already")
    if not 0 <= caller < len(match.state.names) or not match.state.dice[caller]:
        raise IllegalActionError("only a player with dice can make the next call")
    return [e.CallGuessed(player.id, caller, right)]


def points_after(match: MatchState, verdict: Verdict) -> tuple[int, ...]:
    """Return the points of all seats after a call: one for its caller, one more for whether the caller was right."""
    points = list(match.guess_points or (0,) * len(match.state.names))
    for guess in match.guesses:
        if guess.caller == verdict.caller:
            points[guess.seat] += 1 + (guess.right == verdict.right)
    return tuple(points)
