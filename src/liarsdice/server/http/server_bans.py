"""The operator's bans: by what they recognise a person, and the list that a running server enforces.

The database has no addresses of banned people, only hashes with the key of the addresses, and the hashes of tokens.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from liarsdice.core.errors import MalformedError
from liarsdice.server.errors import ServerBannedError
from liarsdice.server.http.address_limits import widest_network
from liarsdice.server.http.auth import hash_address
from liarsdice.server.storage.store import ServerBan

TOKEN_SCOPE = "token"  # noqa: S105  no secret, but what it is called
MIN_PREFIX_BITS = {4: 8, 6: 16}
"""Wider networks would ban whole countries."""

ADDRESS_BITS = {4: 32, 6: 64}
"""An address of IPv6 stands for its /64: its owner has all addresses in it."""

LOOPBACK = ("127.0.0.1", "::1")
MAX_REMEMBERED = 50_000
BANNED = "the operator of this server has excluded you"

Visitor = tuple[str, str, Callable[[], None]]
"""The address and the token hash of a connection, and what ends it."""


def network_hash(key: bytes, text: str) -> tuple[str, str]:
    """Return the scope and the hash of an address or a network, by which a ban recognises who connects from it.

    Raises `MalformedError` for another text, and for networks that are too large.

    >>> network_hash(b"", "192.0.2.77/24")[0], network_hash(b"", "2001:db8::1")[0]
    ('v4/24', 'v6/64')
    """
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError as error:
        raise MalformedError(f"{text[:60]!r} is no address and no network, such as 192.0.2.0/24") from error
    version = network.version
    bits = min(network.prefixlen, ADDRESS_BITS[version])
    if bits < MIN_PREFIX_BITS[version]:
        raise MalformedError(f"{text} is too large; ban at most a /{MIN_PREFIX_BITS[version]}")
    scope = f"v{version}/{bits}"
    return scope, hash_address(key, scope, _network_in(scope, str(network.network_address)))


def holds_loopback(key: bytes, hashes: Sequence[tuple[str, str]]) -> bool:
    """Return whether one of these scopes and hashes is of an address of this machine.

    >>> holds_loopback(b"", [network_hash(b"", "127.0.0.0/8")]), holds_loopback(b"", [network_hash(b"", "192.0.2.7")])
    (True, False)
    """
    return any(
        digest == hash_address(key, scope, network)
        for scope, digest in hashes
        if scope != TOKEN_SCOPE
        for address in LOOPBACK
        if (network := _network_in(scope, address))
    )


class ServerBans:
    """The bans that a server enforces, and the connections that a new ban may end. Used on the event loop only.

    `hash_in_scope` returns the keyed hash of a network in a scope (`ServerBan`).
    """

    def __init__(self, hash_in_scope: Callable[[str, str], str]) -> None:
        self._hash_in_scope = hash_in_scope
        self._bans: Sequence[ServerBan] = ()
        self._hashes: dict[str, set[str]] = {}
        self._known: dict[str, bool] = {}
        self._visitors: set[Visitor] = set()

    def replace(self, bans: Sequence[ServerBan]) -> None:
        """Enforce these bans and no others from now on; connections of banned people are ended."""
        if bans == self._bans:
            return
        self._bans = bans
        self._hashes.clear()
        self._known.clear()
        for ban in bans:
            self._hashes.setdefault(ban.scope, set()).add(ban.hash)
        for address, token_hash, end in tuple(self._visitors):
            if self._is_banned(address, token_hash):
                end()

    def check(self, address: str, token_hash: str) -> None:
        """Raise `ServerBannedError` if whoever has this address or this token is banned."""
        if self._hashes and self._is_banned(address, token_hash):
            raise ServerBannedError(BANNED)

    @contextmanager
    def watch(self, address: str, token_hash: str, end: Callable[[], None]) -> Iterator[None]:
        """Call `end` if the owner of a connection is banned while it is open. Raises as `check`."""
        self.check(address, token_hash)
        visitor = (address, token_hash, end)
        self._visitors.add(visitor)
        try:
            yield
        finally:
            self._visitors.discard(visitor)

    def _is_banned(self, address: str, token_hash: str) -> bool:
        if token_hash and token_hash in self._hashes.get(TOKEN_SCOPE, ()):
            return True
        if address not in self._known:
            if len(self._known) == MAX_REMEMBERED:
                self._known.clear()
            self._known[address] = any(
                self._hash_in_scope(scope, network) in hashes
                for scope, hashes in self._hashes.items()
                if scope != TOKEN_SCOPE and (network := _network_in(scope, address))
            )
        return self._known[address]


def _network_in(scope: str, address: str) -> str:
    """Return the network of an address in a scope, "" if it has none there."""
    version, _, bits = scope.partition("/")
    if not bits:  # the code of a table
        return widest_network(address)
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    if version != f"v{parsed.version}":
        return ""
    return str(ipaddress.ip_network((str(parsed), int(bits)), strict=False))
