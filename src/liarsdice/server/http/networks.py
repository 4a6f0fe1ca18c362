"""Which network an address belongs to: limits count visitors by network, because IPv6 gives one visitor many addresses.

A provider gives one customer a /64, a /56 or a /48 of IPv6. The server cannot tell which, so a budget holds for each
/64, and a wider one for the /56 and the /48 around it.
"""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import Any

from litestar.connection import ASGIConnection

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
