"""Limits how often a client may do what costs the server much or helps to guess table codes."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from typing import Any

import msgspec
from litestar.connection import ASGIConnection

from liarsdice.server.bus.event_bus import MAX_VALUE_LENGTH, EventBus
from liarsdice.server.errors import RateLimitError
from liarsdice.server.token_bucket import TokenBucket

PREFIXES = ((64, 1), (56, 2), (48, 4))
"""The bits of the networks of an IPv6 address, and how many times the budget of one address each network has."""
MAX_REMEMBERED = 1_000
"""Of how many addresses the networks are remembered: a connection asks for those of its address many times."""


@lru_cache(MAX_REMEMBERED)
def networks_of(address: str) -> tuple[tuple[str, int], ...]:
    """Return the networks of an address, the smallest first, with how many times the budget of one address each has.

    >>> networks_of("192.0.2.7"), networks_of("somewhere")
    ((('192.0.2.7', 1),), (('somewhere', 1),))
    >>> networks_of("2001:db8:0:1234:5::6")
    (('2001:db8:0:1234::/64', 1), ('2001:db8:0:1200::/56', 2), ('2001:db8::/48', 4))
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return ((address, 1),)
    if isinstance(parsed, ipaddress.IPv4Address):
        return ((str(parsed), 1),)
    if parsed.ipv4_mapped is not None:
        return ((str(parsed.ipv4_mapped), 1),)
    return tuple((str(ipaddress.IPv6Network((parsed, bits), strict=False)), times) for bits, times in PREFIXES)


def smallest_network(address: str) -> str:
    """Return the network that is surely one visitor's: an IPv4 address, or a /64 of IPv6.

    >>> smallest_network("192.0.2.7"), smallest_network("2001:db8:0:1:2:3:4:5")
    ('192.0.2.7', '2001:db8:0:1::/64')
    """
    return networks_of(address)[0][0]


def widest_network(address: str) -> str:
    """Return the largest network that may be one visitor's: an IPv4 address, or a /48 of IPv6.

    >>> widest_network("192.0.2.7"), widest_network("2001:db8:0:1:2:3:4:5")
    ('192.0.2.7', '2001:db8::/48')
    """
    return networks_of(address)[-1][0]


def is_loopback(address: str) -> bool:
    """Return whether an address is one of this machine; False for a text that is none.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("::ffff:127.0.0.1"), is_loopback("192.0.2.7")
    (True, True, True, False)
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return (mapped or parsed).is_loopback


def client_address(connection: ASGIConnection[Any, Any, Any, Any]) -> str:
    """Return the address of a client, as told by a trusted proxy if there is one; "" if unknown."""
    return connection.client.host if connection.client else ""


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
        buckets = self._buckets_of(address, now_s)
        if not all(bucket.allows(now_s, cost, self.node_count) for bucket in buckets.values()):
            return False
        self._spend(buckets, cost)
        return True

    def charge(self, address: str, cost: float) -> None:
        """Count what an address has cost already, whether or not that is allowed now."""
        if self._per_minute:
            now_s = self._now_s()
            buckets = self._buckets_of(address, now_s)
            for bucket in buckets.values():
                bucket.available(now_s)
            self._spend(buckets, cost)

    def _spend(self, buckets: dict[str, _SharedBucket], cost: float) -> None:
        for key, bucket in buckets.items():
            bucket.spend(cost)
            if self.node_count > 1 and bucket.has_much_to_tell:
                self._to_tell[key] = None

    def _buckets_of(self, address: str, now_s: float) -> dict[str, _SharedBucket]:
        keys = [(self._key_of(network), times) for network, times in networks_of(address)]
        return {key: self._bucket(key, times, now_s) for key, times in keys}

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

    @contextmanager
    def hold(self, address: str, refusal: str) -> Iterator[None]:
        """Count one more of an address while the block runs. Raises `RateLimitError` if it has too many."""
        if not self.add(address):
            raise RateLimitError(refusal)
        try:
            yield
        finally:
            self.remove(address)

    def counts_to_tell(self, max_count: int) -> list[tuple[str, int]]:
        """Return how much networks have open here, of at most so many of those that have much."""
        counts = [(key, opened.count) for key, opened in self._open.items()]
        return [(key, count) for key, count in counts if count * TOLD_SHARE >= self._limit > 0][:max_count]


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
    `tickets_per_minute` is for each seat. What a seat sends to its table has limits of its own (`live/live_table.py`).

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
        per_minute = {
            "tables": tables_per_minute,
            "connections": connections_per_minute,
            "misses": misses_per_minute,
            "work": work_per_minute,
            "requests": requests_per_minute,
            "tickets": tickets_per_minute,
        }
        limits = {name: RateLimit(count, key_of=self._key_of, now_s=now_s) for name, count in per_minute.items()}
        self._tables, self._connections, self._misses, self._work, self._requests, self._tickets = limits.values()
        self.by_name = limits
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

    def hold_connection(self, address: str) -> AbstractContextManager[None]:
        """Count a connection of an address while it is open. Raises `RateLimitError` if the address has too many."""
        return self.open_connections.hold(address, "your address has many connections open; close some of them")

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


CHANNEL = "limits"
TICK_S = 1.0
TIMES_SENT = 3
MESSAGE_KEYS = 256
"""Messages have numbers, of which so many are names on the bus: while it is stuck, later ones replace earlier ones."""

ITEMS_PER_MESSAGE, MAX_ITEMS = 8, 400
"""How many items of each kind fit into a message, and how many of each kind a node tells the others in a second."""

MAX_NODES, MAX_NUMBERS, MAX_COUNTS = 64, 4096, 30_000
"""How many nodes, numbers of messages and counts of open connections are remembered."""


class _Message(msgspec.Struct, frozen=True, array_like=True):
    """What networks did on a node, each by its key.

    `spent`: what they spent of each limit, and how many times the budget of one address they have. `opened`: how many
    connections they have open. `found`: the codes of the tables that they found.
    """

    number: int
    spent: tuple[tuple[str, str, int, float], ...] = ()
    opened: tuple[tuple[str, int], ...] = ()
    found: tuple[tuple[str, str], ...] = ()


class SharedLimits:
    """Makes the limits of this node and the others one. Use it on the event loop only.

    `node_count` returns how many nodes are alive. `now_s` returns seconds of any clock that never goes back.
    """

    def __init__(
        self,
        bus: EventBus,
        rate_limits: RateLimits,
        node_count: Callable[[], int],
        *,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._bus = bus
        self._rate_limits = rate_limits
        self._node_count = node_count
        self._now_s = now_s
        self._number = 0
        self._sent: deque[list[_Message]] = deque(maxlen=TIMES_SENT - 1)
        self._read: OrderedDict[tuple[str, int], None] = OrderedDict()
        self._opened: OrderedDict[str, dict[str, tuple[int, float]]] = OrderedDict()
        self._timer: asyncio.TimerHandle | None = None
        rate_limits.open_connections.elsewhere = self._opened_elsewhere
        bus.subscribe(CHANNEL, self._receive)

    def start(self) -> None:
        """Tell the others every second from now on, until `close`."""
        self.tick()
        self._timer = asyncio.get_running_loop().call_later(TICK_S, self.start)

    def close(self) -> None:
        """Tell the others nothing more."""
        if self._timer is not None:
            self._timer.cancel()

    def tick(self) -> None:
        """Tell the others what happened since the last time, and again what they were told the last times."""
        self._rate_limits.set_node_count(self._node_count())
        messages = self._new_messages()
        for message in (*messages, *(message for earlier in self._sent for message in earlier)):
            text = msgspec.json.encode(message).decode()
            assert len(text) <= MAX_VALUE_LENGTH
            self._bus.publish(CHANNEL, str(message.number % MESSAGE_KEYS), text)
        self._sent.append(messages)

    def _new_messages(self) -> list[_Message]:
        limits = self._rate_limits
        spent = [
            (name, *spending)
            for name, limit in limits.by_name.items()
            for spending in limit.take_spending(MAX_ITEMS // len(limits.by_name))
        ]
        opened = limits.open_connections.counts_to_tell(MAX_ITEMS)
        found = limits.take_hits(MAX_ITEMS)
        messages = []
        for first in range(0, max(len(spent), len(opened), len(found)), ITEMS_PER_MESSAGE):
            items = slice(first, first + ITEMS_PER_MESSAGE)
            self._number += 1
            messages.append(_Message(self._number, tuple(spent[items]), tuple(opened[items]), tuple(found[items])))
        return messages

    def _receive(self, _: str, value: str, node_id: str) -> None:
        """Count what another node tells. A message that cannot be read, such as one of a later release, is lost."""
        try:
            message = msgspec.json.decode(value, type=_Message)
        except msgspec.MsgspecError:
            return
        if (node_id, message.number) in self._read:
            return
        self._read[node_id, message.number] = None
        if len(self._read) > MAX_NUMBERS:
            self._read.popitem(last=False)
        for name, key, times, cost in message.spent:
            if name in self._rate_limits.by_name:
                self._rate_limits.by_name[name].spend_elsewhere(key, times, cost)
        for key, code in message.found:
            self._rate_limits.add_hit(key, code)
        self._take_opened(node_id, message.opened)

    def _take_opened(self, node_id: str, opened: tuple[tuple[str, int], ...]) -> None:
        now_s = self._now_s()
        for key, count in opened:
            counts = self._opened.pop(key, {})
            counts[node_id] = (count, now_s)
            self._opened[key] = counts
            if len(counts) > MAX_NODES:
                del counts[next(iter(counts))]
        while len(self._opened) > MAX_COUNTS:
            self._opened.popitem(last=False)

    def _opened_elsewhere(self, key: str) -> int:
        """Return how many connections a network has on other nodes, which repeat it every second."""
        since_s = self._now_s() - SETTLE_S
        return sum(count for count, told_s in self._opened.get(key, {}).values() if told_s >= since_s)
