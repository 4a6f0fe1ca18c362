"""Tells the other nodes at which tables pages of this node are open, and keeps what they tell.

A node tells a change at once, repeats everything every `REFRESH_S`, and sends something every second. So a lost message
is made up for by the next repetition, and a node that is silent for `EXPIRY_S` has no pages any more. A node that could
hear nothing itself, because the bus failed or the process was suspended, keeps what it knew, for up to `MAX_DEAF_S`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol
from zlib import crc32

import msgspec

from liarsdice.server.bus.event_bus import MAX_VALUE_LENGTH, EventBus

REFRESH_S = 5
"""How often a node repeats everything that it has told."""

BUCKETS = 200 * REFRESH_S
"""Tables are repeated in this many groups, by a checksum of their codes. A message has as many groups as fit.

Nodes of two releases may run side by side, so the number stays the same.
"""

MAX_TABLES, MAX_NODES, MAX_PLAYERS = 100_000, 64, 64
"""The most tables of another node that are kept, the most nodes, and the most players at a table with pages there."""


class OpenPages(msgspec.Struct, frozen=True):
    """The players who look at a page of a table, in ascending order, and the number of spectators' pages."""

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


CHANNEL = "presence"
TICK_S, EXPIRY_S, MAX_DEAF_S = 1.0, 10.0, 300.0
LATE_S = 3.0
"""If so much time passes between two ticks, this process stood still, and messages may still be on their way."""

CHANGES_EVERY_S = 0.25
"""The shortest time between two rounds of changes. A crowd that comes or leaves causes a few messages, not hundreds."""

MAX_TABLES_LENGTH = MAX_VALUE_LENGTH - 60
"""How long the tables in a message may be, so that all of it fits."""


class LocalTable(Protocol):
    """A table of this node, as `NodePresence` asks it for its pages."""

    code: str

    def local_pages(self) -> OpenPages:
        """Return the pages that are open here."""
        ...


class NodePresence:
    """The pages of this node and of the others, by table. Use it on the event loop only.

    `on_change` is called with the code of each table at which pages of other nodes were opened or closed. `now_s`
    returns seconds of any clock that never goes back.
    """

    def __init__(self, bus: EventBus, *, now_s: Callable[[], float] = time.monotonic) -> None:
        self.on_change: Callable[[str], object] = lambda _: None
        self._bus = bus
        self._now_s = now_s
        self._here: list[dict[str, LocalTable]] = [{} for _ in range(BUCKETS)]
        self._changed: dict[str, LocalTable] = {}
        self._changes_timer: asyncio.TimerHandle | None = None
        self._tick_timer: asyncio.TimerHandle | None = None
        self._nodes: dict[str, OtherNode] = {}
        self._met_node = False
        self._number = 0
        self._next_bucket = 0
        self._ticked_s = now_s()
        self._deaf_s = 0.0
        bus.subscribe(CHANNEL, self._receive)

    @property
    def node_count(self) -> int:
        """How many nodes are alive, this one included, as far as it knows."""
        return 1 + len(self._nodes)

    @property
    def is_first(self) -> bool:
        """Whether this node has the lowest id of all: what only one node need do, it does."""
        return all(self._bus.node_id < node_id for node_id in self._nodes)

    @property
    def table_count_elsewhere(self) -> int:
        """At how many tables other nodes have pages open, at most."""
        return sum(node.table_count for node in self._nodes.values())

    def pages_elsewhere(self, code: str) -> OpenPages:
        """Return the pages that other nodes have open at a table."""
        pages = [found for node in self._nodes.values() if (found := node.pages(code)) != NO_PAGES]
        if len(pages) <= 1:
            return pages[0] if pages else NO_PAGES
        players = {player for found in pages for player in found.players}
        return OpenPages(tuple(sorted(players)), sum(found.watching for found in pages))

    # ---- telling --------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Tell something every second from now on, until `close`."""
        self.tick()
        self._tick_timer = asyncio.get_running_loop().call_later(TICK_S, self.start)

    def close(self) -> None:
        """Tell the others that this node ends."""
        for timer in (self._tick_timer, self._changes_timer):
            if timer is not None:
                timer.cancel()
        self._publish("leaving", PagesMessage(self._next_number(), (), 0, BUCKETS, leaving=True))

    def changed(self, table: LocalTable, *, empty: bool) -> None:
        """Tell the others the pages at a table: at once, or `CHANGES_EVERY_S` after the last changes.

        `empty`: no page is open here any more.
        """
        bucket = self._here[bucket_of(table.code)]
        if empty:
            bucket.pop(table.code, None)
        else:
            bucket[table.code] = table
        if not self._nodes:
            return  # whoever comes is told everything
        self._changed[table.code] = table
        if self._changes_timer is None:
            self.publish_changes()

    def publish_changes(self) -> None:
        """Tell all changes that were not told yet."""
        self._changes_timer = None
        if not self._changed:
            return
        tables, self._changed = self._changed, {}
        for table in tables.values():
            self._publish(table.code, PagesMessage(self._next_number(), (_pages_of(table),)))
        self._changes_timer = asyncio.get_running_loop().call_later(CHANGES_EVERY_S, self.publish_changes)

    def tick(self) -> None:
        """Repeat the next part of all tables, and forget nodes that have been silent for too long."""
        self._forget_silent_nodes()
        if not self._nodes:
            self._publish("alive", PagesMessage(self._next_number()))
            return
        first = self._next_bucket
        count = BUCKETS if self._met_node else BUCKETS // REFRESH_S
        self._met_node = False
        self._next_bucket = (first + count) % BUCKETS
        self._repeat(first, min(first + count, BUCKETS))
        if first + count > BUCKETS:
            self._repeat(0, first + count - BUCKETS)

    def _repeat(self, first_bucket: int, end_bucket: int) -> None:
        """Tell the pages in some buckets, in messages of as many buckets as fit."""
        pending: list[TablePages] = []
        pending_length = 0
        for bucket in range(first_bucket, end_bucket):
            if not self._here[bucket]:
                continue
            tables = [_pages_of(table) for table in self._here[bucket].values()]
            length = len(msgspec.json.encode(tables))
            if pending and pending_length + length > MAX_TABLES_LENGTH:
                self._publish_buckets(first_bucket, bucket, pending, pending_length)
                first_bucket, pending, pending_length = bucket, [], 0
            pending += tables
            pending_length += length
        self._publish_buckets(first_bucket, end_bucket, pending, pending_length)

    def _publish_buckets(self, first_bucket: int, end_bucket: int, tables: list[TablePages], length: int) -> None:
        if length <= MAX_TABLES_LENGTH:
            message = PagesMessage(self._next_number(), tuple(tables), first_bucket, end_bucket)
            self._publish(f"{first_bucket}-{end_bucket}", message)
            return
        for table in tables:  # one bucket has more tables than fit: what is gone from it is told by changes alone
            self._publish(table.code, PagesMessage(self._next_number(), (table,)))

    def _next_number(self) -> int:
        self._number += 1
        return self._number

    def _publish(self, key: str, message: PagesMessage) -> None:
        self._bus.publish(CHANNEL, key, msgspec.json.encode(message).decode())

    # ---- listening ------------------------------------------------------------------------------------------------

    def _receive(self, _: str, value: str, node_id: str) -> None:
        """Take over what another node tells. A message that cannot be read, such as one of a later release, is lost."""
        try:
            message = msgspec.json.decode(value, type=PagesMessage)
        except msgspec.MsgspecError:
            return
        node = self._nodes.get(node_id)
        if node is None:
            if len(self._nodes) >= MAX_NODES or message.leaving:
                return
            node = self._nodes[node_id] = OtherNode()
            self._met_node = True
        node.heard_s = self._now_s()
        codes = node.take(message)
        if message.leaving:
            del self._nodes[node_id]
        self._tell(codes)

    def _forget_silent_nodes(self) -> None:
        now_s = self._now_s()
        passed_s, self._ticked_s = now_s - self._ticked_s, now_s
        self._deaf_s = 0.0 if self._bus.works else self._deaf_s + passed_s
        if passed_s >= LATE_S or 0 < self._deaf_s < MAX_DEAF_S:
            for node in self._nodes.values():
                node.heard_s = now_s
        silent_since_s = now_s - EXPIRY_S
        for node_id, node in [*self._nodes.items()]:
            if node.heard_s <= silent_since_s:
                del self._nodes[node_id]
                self._tell(node.codes())

    def _tell(self, codes: Iterable[str]) -> None:
        for code in codes:
            self.on_change(code)


def _pages_of(table: LocalTable) -> TablePages:
    pages = table.local_pages()
    return TablePages(table.code, pages.players, pages.watching)
