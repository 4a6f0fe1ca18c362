"""Requests of the server to hosts that strangers named: bounded in number, in time and in what is read.

A request goes to a public address, or to loopback where the caller says so, follows no redirect, reads the first bytes
of the response and ends at a deadline.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping

import structlog

LOG = structlog.get_logger()
HTTPS_PORT = 443
LOOPBACK = "127.0.0.1"
DEADLINE_S = 10.0
MAX_AT_ONCE = 8
MAX_WAITING = 500
MAX_PER_HOST = 100
"""How many requests may wait for, or talk to, one host, so that a slow one takes no more than its share."""

MAX_STATUS_LINE = 1024

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[str], Awaitable[Streams]]


class OutgoingRequests:
    """Sends POST requests, `MAX_AT_ONCE` at the same time; requests beyond `MAX_WAITING` are dropped.

    `name` begins the name of the log line about a failure. `connect` opens a connection to a host.
    """

    def __init__(self, name: str, connect: Connect) -> None:
        self._failure, self._connect = f"{name}_failed", connect
        self._slots = asyncio.Semaphore(MAX_AT_ONCE)
        self._waiting: Counter[str] = Counter()

    async def post(self, host: str, target: str, headers: Mapping[str, str], body: bytes = b"") -> int | None:
        """Send a request; return the status of the response, 0 for one that is no HTTP, None if there was no answer.

        `target`: the path with its query, in printable ASCII without spaces, as are the headers. The log names the
        class of a failure, and neither the host nor the target.
        """
        if self._waiting.total() >= MAX_WAITING or self._waiting[host] >= MAX_PER_HOST:
            return None
        self._waiting[host] += 1
        try:
            async with self._slots, asyncio.timeout(DEADLINE_S):
                return await self._exchange(host, target, headers, body)
        except (OSError, ValueError, TimeoutError) as error:
            LOG.warning(self._failure, error=type(error).__name__)
            return None
        finally:
            self._waiting[host] -= 1
            self._waiting += Counter()  # forgets hosts without requests

    async def _exchange(self, host: str, target: str, headers: Mapping[str, str], body: bytes) -> int:
        sent = {"Host": host, **headers, "Content-Length": str(len(body)), "Connection": "close"}
        head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        reader, writer = await self._connect(host)
        try:
            writer.write(f"POST {target} HTTP/1.1\r\n{head}\r\n".encode() + body)
            await writer.drain()
            line = await reader.read(MAX_STATUS_LINE)
        finally:
            writer.transport.abort()
        return int(line.split(b" ", 2)[1]) if line.startswith(b"HTTP/1.") and line.count(b" ") else 0


async def connect_publicly(host: str) -> Streams:
    """Connect to a host by TLS, at an address that is public. Raises `OSError` if it has none, or none answers.

    The connection goes to the address that was checked, so that a second answer of the name server changes nothing.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, HTTPS_PORT, type=socket.SOCK_STREAM)
    addresses = [str(address[4][0]) for address in found]
    if not addresses or not all(map(is_public, addresses)):
        raise OSError("only hosts with public addresses alone are reached")
    return await asyncio.open_connection(
        addresses[0], HTTPS_PORT, ssl=ssl.create_default_context(), server_hostname=host, limit=MAX_STATUS_LINE
    )


def is_public(address: str) -> bool:
    """Return whether an IP address belongs to the public internet, also one of IPv4 in the form of IPv6.

    >>> is_public("8.8.8.8"), is_public("10.0.0.1"), is_public("::1"), is_public("::ffff:127.0.0.1")
    (True, False, False, False)
    """
    known = ipaddress.ip_address(address)
    mapped = known.ipv4_mapped if isinstance(known, ipaddress.IPv6Address) else None
    return (mapped or known).is_global and not known.is_multicast
