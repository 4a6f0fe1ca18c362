"""Limits how often each program gives commands over HTTP, as a connection to a table limits its messages."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from liarsdice.core.actions import MOVES
from liarsdice.server.errors import RateLimitError
from liarsdice.server.http.address_limits import TokenBucket
from liarsdice.server.http.table_session import BURST, CHANGE_COST, PER_S
from liarsdice.server.protocol.decoding import CHANGE_TAG

MAX_REMEMBERED = 10_000
TOO_MANY = "too many commands; wait a moment and send fewer"
MOVE_TAGS = frozenset(move.__struct_config__.tag for move in MOVES)
"""Moves are limited by the rules and by the pace of the table."""


class CommandLimits:
    """The budgets of programs for commands other than moves. Only the latest `MAX_REMEMBERED` are remembered.

    `now_s` returns seconds of any clock that never goes back.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def check(self, token_hash: str, tag: object) -> None:
        """Count a command by its tag, unchecked. Raises `RateLimitError` if the owner of the token gives too many."""
        is_move = isinstance(tag, str) and tag in MOVE_TAGS
        if is_move or not token_hash:  # without a token, every command is refused
            return
        now_s = self._now_s()
        bucket = self._buckets.pop(token_hash, None) or TokenBucket(BURST, PER_S, now_s)
        self._buckets[token_hash] = bucket
        if len(self._buckets) > MAX_REMEMBERED:
            self._buckets.popitem(last=False)
        if not bucket.consume(now_s, CHANGE_COST if tag == CHANGE_TAG else 1):
            raise RateLimitError(TOO_MANY)
