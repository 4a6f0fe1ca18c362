"""Requests of the server to hosts that strangers named: bounded in number, in time and in what is read.

A request goes to a public address, or to loopback where the caller says so, follows no redirect, reads the first bytes
of the response and ends at a deadline.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
import ssl
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import structlog

LOG = structlog.get_logger()
HTTPS_PORT = 443
LOOPBACK = "127.0.0.1"
DEADLINE_S = 10.0
MAX_AT_ONCE = 8
MAX_WAITING = 500
MAX_PER_HOST = 100
"""How many requests may wait for, or talk to, one host, so that a slow one takes no more than its share."""

MAX_AT_ONCE_PER_HOST = 4
GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
"""What is in use of the public internet by IPv6."""

NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
"""The addresses under which a network with IPv6 only reaches those of IPv4, which their last four bytes name."""

MAX_STATUS_LINE = 1024
"""The limit of a reader that `connect` returns."""
STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([0-9]{3})(?: .*)?\r?\n")

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[str], Awaitable[Streams]]


class OutgoingRequests:
    """Sends POST requests, `MAX_AT_ONCE` at the same time; requests beyond `MAX_WAITING` are dropped.

    A host that is slow has `MAX_AT_ONCE_PER_HOST` of them at most, and the others go on.
    `name` begins the name of the log line about a failure. `connect` opens a connection to a host.
    """

    def __init__(self, name: str, connect: Connect) -> None:
        self._failure, self._connect = f"{name}_failed", connect
        self._slots = asyncio.Semaphore(MAX_AT_ONCE)
        self._waiting: Counter[str] = Counter()
        self._host_slots: dict[str, asyncio.Semaphore] = {}

    async def post(self, host: str, target: str, headers: Mapping[str, str], body: bytes = b"") -> int | None:
        """Send a request; return the status of the response, 0 for one that is no HTTP, None if there was no answer.

        `target`: the path with its query, in printable ASCII without spaces, as are the headers. The log names the
        class of a failure, and neither the host nor the target.
        """
        if self._waiting.total() >= MAX_WAITING or self._waiting[host] >= MAX_PER_HOST:
            return None
        self._waiting[host] += 1
        host_slots = self._host_slots.setdefault(host, asyncio.Semaphore(MAX_AT_ONCE_PER_HOST))
        try:
            async with host_slots, self._slots, asyncio.timeout(DEADLINE_S):
                return await self._exchange(host, target, headers, body)
        except (OSError, ValueError, TimeoutError) as error:
            LOG.warning(self._failure, error=type(error).__name__)
            return None
        finally:
            self._waiting[host] -= 1
            if not self._waiting[host]:
                del self._waiting[host], self._host_slots[host]

    async def _exchange(self, host: str, target: str, headers: Mapping[str, str], body: bytes) -> int:
        sent = {"Host": host, **headers, "Content-Length": str(len(body)), "Connection": "close"}
        head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        reader, writer = await self._connect(host)
        try:
            writer.write(f"POST {target} HTTP/1.1\r\n{head}\r\n".encode() + body)
            await writer.drain()
            return await _read_status(reader)
        finally:
            writer.transport.abort()


async def _read_status(reader: asyncio.StreamReader) -> int:
    """Return the status of a response, 0 for one that is no HTTP. Raises `OSError` if it ends before its first line."""
    try:
        line = await reader.readuntil(b"\n")
    except asyncio.LimitOverrunError:
        return 0
    except asyncio.IncompleteReadError as error:
        raise ConnectionError("the response ended before its first line") from error
    status_line = STATUS_LINE.fullmatch(line)
    return int(status_line[1]) if status_line is not None else 0


async def connect_publicly(host: str) -> Streams:
    """Connect to a host by TLS, at an address that is public. Raises `OSError` if it has none, or none answers.

    The connection goes to the address that was checked, so that a second answer of the name server changes nothing.
    """
    lookups = asyncio.get_running_loop().run_in_executor
    addresses = await lookups(_lookup_threads(), _addresses, host)
    if not addresses or not all(map(is_public, addresses)):
        raise OSError("only hosts with public addresses alone are reached")
    context = await lookups(_lookup_threads(), tls_context)
    return await asyncio.open_connection(
        addresses[0], HTTPS_PORT, ssl=context, server_hostname=host, limit=MAX_STATUS_LINE
    )


@cache
def _lookup_threads() -> ThreadPoolExecutor:
    """Return threads for names alone: a slow name server keeps them busy for longer than the deadline of a request."""
    return ThreadPoolExecutor(MAX_AT_ONCE, "lookup")


def _addresses(host: str) -> list[str]:
    return [str(found[4][0]) for found in socket.getaddrinfo(host, HTTPS_PORT, type=socket.SOCK_STREAM)]


@cache
def tls_context() -> ssl.SSLContext:
    """Return the certificates that are trusted, which take a tenth of a second to read."""
    return ssl.create_default_context()


def is_public(address: str) -> bool:
    """Return whether an IP address belongs to the public internet.

    An address of IPv6 that stands for one of IPv4 (mapped, NAT64, 6to4) is as public as that one.

    >>> is_public("8.8.8.8"), is_public("10.0.0.1"), is_public("::1"), is_public("::ffff:127.0.0.1")
    (True, False, False, False)
    >>> is_public("64:ff9b::808:808"), is_public("64:ff9b::7f00:1"), is_public("2002:7f00:1::")
    (True, False, False)
    """
    known = ipaddress.ip_address(address)
    if isinstance(known, ipaddress.IPv6Address):
        in_nat64 = ipaddress.IPv4Address(known.packed[-4:]) if known in NAT64 else None
        inner = known.ipv4_mapped or known.sixtofour or in_nat64
        if inner is None:
            return known.is_global and known in GLOBAL_UNICAST
        known = inner
    return known.is_global and not known.is_multicast
