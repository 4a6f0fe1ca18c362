"""What nodes say about the pages that are open on them, and what one node knows of another one."""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

import msgspec

REFRESH_S = 5
"""How often a node repeats everything that it has told."""

BUCKETS = 200 * REFRESH_S
"""Tables are repeated in this many groups, by a checksum of their codes. A message has as many groups as fit.

Nodes of two releases may run side by side, so the number stays the same.
"""

MAX_TABLES, MAX_NODES, MAX_PLAYERS = 100_000, 64, 64
"""The most tables of another node that are kept, the most nodes, and the most players at a table with pages there."""


class OpenPages(msgspec.Struct, frozen=True):
    """The players who have a page open at a table, in ascending order, and the number of spectators' pages."""

    players: tuple[int, ...] = ()
    watching: int = 0


NO_PAGES = OpenPages()


class TablePages(msgspec.Struct, frozen=True, array_like=True):
    """The pages at one table, as in `OpenPages`."""

    code: str
    players: tuple[int, ...]
    watching: int


class PagesMessage(msgspec.Struct, frozen=True, array_like=True):
    """The pages at some tables. `number`: each message of a node has a higher one than those before.

    There are no pages of the node at other tables whose buckets are in `range(first_bucket, end_bucket)`.
    """

    number: int
    tables: tuple[TablePages, ...] = ()
    first_bucket: int = 0
    end_bucket: int = 0
    leaving: bool = False


class OtherNode:
    """What another node has told. `heard_s`: when it sent its last message. `table_count`: how many tables are kept.

    The number of the message that said it is kept with the pages of a table, because messages may overtake each other.
    Tables that have no pages any more stay until their bucket is repeated.
    """

    def __init__(self) -> None:
        self.heard_s = 0.0
        self.table_count = 0
        self._buckets: list[dict[str, tuple[int, OpenPages]]] = [{} for _ in range(BUCKETS)]

    def pages(self, code: str) -> OpenPages:
        """Return the pages at a table."""
        _, pages = self._buckets[bucket_of(code)].get(code, (0, NO_PAGES))
        return pages

    def codes(self) -> Iterator[str]:
        """Yield the codes of the tables at which there may be pages."""
        for bucket in self._buckets:
            yield from bucket

    def take(self, message: PagesMessage) -> list[str]:
        """Store what a message says and return the codes of the tables where something changed."""
        changed = []
        for table in message.tables:
            pages = OpenPages(tuple(sorted(set(table.players)))[:MAX_PLAYERS], max(0, table.watching))
            bucket = self._buckets[bucket_of(table.code)]
            number, before = bucket.get(table.code, (-1, NO_PAGES))
            if message.number < number or (number < 0 and self.table_count >= MAX_TABLES):
                continue
            self.table_count += number < 0
            bucket[table.code] = (message.number, pages)
            if pages != before:
                changed.append(table.code)
        told = {table.code for table in message.tables}
        for bucket in self._buckets[max(0, message.first_bucket) : max(0, message.end_bucket)]:
            gone = [code for code, (number, _) in bucket.items() if code not in told and number < message.number]
            changed += [code for code in gone if bucket[code][1] != NO_PAGES]
            self.table_count -= len(gone)
            for code in gone:
                del bucket[code]
        return changed


def bucket_of(code: str) -> int:
    """Return the bucket of a table: the same on every node."""
    return crc32(code.encode()) % BUCKETS
