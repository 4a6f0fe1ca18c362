"""Limits how often a client may do what costs the server much or helps to guess table codes."""

from __future__ import annotations

import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from liarsdice.server.errors import RateLimitError
from liarsdice.server.http.address_limits import AddressCounter, RateLimit
from liarsdice.server.http.networks import smallest_network

KEY_BYTES, KEY_LENGTH = 32, 16
PURPOSE = b"limits of addresses"
MAX_HITS = 50_000
MISSES_PER_MINUTE = 60
TICKETS_PER_MINUTE = 6
BYTES_PER_REQUEST = 64 * 1024
"""How much a response may have before it counts as another request."""
UNITS_PER_S = 100
"""Units of costly work in a second."""


class RateLimits:
    """The limits of a server for each address.

    They count tables opened, connections made, connections to tables that are open at once, codes tried that no table
    has, requests, and costly work. `work_per_minute` is a budget in units of about 10 ms of processor time, from which
    every costly request is paid, and `requests_per_minute` one from which responses are paid by their length, too.
    `tickets_per_minute` is for each seat. What a seat sends to its table has limits of its own (`live/seat_limits.py`).

    An address that has tried too many codes may still look up the tables that it has looked up before with success.

    With `SharedLimits`, several nodes count together. They need the same secret `key`: their messages name a network
    by its hash. `by_name` has the limits of what is spent, and `open_connections` those of what is open.
    """

    def __init__(  # noqa: PLR0913  one for each limit
        self,
        *,
        tables_per_minute: int = 0,
        connections_per_minute: int = 0,
        misses_per_minute: int = 0,
        connections_per_address: int = 0,
        work_per_minute: int = 0,
        requests_per_minute: int = 0,
        tickets_per_minute: int = 0,
        key: bytes = b"",
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._key = hmac.digest(key or secrets.token_bytes(KEY_BYTES), PURPOSE, "sha256")

        def limit(per_minute: int) -> RateLimit:
            return RateLimit(per_minute, key_of=self._key_of, now_s=now_s)

        self._tables = limit(tables_per_minute)
        self._connections = limit(connections_per_minute)
        self._misses = limit(misses_per_minute)
        self._work = limit(work_per_minute)
        self._requests = limit(requests_per_minute)
        self._tickets = limit(tickets_per_minute)
        self.by_name = {
            "tables": self._tables,
            "connections": self._connections,
            "misses": self._misses,
            "work": self._work,
            "requests": self._requests,
            "tickets": self._tickets,
        }
        self.open_connections = AddressCounter(connections_per_address, key_of=self._key_of, now_s=now_s)
        self._hits: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._new_hits: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._node_count = 1

    def _key_of(self, network: str) -> str:
        return hmac.digest(self._key, network.encode(errors="replace"), "sha256").hex()[:KEY_LENGTH]

    def set_node_count(self, node_count: int) -> None:
        """Say how many nodes count together from now on."""
        self._node_count = self.open_connections.node_count = node_count
        for limit in self.by_name.values():
            limit.node_count = node_count

    def check_open_table(self, address: str) -> None:
        """Count a table that an address opens. Raises `RateLimitError` if it opens too many."""
        if not self._tables.consume(address):
            raise RateLimitError("many tables were opened from your address just now; wait a minute")

    def check_connect(self, address: str) -> None:
        """Count a connection of an address. Raises `RateLimitError` if it connects too often."""
        if not self._connections.consume(address):
            raise RateLimitError("your address connects very often; wait a minute")

    @contextmanager
    def hold_connection(self, address: str) -> Iterator[None]:
        """Count a connection of an address while it is open. Raises `RateLimitError` if the address has too many."""
        if not self.open_connections.add(address):
            raise RateLimitError("your address has many connections open; close some of them")
        try:
            yield
        finally:
            self.open_connections.remove(address)

    def check_work(self, address: str, cost: float) -> None:
        """Pay for a costly request from the budget of an address. Raises `RateLimitError` if it is used up."""
        if not self._work.consume(address, cost):
            raise RateLimitError("your address has asked for very much just now; wait a minute")

    def charge_work(self, address: str, seconds: float) -> None:
        """Take the time of costly work from the budget of an address, which can be in debt for a while."""
        self._work.charge(address, seconds * UNITS_PER_S)

    def check_request(self, address: str) -> None:
        """Count a request. Raises `RateLimitError` if the address sends too many."""
        if not self._requests.consume(address):
            raise RateLimitError("too many requests from your address; wait a minute")

    def charge_bytes(self, address: str, count: int) -> None:
        """Take what is sent to an address from its budget of requests, which can be in debt for a while."""
        self._requests.charge(address, count / BYTES_PER_REQUEST)

    def check_make_ticket(self, code: str, player_id: int) -> None:
        """Count a seat link that a player makes. Raises `RateLimitError` if it makes too many."""
        if not self._tickets.consume(f"{code}/{player_id}"):
            raise RateLimitError("you made many links to your seat just now; wait a minute")

    def check_look_up(self, address: str, code: str) -> None:
        """Raise `RateLimitError` if an address has tried too many codes, unless it has found this one before."""
        known = (self._key_of(smallest_network(address)), code.upper()) in self._hits
        if not known and not self._misses.allows(address):
            raise RateLimitError("your address tried many codes that no table has; wait a minute")

    def record_hit(self, address: str, code: str) -> None:
        """Remember that an address has looked up a table with success. Only the latest `MAX_HITS` are remembered."""
        key = self._key_of(smallest_network(address))
        if self._node_count > 1 and (key, code) not in self._hits and len(self._new_hits) < MAX_HITS:
            self._new_hits[key, code] = None
        self.add_hit(key, code)

    def add_hit(self, key: str, code: str) -> None:
        """Remember that a network, here or on another node, has looked up a table with success."""
        self._hits.pop((key, code), None)
        self._hits[key, code] = None
        if len(self._hits) > MAX_HITS:
            self._hits.popitem(last=False)

    def take_hits(self, max_count: int) -> list[tuple[str, str]]:
        """Return which networks found which tables here since the others were told, at most so many."""
        return [self._new_hits.popitem(last=False)[0] for _ in range(min(max_count, len(self._new_hits)))]

    def record_miss(self, address: str) -> None:
        """Count a code that an address tried and no table has."""
        self._misses.consume(address)
