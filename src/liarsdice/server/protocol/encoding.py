"""Encodes the messages that show a table; each part is built and encoded once for all clients that receive it."""

from __future__ import annotations

from functools import cached_property

import msgspec

from liarsdice.core.engine.legal import LegalMoves, legal
from liarsdice.server.protocol.views import player_view, public_table, table_setup
from liarsdice.server.table.public_events import NewsItem
from liarsdice.server.table.table_state import TableState

ENCODER = msgspec.json.Encoder()


class _EncodedUpdate(msgspec.Struct, tag="update"):
    """`messages.Update` with parts that are JSON already."""

    seq: int
    news: msgspec.Raw
    table: msgspec.Raw
    own: msgspec.Raw


class TableFrames:
    """The messages about one state of a table, as JSON. `left_ms`: the milliseconds until its next deadline."""

    def __init__(self, table: TableState, left_ms: int | None) -> None:
        self._table, self._left_ms = table, left_ms
        self._news: dict[int, msgspec.Raw] = {}
        self._updates: dict[tuple[int | None, int], bytes] = {}

    @cached_property
    def setup(self) -> bytes:
        """The `TableSetup` message."""
        return ENCODER.encode(table_setup(self._table))

    def update(self, player_id: int | None, since_seq: int) -> bytes:
        """Return the `Update` message for a player, or a spectator (None), with the news after `since_seq`."""
        frame = self._updates.get((player_id, since_seq))
        if frame is None:
            own = msgspec.Raw(ENCODER.encode(player_view(self._table, player_id, self._moves)))
            update = _EncodedUpdate(self._table.seq, self._news_since(since_seq), self._public_part, own)
            frame = ENCODER.encode(update)
            self._updates[player_id, since_seq] = frame
        return frame

    @cached_property
    def _public_part(self) -> msgspec.Raw:
        return msgspec.Raw(ENCODER.encode(public_table(self._table, self._left_ms)))

    @cached_property
    def _moves(self) -> LegalMoves | None:
        match = self._table.match
        return None if match is None else legal(match.state)

    def _news_since(self, since_seq: int) -> msgspec.Raw:
        if since_seq not in self._news:
            new_items = list[NewsItem]()
            for item in reversed(self._table.news):
                if item.seq <= since_seq:
                    break
                new_items.append(item)
            self._news[since_seq] = msgspec.Raw(ENCODER.encode(new_items[::-1]))
        return self._news[since_seq]
