"""Encodes the messages that show a table; each part is built and encoded once for all clients that receive it."""

from __future__ import annotations

from functools import cached_property

import msgspec

from liarsdice.core.engine.legal import LegalMoves, legal
from liarsdice.server.protocol.messages import PlayerView
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
            update = _EncodedUpdate(
                self._table.seq, self._news_since(since_seq), self._public_part, self._private_part(player_id)
            )
            frame = ENCODER.encode(update)
            self._updates[player_id, since_seq] = frame
        return frame

    @cached_property
    def _public_part(self) -> msgspec.Raw:
        return msgspec.Raw(ENCODER.encode(public_table(self._table, self._left_ms)))

    def _private_part(self, player_id: int | None) -> msgspec.Raw:
        """Return the view of a player, followed by spaces so that its length depends on public facts only.

        Without them, the length of an encrypted message would tell how many hidden dice match the standing bid.
        """
        own, match = player_view(self._table, player_id, self._moves), self._table.match
        padding = 0 if match is None else missing_length(own, match.state.ruleset.dice.faces)
        return msgspec.Raw(ENCODER.encode(own) + b" " * padding)

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


def missing_length(own: PlayerView, faces: int) -> int:
    """Return how much longer, in bytes of JSON, other dice could make the view of a player in the same situation.

    >>> missing_length(PlayerView(0, hand=(1, 10), counts=(1,), standing_odds=50), faces=12)
    4
    """
    dice = len(own.hand)
    longest = (
        (faces,) * dice,
        tuple(range(dice)),
        (100,) * len(own.odds),
        None if own.standing_odds is None else 100,
        None if own.exact_odds is None else 100,
    )
    shown = (own.hand, own.counts, own.odds, own.standing_odds, own.exact_odds)
    return len(ENCODER.encode(longest)) - len(ENCODER.encode(shown))
