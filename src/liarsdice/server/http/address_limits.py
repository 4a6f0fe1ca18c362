"""Counts what each address does: token buckets, and open connections. Several nodes count together.

Each node tells the others what an address has spent (`shared_limits`). Until they know, it lets an address spend only
its own share of what is left: half of it if there are two nodes. So nodes that hear of each other within `SETTLE_S`
never allow more than one node alone would, but for one action and what is too little to tell, for each other node.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from liarsdice.server.http.networks import networks_of
from liarsdice.server.token_bucket import TokenBucket

MINUTE_S = 60.0
MAX_NETWORKS = 30_000
SETTLE_S = 4.0
"""After this time, the other nodes have heard of what was spent, even if two of three messages are lost."""

TOLD_SHARE = 100
"""Spending that is less than one of so many parts of a limit is told later, with what is spent next."""

KeyOf = Callable[[str], str]
"""Returns the name under which the nodes count a network: one from which nobody can tell the network."""


class RecentSum:
    """The sum of what was added in the last `SETTLE_S` seconds, and in up to as many seconds before."""

    def __init__(self, now_s: float) -> None:
        self._since_s = now_s
        self._sum = self._before = 0.0

    def total(self, now_s: float) -> float:
        """Return the sum now."""
        periods = int((now_s - self._since_s) / SETTLE_S)
        if periods > 0:
            self._before = self._sum if periods == 1 else 0.0
            self._sum = 0.0
            self._since_s += periods * SETTLE_S
        return self._sum + self._before

    def add(self, amount: float) -> None:
        """Add to the sum, as of the time of the last `total`."""
        self._sum += amount


def is_within_share(left: float, recent: float, cost: float, node_count: int) -> bool:
    """Return whether this node may spend more before the others know what it spent.

    `left`: what is left of a limit as far as this node knows. `recent`: what it spent itself, of which the others may
    not know yet. One action is always within the share.

    >>> is_within_share(8, 2, 3, 2), is_within_share(8, 2, 4, 2), is_within_share(1, 0, 1, 2)
    (True, False, True)
    """
    return left >= cost and (recent == 0 or (recent + cost) * node_count <= left + recent)


class _SharedBucket(TokenBucket):
    """A bucket from which other nodes spend, too. `times`: how many times `burst` and `per_minute` it allows."""

    def __init__(self, times: int, per_minute: int, burst: float, now_s: float) -> None:
        super().__init__(times * burst, times * per_minute / MINUTE_S, now_s)
        self.times = times
        self._recent = RecentSum(now_s)
        self._untold = 0.0

    @property
    def has_much_to_tell(self) -> bool:
        """Whether the other nodes must soon hear what was spent here."""
        return self._untold * TOLD_SHARE >= self._burst

    def allows(self, now_s: float, cost: float, node_count: int) -> bool:
        """Return whether an action is allowed here and now."""
        return is_within_share(self.available(now_s), self._recent.total(now_s), cost, node_count)

    def spend(self, cost: float) -> None:
        """Count an action; if it was too much, the bucket is in debt for a while."""
        self._available = max(-self._burst, self._available - cost)
        self._recent.add(cost)
        self._untold += cost

    def spend_elsewhere(self, now_s: float, cost: float) -> None:
        """Count what another node allowed; if that was too much, the bucket is in debt for a while."""
        self._available = max(-self._burst, self.available(now_s) - cost)

    def take_untold(self, now_s: float) -> float:
        """Return what the others have to be told; what was refilled since does not matter to them."""
        untold, self._untold = min(self._untold, self._burst - self.available(now_s)), 0.0
        return round(untold, 2)


class RateLimit:
    """Allows each address `per_minute` actions a minute, 0: any number. `burst_share`: how much of that at once.

    The networks of an IPv6 address have budgets, too (`networks_of`), and an action is paid from each. Only the latest
    `max_networks` networks are remembered, so that the memory stays bounded. `len()` is how many are remembered.
    `node_count`: how many nodes count together.
    """

    def __init__(
        self,
        per_minute: int,
        *,
        burst_share: float = 1.0,
        max_networks: int = MAX_NETWORKS,
        key_of: KeyOf = str,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.node_count = 1
        self._per_minute = per_minute
        self._burst = max(1.0, burst_share * per_minute)
        self._max_networks = max_networks
        self._key_of = key_of
        self._now_s = now_s
        self._buckets: OrderedDict[str, _SharedBucket] = OrderedDict()
        self._to_tell: OrderedDict[str, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def allows(self, address: str) -> bool:
        """Return whether one more action of an address is allowed, without counting it."""
        now_s = self._now_s()
        buckets = [self._buckets.get(self._key_of(network)) for network, _ in networks_of(address)]
        return all(bucket is None or bucket.allows(now_s, 1.0, self.node_count) for bucket in buckets)

    def consume(self, address: str, cost: float = 1.0) -> bool:
        """Count an action of this cost and return True, or return False if it is not allowed now."""
        if not self._per_minute:
            return True
        now_s = self._now_s()
        keys = [(self._key_of(network), times) for network, times in networks_of(address)]
        buckets = [self._bucket(key, times, now_s) for key, times in keys]
        if not all(bucket.allows(now_s, cost, self.node_count) for bucket in buckets):
            return False
        self._spend(keys, buckets, cost)
        return True

    def charge(self, address: str, cost: float) -> None:
        """Count what an address has cost already, whether or not that is allowed now."""
        if self._per_minute:
            now_s = self._now_s()
            keys = [(self._key_of(network), times) for network, times in networks_of(address)]
            buckets = [self._bucket(key, times, now_s) for key, times in keys]
            for bucket in buckets:
                bucket.available(now_s)
            self._spend(keys, buckets, cost)

    def _spend(self, keys: list[tuple[str, int]], buckets: list[_SharedBucket], cost: float) -> None:
        for (key, _), bucket in zip(keys, buckets, strict=True):
            bucket.spend(cost)
            if self.node_count > 1 and bucket.has_much_to_tell:
                self._to_tell[key] = None

    def _bucket(self, key: str, times: int, now_s: float) -> _SharedBucket:
        """Return the budget of a network, which is remembered as the latest one."""
        bucket = self._buckets.pop(key, None) or _SharedBucket(times, self._per_minute, self._burst, now_s)
        self._buckets[key] = bucket
        if len(self._buckets) > self._max_networks:
            forgotten, _ = self._buckets.popitem(last=False)
            self._to_tell.pop(forgotten, None)
        return bucket

    def take_spending(self, max_count: int) -> list[tuple[str, int, float]]:
        """Return what networks have spent here since the others were told, of at most so many of them.

        Each with its key and with how many times the budget of one address it has.
        """
        now_s = self._now_s()
        keys = [self._to_tell.popitem(last=False)[0] for _ in range(min(max_count, len(self._to_tell)))]
        buckets = [(key, self._buckets[key]) for key in keys]
        return [(key, bucket.times, bucket.take_untold(now_s)) for key, bucket in buckets]

    def spend_elsewhere(self, key: str, times: int, cost: float) -> None:
        """Count what a network spent on another node."""
        if self._per_minute and cost > 0:
            now_s = self._now_s()
            self._bucket(key, times, now_s).spend_elsewhere(now_s, cost)


class _OpenCount:
    """What one network has open on this node."""

    def __init__(self, now_s: float) -> None:
        self.count = 0
        self.recent = RecentSum(now_s)


class AddressCounter:
    """Counts what each address does at the same time, such as open connections, up to `limit`; 0: any number.

    The networks of an IPv6 address have limits, too (`networks_of`). `node_count`: how many nodes count together.
    `elsewhere` returns how much a network, given its key, has open on other nodes.
    """

    def __init__(self, limit: int, *, key_of: KeyOf = str, now_s: Callable[[], float] = time.monotonic) -> None:
        self.node_count = 1
        self.elsewhere: Callable[[str], int] = lambda _: 0
        self._limit = limit
        self._key_of = key_of
        self._now_s = now_s
        self._open: dict[str, _OpenCount] = {}

    def add(self, address: str) -> bool:
        """Count one more and return True, or return False if the address has too many.

        >>> counter = AddressCounter(1)
        >>> counter.add("192.0.2.1"), counter.add("192.0.2.1"), counter.add("192.0.2.2")
        (True, False, True)
        """
        now_s = self._now_s()
        counts = self._counts(address, now_s)
        if not self._allow(counts, now_s):
            return False
        for key, _, opened in counts:
            opened.recent.add(1)
            opened.count += 1
            self._open[key] = opened
        return True

    def allows(self, address: str) -> bool:
        """Return what `add` would, without counting."""
        now_s = self._now_s()
        return self._allow(self._counts(address, now_s), now_s)

    def _counts(self, address: str, now_s: float) -> list[tuple[str, int, _OpenCount]]:
        networks = [(self._key_of(network), times) for network, times in networks_of(address)]
        return [(key, times, self._open.get(key) or _OpenCount(now_s)) for key, times in networks]

    def _allow(self, counts: list[tuple[str, int, _OpenCount]], now_s: float) -> bool:
        return not self._limit or all(
            is_within_share(
                times * self._limit - opened.count - self.elsewhere(key),
                opened.recent.total(now_s),
                1,
                self.node_count,
            )
            for key, times, opened in counts
        )

    def remove(self, address: str) -> None:
        """Count one less of an address."""
        for network, _ in networks_of(address):
            key = self._key_of(network)
            opened = self._open[key]
            opened.count -= 1
            if opened.count <= 0:
                del self._open[key]

    def counts_to_tell(self, max_count: int) -> list[tuple[str, int]]:
        """Return how much networks have open here, of at most so many of those that have much."""
        counts = [(key, opened.count) for key, opened in self._open.items()]
        return [(key, count) for key, count in counts if count * TOLD_SHARE >= self._limit > 0][:max_count]
