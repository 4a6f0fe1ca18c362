"""Limits how often a client may do what costs the server much or helps to guess table codes. All use token buckets."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from liarsdice.server.errors import RateLimitError
from liarsdice.server.http.networks import networks_of, smallest_network

MINUTE_S = 60.0
MAX_NETWORKS = 30_000
MAX_HITS = 50_000
MISSES_PER_MINUTE = 60
TICKETS_PER_MINUTE = 6


class TokenBucket:
    """Allows `burst` actions at once, and `per_s` actions a second in the long run. Times are seconds of any clock."""

    def __init__(self, burst: float, per_s: float, now_s: float) -> None:
        self._burst, self._per_s = burst, per_s
        self._available, self._updated_s = burst, now_s

    def available(self, now_s: float) -> float:
        """Return how many actions are allowed now."""
        self._available = min(self._burst, self._available + (now_s - self._updated_s) * self._per_s)
        self._updated_s = now_s
        return self._available

    def consume(self, now_s: float, cost: float = 1.0) -> bool:
        """Count an action of this cost and return True, or return False if it is not allowed now.

        >>> bucket = TokenBucket(2, 1, 0.0)
        >>> bucket.consume(0.0), bucket.consume(0.0), bucket.consume(0.0), bucket.consume(1.0)
        (True, True, False, True)
        """
        if self.available(now_s) < cost:
            return False
        self._available -= cost
        return True


class RateLimit:
    """Allows each address `per_minute` actions a minute, in one burst if need be; 0: any number.

    The networks of an IPv6 address have budgets, too (`networks_of`), and an action is paid from each. Only the latest
    `max_networks` networks are remembered, so that the memory stays bounded. `len()` is how many are remembered.
    """

    def __init__(
        self, per_minute: int, *, max_networks: int = MAX_NETWORKS, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_minute = per_minute
        self._max_networks = max_networks
        self._now_s = now_s
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def allows(self, address: str) -> bool:
        """Return whether one more action of an address is allowed, without counting it."""
        buckets = [self._buckets.get(network) for network, _ in networks_of(address)]
        return all(bucket is None or bucket.available(self._now_s()) >= 1 for bucket in buckets)

    def consume(self, address: str, cost: float = 1.0) -> bool:
        """Count an action of this cost and return True, or return False if it is not allowed now."""
        if not self._per_minute:
            return True
        now_s = self._now_s()
        buckets = [self._bucket(network, times * self._per_minute, now_s) for network, times in networks_of(address)]
        return all(bucket.available(now_s) >= cost for bucket in buckets) and all(
            bucket.consume(now_s, cost) for bucket in buckets
        )

    def _bucket(self, network: str, per_minute: int, now_s: float) -> TokenBucket:
        """Return the budget of a network, which is remembered as the latest one."""
        bucket = self._buckets.pop(network, None) or TokenBucket(per_minute, per_minute / MINUTE_S, now_s)
        self._buckets[network] = bucket
        if len(self._buckets) > self._max_networks:
            self._buckets.popitem(last=False)
        return bucket


class AddressCounter:
    """Counts what each address does at the same time, such as open connections, up to `limit`; 0: any number.

    The networks of an IPv6 address have limits, too (`networks_of`).
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._counts: Counter[str] = Counter()

    def add(self, address: str) -> bool:
        """Count one more and return True, or return False if the address has too many.

        >>> counter = AddressCounter(1)
        >>> counter.add("192.0.2.1"), counter.add("192.0.2.1"), counter.add("192.0.2.2")
        (True, False, True)
        """
        networks = networks_of(address)
        if self._limit and any(self._counts[network] >= times * self._limit for network, times in networks):
            return False
        self._counts.update(network for network, _ in networks)
        return True

    def remove(self, address: str) -> None:
        """Count one less of an address."""
        for network, _ in networks_of(address):
            self._counts[network] -= 1
            if self._counts[network] <= 0:
                del self._counts[network]


class RateLimits:
    """The limits of a server for each address.

    They count tables opened, connections made, connections to tables that are open at once, codes tried that no table
    has, and costly work. `work_per_minute` is a budget in units of about 10 ms of processor time, from which every
    costly request is paid. `tickets_per_minute` is for each seat. The messages of one connection have a limit of their
    own, a `TokenBucket` in `http/table_session.py`.

    An address that has tried too many codes may still look up the tables that it has looked up before with success.
    """

    def __init__(
        self,
        *,
        tables_per_minute: int = 0,
        connections_per_minute: int = 0,
        misses_per_minute: int = 0,
        connections_per_address: int = 0,
        work_per_minute: int = 0,
        tickets_per_minute: int = 0,
    ) -> None:
        self._tables = RateLimit(tables_per_minute)
        self._connections = RateLimit(connections_per_minute)
        self._misses = RateLimit(misses_per_minute)
        self._open = AddressCounter(connections_per_address)
        self._work = RateLimit(work_per_minute)
        self._tickets = RateLimit(tickets_per_minute)
        self._hits: OrderedDict[tuple[str, str], None] = OrderedDict()

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
        if not self._open.add(address):
            raise RateLimitError("your address has many connections open; close some of them")
        try:
            yield
        finally:
            self._open.remove(address)

    def check_work(self, address: str, cost: float) -> None:
        """Pay for a costly request from the budget of an address. Raises `RateLimitError` if it is used up."""
        if not self._work.consume(address, cost):
            raise RateLimitError("your address has asked for very much just now; wait a minute")

    def check_make_ticket(self, code: str, player_id: int) -> None:
        """Count a seat link that a player makes. Raises `RateLimitError` if it makes too many."""
        if not self._tickets.consume(f"{code}/{player_id}"):
            raise RateLimitError("you made many links to your seat just now; wait a minute")

    def check_look_up(self, address: str, code: str) -> None:
        """Raise `RateLimitError` if an address has tried too many codes, unless it has found this one before."""
        known = (smallest_network(address), code.upper()) in self._hits
        if not known and not self._misses.allows(address):
            raise RateLimitError("your address tried many codes that no table has; wait a minute")

    def record_hit(self, address: str, code: str) -> None:
        """Remember that an address has looked up a table with success. Only the latest `MAX_HITS` are remembered."""
        key = (smallest_network(address), code)
        self._hits.pop(key, None)
        self._hits[key] = None
        if len(self._hits) > MAX_HITS:
            self._hits.popitem(last=False)

    def record_miss(self, address: str) -> None:
        """Count a code that an address tried and no table has."""
        self._misses.consume(address)
