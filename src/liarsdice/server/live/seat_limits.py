"""What each seat of a table may send and append to the log, over all its connections and devices together."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

from liarsdice.core.actions import MOVES
from liarsdice.server.errors import RateLimitError
from liarsdice.server.table import commands as c
from liarsdice.server.token_bucket import TokenBucket

MESSAGE_BURST, MESSAGES_PER_S = 40, 10
"""How many messages a seat may send at once, and per second in the long run."""
ENTRY_BURST, ENTRIES_PER_S = 40, 0.5
"""How many commands of a seat may change a table, not counting talk and those that the match itself limits."""
LINES_PER_S = 1
"""How many lines a seat may say per second."""
CHANGE_COST = 10
"""A `Change` counts as this many commands: its entry has all rules."""
REPORT_BURST, REPORTS_PER_HOUR = 3, 6
"""How often the people at one address may report players of a table."""
SEAT_BURST, SEATS_PER_MINUTE = 12, 6
"""How often the people at one address may sit down at a table, or ask for a seat."""
MAX_REMEMBERED = 1_000

LIMITED_BY_MATCH = (*MOVES, c.Ready, c.GuessCall, c.CommitSeed, c.RevealSeed, c.AcceptRules)
"""Commands that change a table once in each situation."""

TOO_MANY = "too many commands from your seat; wait a moment and send fewer"
TOO_MUCH_TALK = "one line of talk a second; wait a moment"
TOO_MANY_REPORTS = "you reported players here just now; wait some minutes"
TOO_MANY_SEATS = "many people from your network have sat down here just now; wait a minute"


class SeatLimits:
    """The budgets at one table of its players and of those who sit down. `now_ms` returns milliseconds.

    Every method raises `RateLimitError` if a budget is used up. Only the latest `MAX_REMEMBERED` budgets are kept.
    """

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._buckets: OrderedDict[Hashable, TokenBucket] = OrderedDict()

    def count_message(self, player_id: int, cost: float) -> None:
        """Count a message of a seat, whatever it is."""
        self._spend(("message", player_id), MESSAGE_BURST, MESSAGES_PER_S, cost, TOO_MANY)

    def count_entries(self, player_id: int, command: c.Command | None, sign: int = 1) -> None:
        """Count what changes the table: a command, or None for a request over HTTP.

        `sign` -1 takes that back, for a command that could not be stored.
        """
        if isinstance(command, c.Say):
            self._spend(("say", player_id), LINES_PER_S, LINES_PER_S, sign, TOO_MUCH_TALK)
        elif not isinstance(command, LIMITED_BY_MATCH):
            cost = CHANGE_COST if isinstance(command, c.Change) else 1
            self._spend(("entry", player_id), ENTRY_BURST, ENTRIES_PER_S, sign * cost, TOO_MANY)

    def count_report(self, person: str) -> None:
        """Count a report. `person`: as in `count_seat`."""
        self._spend(("report", person), REPORT_BURST, REPORTS_PER_HOUR / 3600, 1, TOO_MANY_REPORTS)

    def count_seat(self, person: str) -> None:
        """Count somebody who sits down, by the hash of the address or, if that is unknown, of the token."""
        self._spend(("seat", person), SEAT_BURST, SEATS_PER_MINUTE / 60, 1, TOO_MANY_SEATS)

    def _spend(self, key: Hashable, burst: float, per_s: float, cost: float, text: str) -> None:
        now_s = self._now_ms() / 1000
        bucket = self._buckets.pop(key, None) or TokenBucket(burst, per_s, now_s)
        self._buckets[key] = bucket
        if len(self._buckets) > MAX_REMEMBERED:
            self._buckets.popitem(last=False)
        if not bucket.consume(now_s, cost):
            raise RateLimitError(text)
