"""The messages in which a table shows itself, each part of them built and encoded once for all who are sent it."""

from __future__ import annotations

from functools import cached_property

import msgspec

from liarsdice.core.engine.legal import Legal, legal
from liarsdice.server.protocol.messages import News
from liarsdice.server.protocol.views import own_seen, setting_of, table_seen
from liarsdice.server.table.table_state import TableState

ENCODER = msgspec.json.Encoder()


class _Frame(msgspec.Struct, tag="update"):
    """`protocol.Update` with its parts encoded already, since many are sent the same ones."""

    seq: int
    news: msgspec.Raw
    table: msgspec.Raw
    own: msgspec.Raw


class Frames:
    """What is sent of one state of a table; `left_ms` is what is left until it goes on by itself."""

    def __init__(self, table: TableState, left_ms: int | None) -> None:
        self._table, self._left_ms = table, left_ms
        self._news: dict[int, msgspec.Raw] = {}
        self._updates: dict[tuple[int | None, int], bytes] = {}

    @cached_property
    def setting(self) -> bytes:
        """What stays as it is during a match."""
        return ENCODER.encode(setting_of(self._table))

    def update(self, player: int | None, have: int) -> bytes:
        """The table as a player, or somebody without a seat (None), sees it, with the news since the seq they have."""
        found = self._updates.get((player, have))
        if found is None:
            own = msgspec.Raw(ENCODER.encode(own_seen(self._table, player, self._moves)))
            found = ENCODER.encode(_Frame(self._table.seq, self._news_since(have), self._shared, own))
            self._updates[player, have] = found
        return found

    @cached_property
    def _shared(self) -> msgspec.Raw:
        return msgspec.Raw(ENCODER.encode(table_seen(self._table, self._left_ms)))

    @cached_property
    def _moves(self) -> Legal | None:
        match = self._table.match
        return None if match is None else legal(match.state)

    def _news_since(self, have: int) -> msgspec.Raw:
        if have not in self._news:
            fresh = list[News]()
            for item in reversed(self._table.news):
                if item.seq <= have:
                    break
                fresh.append(item)
            self._news[have] = msgspec.Raw(ENCODER.encode(fresh[::-1]))
        return self._news[have]
