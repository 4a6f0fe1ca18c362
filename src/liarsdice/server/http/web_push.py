"""Web push (RFC 8030) with VAPID (RFC 8292): tells a push service to wake a browser.

A message has no body: what it is about stays between the server and the page. The endpoint is a URL that a stranger
gave, so requests go to the push services of browsers only, never to a private address, follow no redirect, read a few
bytes of the response and end at a deadline.
"""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import json
import socket
import ssl
import time
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import msgspec
import structlog
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from litestar import get
from litestar.datastructures import State

from liarsdice.core.errors import MalformedError
from liarsdice.server.http.error_responses import ERRORS
from liarsdice.server.table.push_endpoints import endpoint_host

LOG = structlog.get_logger()
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
HTTPS_PORT = 443
DEADLINE_S = 10.0
MAX_AT_ONCE = 8
MAX_WAITING = 500
"""Messages beyond this many are dropped: the page shows the turn anyway."""

TTL_S = 24 * 3600
TOKEN_AGE_S = 12 * 3600
MAX_STATUS_LINE = 1024
GONE = (404, 410)

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[str], Awaitable[Streams]]


class PushKeyResponse(msgspec.Struct, frozen=True):
    """The public VAPID key of the server in URL-safe base64, "" for a server that pushes nothing."""

    key: str


class WebPush:
    """Sends push messages, signed with the key that follows from a 32-byte `secret`.

    `contact`: a URL at which push services find who runs the server. `connect`: opens a connection to a host.
    """

    def __init__(self, secret: bytes, contact: str, connect: Connect | None = None) -> None:
        self._key = ec.derive_private_key(1 + int.from_bytes(secret) % (P256_ORDER - 1), ec.SECP256R1())
        self._contact = contact
        self._connect = connect or connect_publicly
        self._slots = asyncio.Semaphore(MAX_AT_ONCE)
        self._waiting = 0

    @property
    def public_key(self) -> str:
        """The public key in URL-safe base64, as browsers want it when they subscribe."""
        point = self._key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        return _base64url(point)

    async def send(self, endpoint: str) -> bool:
        """Send a message without a body to an endpoint. Returns False if the endpoint is gone for good.

        A message that cannot be sent in time is dropped.
        """
        if self._waiting >= MAX_WAITING:
            return True
        self._waiting += 1
        try:
            async with self._slots, asyncio.timeout(DEADLINE_S):
                status = await self._post(endpoint)
        except (OSError, ValueError, TimeoutError, MalformedError) as error:
            LOG.warning("push_failed", error=type(error).__name__)
            return True
        finally:
            self._waiting -= 1
        return status not in GONE

    async def _post(self, endpoint: str) -> int:
        """Return the status with which a push service answers. Raises `MalformedError`, `OSError` or `ValueError`."""
        host, parts = endpoint_host(endpoint), urlsplit(endpoint)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        request = (
            f"POST {target} HTTP/1.1\r\nHost: {host}\r\nTTL: {TTL_S}\r\nUrgency: normal\r\nTopic: turn\r\n"
            f"Authorization: vapid t={self._token(host)}, k={self.public_key}\r\n"
            "Content-Length: 0\r\nConnection: close\r\n\r\n"
        )
        reader, writer = await self._connect(host)
        try:
            writer.write(request.encode())
            await writer.drain()
            line = await reader.read(MAX_STATUS_LINE)
        finally:
            writer.transport.abort()
        return int(line.split(b" ", 2)[1]) if line.startswith(b"HTTP/1.") and line.count(b" ") else 0

    def _token(self, host: str) -> str:
        """Return the signed token that tells a push service who sends (a JWT with ES256)."""
        claims = {"aud": f"https://{host}", "exp": int(time.time()) + TOKEN_AGE_S, "sub": self._contact}
        parts = [json.dumps(part, separators=(",", ":")).encode() for part in ({"typ": "JWT", "alg": "ES256"}, claims)]
        text = ".".join(map(_base64url, parts))
        r, s = decode_dss_signature(self._key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{_base64url(r.to_bytes(32) + s.to_bytes(32))}"


async def connect_publicly(host: str) -> Streams:
    """Connect to a host by TLS, at an address that is public. Raises `OSError` if it has none, or none answers.

    The connection goes to the address that was checked, so that a second answer of the name server changes nothing.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, HTTPS_PORT, type=socket.SOCK_STREAM)
    addresses = [str(address[4][0]) for address in found]
    if not addresses or not all(map(is_public, addresses)):
        raise OSError("a push service has public addresses only")
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


@get("/api/push-key", responses=ERRORS, sync_to_thread=False)
def push_key(state: State) -> PushKeyResponse:
    """Return the key with which a browser subscribes to push messages of this server."""
    web_push: WebPush | None = state.registry.services.web_push
    return PushKeyResponse("" if web_push is None else web_push.public_key)


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
