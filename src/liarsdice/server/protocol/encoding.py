"""Encodes the messages that show a table; each part is built and encoded once for all clients that receive it."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from liarsdice.core.engine.legal import LegalMoves, legal
from liarsdice.server.protocol.views import player_view, public_table, table_setup
from liarsdice.server.table.table_state import TableState
from liarsdice.wire import NewsItem, PlayerView

ENCODER = msgspec.json.Encoder()


class TableFrames:
    """The messages about one state of a table, as JSON. `left_ms`: the milliseconds until its next deadline."""

    __slots__ = ("_left_ms", "_moves", "_public_part", "_setup", "_shared_parts", "_table", "_updates")

    def __init__(self, table: TableState, left_ms: int | None) -> None:
        self._table, self._left_ms = table, left_ms
        self._moves: LegalMoves | None = None
        self._setup = self._public_part = b""
        self._shared_parts: dict[int, bytes] = {}
        self._updates: dict[tuple[int | None, int], bytes] = {}

    @property
    def setup(self) -> bytes:
        """The `TableSetup` message."""
        self._setup = self._setup or ENCODER.encode(table_setup(self._table))
        return self._setup

    def update(self, player_id: int | None, since_seq: int) -> bytes:
        """Return the `Update` message for a player, or a spectator (None), with the news after `since_seq`."""
        key = player_id, since_seq
        frame = self._updates.get(key)
        if frame is None:
            frame = b"%b%b}" % (self._shared_part(since_seq), self._private_part(player_id))
            self._updates[key] = frame
        return frame

    def _shared_part(self, since_seq: int) -> bytes:
        """Return the JSON of an update up to what only one player sees."""
        part = self._shared_parts.get(since_seq)
        if part is None:
            public_part = self._public_part or ENCODER.encode(public_table(self._table, self._left_ms))
            self._public_part = public_part
            news = ENCODER.encode(self._news_since(since_seq))
            part = b'{"type":"update","seq":%d,"news":%b,"table":%b,"own":' % (self._table.seq, news, public_part)
            self._shared_parts[since_seq] = part
        return part

    def _private_part(self, player_id: int | None) -> bytes:
        """Return the view of a player, followed by spaces so that its length depends on public facts only.

        Without them, the length of an encrypted message would tell how many hidden dice match the standing bid.
        """
        match = self._table.match
        if match is None:
            return ENCODER.encode(player_view(self._table, player_id))
        if self._moves is None:
            self._moves = legal(match.state)
        own = player_view(self._table, player_id, self._moves)
        return ENCODER.encode(own) + b" " * missing_length(own, match.state.ruleset.dice.faces)

    def _news_since(self, since_seq: int) -> list[NewsItem]:
        new_items = list[NewsItem]()
        for item in reversed(self._table.news):
            if item.seq <= since_seq:
                break
            new_items.append(item)
        return new_items[::-1]


def missing_length(own: PlayerView, faces: int) -> int:
    """Return how much longer, in bytes of JSON, other dice could make the view of a player in the same situation.

    >>> missing_length(PlayerView(0, hand=(1, 10), counts=(1,), standing_odds=50), faces=12)
    4
    """
    showable = (*(own.showable or ()), *(own.pure_showable or ()))
    shown = (own.hand, own.counts, own.odds, own.standing_odds, own.exact_odds, own.cups, showable)
    longest = _longest(
        faces,
        len(own.hand),
        len(own.odds),
        tuple(map(len, own.cups)),
        len(showable),
        standing=own.standing_odds is not None,
        exact=own.exact_odds is not None,
    )
    return longest - len(ENCODER.encode(shown))


@lru_cache(4096)
def _longest(
    faces: int, dice: int, odds: int, cups: tuple[int, ...], showable: int, *, standing: bool, exact: bool
) -> int:
    """Return the length of the JSON of dice, their places, and odds, if all of them are as long as possible."""
    hands = tuple((faces,) * held for held in cups)
    percents = (100 if standing else None, 100 if exact else None)
    longest = ((faces,) * dice, tuple(range(dice)), (100,) * odds, *percents, hands, (tuple(range(dice)),) * showable)
    return len(ENCODER.encode(longest))
