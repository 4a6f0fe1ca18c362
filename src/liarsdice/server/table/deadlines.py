"""What a table waits for, and for how long. Pure: the time it is now is never asked for here."""

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
"""Nobody waits for who is alone with bots, but a match must not stand for ever."""
REVEAL_UNWATCHED_MS = 4_000
ALL_READY_MS = 250
THINK_MS = (800, 1_900)
AWAY_MS = 45_000


class What(Choice):
    """What will be done when the time comes."""

    DEAL = "deal"
    BOT_MOVE = "bot_move"
    TIME_UP = "time_up"
    AWAY = "away"


class Due(msgspec.Struct, frozen=True):
    """What happens next by itself, after how long, and for which situation: while `key` stays, the time runs on.

    `paced` times are for people to follow, and shorter at a table that is set to be fast.
    """

    what: What
    after_ms: int
    key: tuple[object, ...]
    paced: bool = True


def due(table: TableState) -> Due | None:
    """What a table will do by itself; None where only a person can make it go on."""
    match = table.playing
    if match is None or table.paused:
        return None
    phase = match.state.phase
    situation = (match.number, match.mark)
    if phase is Phase.BIDDING:
        return _turn(table, match, situation)
    if match.verdict is not None:
        watching = watchers(table)
        if not watching:
            return Due(What.DEAL, REVEAL_UNWATCHED_MS, (*situation, "unwatched"))
        if set(watching) <= set(match.ready):
            return Due(What.DEAL, ALL_READY_MS, (*situation, "ready"))
        alone = len(watching) == 1
        return Due(What.DEAL, REVEAL_ALONE_MS if alone else REVEAL_MS, (*situation, "reveal", alone))
    return Due(What.DEAL, ROLL_MS if match.rolls else FIRST_DEAL_MS, (*situation, "deal"))


def _turn(table: TableState, match: MatchState, situation: tuple[int, int]) -> Due | None:
    player = table.players[match.state.turn]
    if player.played_by_bot:
        return Due(What.BOT_MOVE, think_ms(match), (*situation, "bot"))
    clock_ms = turn_ms(table)
    if clock_ms is not None:
        return Due(What.TIME_UP, clock_ms + player.bank_ms, (*situation, "clock"), paced=False)
    if table.options.away is Away.BOT:
        return Due(What.AWAY, AWAY_MS, (*situation, "away"), paced=False)
    return None


def think_ms(match: MatchState) -> int:
    """How long a bot seems to think: between two limits, by the number of the move alone."""
    least, most = THINK_MS
    return least + (match.mark * 7919 + match.number * 104729) % (most - least)


def turn_ms(table: TableState) -> int | None:
    """The time of one turn without the bank, None where there is no clock."""
    turn_s = table.options.clock.turn_s
    return None if turn_s is None else turn_s * 1000


def watchers(table: TableState) -> tuple[int, ...]:
    """The seats of people who look at a reveal, and whose nod is waited for."""
    return tuple(seat for seat, player in enumerate(table.players) if not player.played_by_bot and not player.gone)
