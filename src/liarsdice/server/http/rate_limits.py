"""How often one address may do what costs the server something, or what somebody else is kept from."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from litestar.connection import ASGIConnection

from liarsdice.server.errors import TooFastError
from liarsdice.server.live.connection import Allowance

MINUTE_S = 60.0
MOST_KNOWN = 10_000
MISSES_PER_MINUTE = 60
PREFIX_BITS = 64
"""Whoever has one IPv6 address has all that share its first half."""


class Limit:
    """So many times a minute for each address, all of them at once if need be; 0: any number.

    Only the latest addresses are remembered, so that nobody can fill the memory.
    """

    def __init__(
        self, per_minute: int, *, most_known: int = MOST_KNOWN, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_minute = per_minute
        self._most_known = most_known
        self._now_s = now_s
        self._known: OrderedDict[str, Allowance] = OrderedDict()

    def left(self, address: str) -> bool:
        """Whether it may be done once more, without doing it."""
        known = self._known.get(place_of(address))
        return known is None or known.left(self._now_s()) >= 1

    def spend(self, address: str) -> bool:
        """Whether it may be done once more, which it then is."""
        if not self._per_minute:
            return True
        whose, now_s = place_of(address), self._now_s()
        allowance = self._known.pop(whose, None) or Allowance(self._per_minute, self._per_minute / MINUTE_S, now_s)
        self._known[whose] = allowance
        if len(self._known) > self._most_known:
            self._known.popitem(last=False)
        return allowance.spend(now_s)


class Limits:
    """The limits of a server: tables opened, lines to tables, and codes that no table has."""

    def __init__(
        self, *, tables_per_minute: int = 0, connections_per_minute: int = 0, misses_per_minute: int = 0
    ) -> None:
        self._tables = Limit(tables_per_minute)
        self._connections = Limit(connections_per_minute)
        self._misses = Limit(misses_per_minute)

    def open_table(self, address: str) -> None:
        """Raise `TooFastError` where an address opens more tables than anybody needs."""
        if not self._tables.spend(address):
            raise TooFastError("many tables were opened from your address just now; wait a minute")

    def connect(self, address: str) -> None:
        """Raise `TooFastError` where an address connects more often than pages do."""
        if not self._connections.spend(address):
            raise TooFastError("your address connects very often; wait a minute")

    def look_up(self, address: str) -> None:
        """Raise `TooFastError` where an address has tried many codes that no table has."""
        if not self._misses.left(address):
            raise TooFastError("your address tried many codes that no table has; wait a minute")

    def missed(self, address: str) -> None:
        """Note that an address tried a code that no table has."""
        self._misses.spend(address)


def place_of(address: str) -> str:
    """What of an address stays the same for one visitor.

    >>> place_of("192.0.2.7"), place_of("2001:db8:0:1:2:3:4:5"), place_of("somewhere")
    ('192.0.2.7', '2001:db8:0:1::', 'somewhere')
    """
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv4Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ipaddress.IPv6Network((known, PREFIX_BITS), strict=False).network_address)


def address_of(asked: ASGIConnection[Any, Any, Any, Any]) -> str:
    """Where a request or a line comes from, as far as a trusted proxy tells; "" where nobody knows."""
    return asked.client.host if asked.client else ""
