"""The next thing that happens at a table without a command, and how long it waits. Pure functions: no clock is read."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from liarsdice.core.engine.legal import callers_out_of_turn
from liarsdice.core.engine.state import Phase
from liarsdice.core.rules.choices import Choice
from liarsdice.server.table.seating import is_anybody_awaited, ready_players
from liarsdice.server.table.table_config import Away, Pace
from liarsdice.server.table.table_state import MatchState, Player, TableState
from liarsdice.wire import PlayoutSpeed

FIRST_DEAL_MS = 1_200
ROLL_MS = 2_200
REVEAL_MS = 14_000
REVEAL_ALONE_MS = 120_000
"""A player alone with bots keeps nobody waiting, but the match must not stop for ever."""
REVEAL_UNWATCHED_MS = 7_000
"""A reveal that no player looks at waits for nobody, but spectators and players who are out see it to its end: the page
takes six seconds for it.
"""
FOLDED_MS = 4_500
"""How long a table waits after a fold, which shows no dice: to read who folded and what it cost."""
ALL_READY_MS = 250

BOT_MOVE_MS = (800, 1_900)
ANSWER_STEP_MS = 250
"""How long a bot is given to think at the end of its delay. The slowest moves take several steps."""
CALLABLE_BID_MS = 4_000
"""The least time before a bot moves if a person may call the standing bid out of turn: to read it and to decide."""

ROLL_SHOWN_MS = (2_900, 1_600)
"""How long the page shows a roll, in the first rounds of a match and later. A bot doesn't open the round before."""
SLOW_ROLLS = 3
"""The number of rounds whose roll is shown slowly."""
SPECIAL_ROUND_MS = 5_000
"""How long a bot that opens a special round waits: to read what is different in it."""

PLAYOUT_FACTORS = {PlayoutSpeed.NORMAL: 1.0, PlayoutSpeed.FAST: 0.2, PlayoutSpeed.AT_ONCE: 0.0}
PACE_FACTORS = {Pace.QUICK: 0.55, Pace.NORMAL: 1.0, Pace.RELAXED: 1.8}
AWAY_MS = 45_000
REMATCH_MS = 10_000
"""How long those who want a rematch wait for the others."""
QUICK_MS, QUICK_FULL_MS = 30_000, 3_000
"""How long the people of a quick match wait for others, and before the match of a full table begins."""
LISTED_PAUSE_MS = 300_000
"""How long a pause lasts at most at a table that the lobby shows."""
LISTED_TURN_MS = 300_000
"""How long a turn without a clock lasts at most at a table that the lobby shows, if other people wait."""
SEEDS_MS = 5_000
"""How long the dealer waits for the seeds that players committed to."""
SEEDS_ALONE_MS = 20_000
"""The same for a player alone with bots, whose page may still be loading; nobody else waits for it.

A player who goes on at another device waits so long: the seed is in the browser that committed to it.
"""


class DeadlineKind(Choice):
    """What happens at a deadline.

    DEAL: the dealer acts. BOT_MOVE: the bot on turn moves. TIME_UP: the clock of the player on turn has run out, or the
    time that a listed table has without one. AWAY: at a table without a clock, a player who is away is replaced.
    RESUME: a pause ends. BEGIN: a match begins that enough players want, or a quick one, or a bot takes a free seat of
    its table.
    """

    DEAL = "deal"
    BOT_MOVE = "bot_move"
    TIME_UP = "time_up"
    AWAY = "away"
    RESUME = "resume"
    BEGIN = "begin"


class Deadline(msgspec.Struct, frozen=True):
    """What happens next without a command, and after how many milliseconds.

    `key` identifies the situation: while it stays the same, the time keeps running. `paced`: the wait is a pause for
    people to follow the match, which the server's pace setting shortens or lengthens.
    """

    kind: DeadlineKind
    after_ms: int
    key: tuple[str | int | float | bool, ...]
    paced: bool = True


def next_deadline(table: TableState) -> Deadline | None:
    """Return what the table does next by itself, None if it waits for a command."""
    deadline = _unpaced_deadline(table)
    if deadline is None or not deadline.paced or table.match is None:
        return deadline
    factor = _pace_factor(table, table.match)
    speed = () if table.match.speed is PlayoutSpeed.NORMAL else (table.match.speed,)
    return replace(deadline, after_ms=round(deadline.after_ms * factor), key=(*deadline.key, *speed))


def answer_step_ms(table: TableState) -> float:
    """Return how long a bot is given to think, in milliseconds: less if the table is quick, 0 if bots move at once."""
    return 0 if table.match is None else ANSWER_STEP_MS * _pace_factor(table, table.match)


def _pace_factor(table: TableState, match: MatchState) -> float:
    return PACE_FACTORS[table.config.pace] * PLAYOUT_FACTORS[match.speed]


def program_delay_ms(table: TableState, seat: int) -> int:
    """Return how long a program in a seat waits before a move, from the begin of the situation: as long as a bot.

    With a clock it waits no longer than half a turn, so that it has time left.
    """
    match = table.ongoing_match
    if match is None or match.state.phase is not Phase.BIDDING:
        return 0
    after_ms = _bot_turn_ms(table, match) if seat == match.state.turn else bot_delay_ms(match)
    delay_ms = round(after_ms * _pace_factor(table, match))
    clock_ms = turn_ms(table)
    return delay_ms if clock_ms is None else min(delay_ms, clock_ms // 2)


def _unpaced_deadline(table: TableState) -> Deadline | None:
    match = table.ongoing_match
    if match is None:
        return _rematch_begin(table) if table.rematch else _quick_begin(table)
    if table.paused:
        ends = Deadline(DeadlineKind.RESUME, LISTED_PAUSE_MS, (match.number, "pause", match.pause_count), paced=False)
        return ends if table.config.listed else None
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
        alone = _people_present(table) == 1
        return Deadline(DeadlineKind.DEAL, REVEAL_ALONE_MS if alone else REVEAL_MS, (*situation, "reveal", alone))
    if match.awaits_seeds:
        only_with_bots = sum(player.bot is None for player in table.players) == 1
        seeds_ms = SEEDS_ALONE_MS if only_with_bots else SEEDS_MS
        return Deadline(DeadlineKind.DEAL, seeds_ms, (*situation, "seeds"), paced=False)
    if match.state.round_number and match.state.revealed is None:
        return Deadline(DeadlineKind.DEAL, FOLDED_MS, (*situation, "folded"))
    return Deadline(DeadlineKind.DEAL, ROLL_MS if match.starter_rolls else FIRST_DEAL_MS, (*situation, "deal"))


def _quick_begin(table: TableState) -> Deadline | None:
    """Return when a quick match of two people or more begins."""
    if not table.config.quick or table.match is not None or _people_present(table) < 2:
        return None
    full = sum(not player.gone for player in table.players) >= table.config.seats
    return Deadline(DeadlineKind.BEGIN, QUICK_FULL_MS if full else QUICK_MS, ("quick", full), paced=False)


def _rematch_begin(table: TableState) -> Deadline | None:
    """Return when a match begins that enough players want. Who plays by post is waited for without a limit."""
    awaits = is_anybody_awaited(table)
    if not ready_players(table) or (awaits and table.config.clock.slow):
        return None
    after_ms = REMATCH_MS if awaits else 0
    return Deadline(DeadlineKind.BEGIN, after_ms, ("rematch", table.finished_count, awaits), paced=False)


def _turn_deadline(table: TableState, match: MatchState, situation: tuple[int, int]) -> Deadline | None:
    player = table.players[match.state.turn]
    if player.played_by_bot:
        return Deadline(DeadlineKind.BOT_MOVE, _bot_turn_ms(table, match), (*situation, "bot"))
    clock_ms = turn_ms(table)
    if clock_ms is not None:
        return Deadline(DeadlineKind.TIME_UP, clock_ms + player.bank_ms, (*situation, "clock"), paced=False)
    if table.config.away is Away.BOT:
        return Deadline(DeadlineKind.AWAY, AWAY_MS, (*situation, "away"), paced=False)
    longest_ms = longest_turn_ms(table)
    return None if longest_ms is None else Deadline(DeadlineKind.TIME_UP, longest_ms, (*situation, "long"), paced=False)


def longest_turn_ms(table: TableState) -> int | None:
    """Return how long a turn without a clock lasts at most, None for as long as the player likes."""
    return LISTED_TURN_MS if table.config.listed and _people_present(table) > 1 else None


def takeover_at_ms(table: TableState, due_at_ms: int, away_since_ms: int) -> int:
    """Return when a bot takes the seat of the player on turn, who is away, at a table without a clock.

    `due_at_ms`: the time of the deadline of kind `AWAY`.
    """
    at_ms, longest_ms = max(due_at_ms, away_since_ms + AWAY_MS), longest_turn_ms(table)
    return at_ms if longest_ms is None else min(at_ms, due_at_ms - AWAY_MS + longest_ms)


def _bot_turn_ms(table: TableState, match: MatchState) -> int:
    """Return how long the bot on turn waits: longer if people should read something, or may call out of turn."""
    if not match.state.bids and _people_present(table):
        if match.state.special_seat is not None:
            return SPECIAL_ROUND_MS
        first_rounds = match.state.round_number <= SLOW_ROLLS
        return max(ROLL_SHOWN_MS[0 if first_rounds else 1], bot_delay_ms(match))
    if any(_is_present(table.players[seat]) for seat in callers_out_of_turn(match.state)):
        return CALLABLE_BID_MS
    return bot_delay_ms(match)


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
    """Return the seats of the people whom a reveal waits for: those whose dice it shows."""
    verdict = None if table.match is None else table.match.verdict
    if verdict is None:
        return ()
    hands = zip(table.players, verdict.reveal.hands, strict=False)
    return tuple(seat for seat, (player, hand) in enumerate(hands) if hand and _is_present(player))


def _is_present(player: Player) -> bool:
    """Return whether a person looks at the table from this seat. Programs need no time to read."""
    return not player.played_by_bot and not player.gone and not player.program


def _people_present(table: TableState) -> int:
    """Return how many people are at the table, with or without dice."""
    return sum(_is_present(player) for player in table.players)
