"""The next thing that happens at a table without a command, and how long it waits. Pure functions: no clock is read."""

from __future__ import annotations

import msgspec

from liarsdice.core.engine.state import Phase
from liarsdice.core.rules.choices import Choice
from liarsdice.server.table.table_config import Away
from liarsdice.server.table.table_state import MatchState, TableState

FIRST_DEAL_MS = 1_200
ROLL_MS = 2_200
REVEAL_MS = 14_000
REVEAL_ALONE_MS = 120_000
"""A player alone with bots keeps nobody waiting, but the match must not stop for ever."""
REVEAL_UNWATCHED_MS = 4_000
ALL_READY_MS = 250
BOT_MOVE_MS = (800, 1_900)
AWAY_MS = 45_000
SEEDS_MS = 5_000
"""How long the dealer waits for the seeds that players committed to."""


class DeadlineKind(Choice):
    """What happens at a deadline.

    DEAL: the dealer acts. BOT_MOVE: the bot on turn moves. TIME_UP: the clock of the player on turn has run out. AWAY:
    at a table without a clock, a player who is away is replaced.
    """

    DEAL = "deal"
    BOT_MOVE = "bot_move"
    TIME_UP = "time_up"
    AWAY = "away"


class Deadline(msgspec.Struct, frozen=True):
    """What happens next without a command, and after how many milliseconds.

    `key` identifies the situation: while it stays the same, the time keeps running. `paced`: the wait is a pause for
    people to follow the match, which the server's pace setting shortens or lengthens.
    """

    kind: DeadlineKind
    after_ms: int
    key: tuple[object, ...]
    paced: bool = True


def next_deadline(table: TableState) -> Deadline | None:
    """Return what the table does next by itself, None if it waits for a command."""
    match = table.ongoing_match
    if match is None or table.paused:
        return None
    phase = match.state.phase
    situation = (match.number, match.turn_id)
    if phase is Phase.BIDDING:
        return _turn_deadline(table, match, situation)
    if match.verdict is not None:
        viewers = reveal_viewers(table)
        if not viewers:
            return Deadline(DeadlineKind.DEAL, REVEAL_UNWATCHED_MS, (*situation, "unwatched"))
        if set(viewers) <= set(match.ready):
            return Deadline(DeadlineKind.DEAL, ALL_READY_MS, (*situation, "ready"))
        alone = len(viewers) == 1
        return Deadline(DeadlineKind.DEAL, REVEAL_ALONE_MS if alone else REVEAL_MS, (*situation, "reveal", alone))
    if match.awaits_seeds:
        return Deadline(DeadlineKind.DEAL, SEEDS_MS, (*situation, "seeds"), paced=False)
    return Deadline(DeadlineKind.DEAL, ROLL_MS if match.starter_rolls else FIRST_DEAL_MS, (*situation, "deal"))


def _turn_deadline(table: TableState, match: MatchState, situation: tuple[int, int]) -> Deadline | None:
    player = table.players[match.state.turn]
    if player.played_by_bot:
        return Deadline(DeadlineKind.BOT_MOVE, bot_delay_ms(match), (*situation, "bot"))
    clock_ms = turn_ms(table)
    if clock_ms is not None:
        return Deadline(DeadlineKind.TIME_UP, clock_ms + player.bank_ms, (*situation, "clock"), paced=False)
    if table.config.away is Away.BOT:
        return Deadline(DeadlineKind.AWAY, AWAY_MS, (*situation, "away"), paced=False)
    return None


def bot_delay_ms(match: MatchState) -> int:
    """Return how long a bot appears to think: milliseconds within `BOT_MOVE_MS`.

    Depends on the numbers of the match and of the step only, so that the delay reveals nothing about the bot's dice.
    """
    shortest, longest = BOT_MOVE_MS
    return shortest + (match.turn_id * 7919 + match.number * 104729) % (longest - shortest)


def turn_ms(table: TableState) -> int | None:
    """Return the time for one turn without the time bank, in milliseconds; None without a clock."""
    turn_s = table.config.clock.turn_s
    return None if turn_s is None else turn_s * 1000


def reveal_viewers(table: TableState) -> tuple[int, ...]:
    """Return the seats of the people whom a reveal waits for."""
    return tuple(seat for seat, player in enumerate(table.players) if not player.played_by_bot and not player.gone)
