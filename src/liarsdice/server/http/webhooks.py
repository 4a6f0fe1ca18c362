"""Webhooks: signed POST requests that tell a program of its turn and of the end of a match.

The body names the table and says what everybody there knows; no dice are in it. A receiver verifies the header
`X-Liarsdice-Signature`: `sha256=` and the HMAC-SHA256 in hexadecimal of the header `X-Liarsdice-Timestamp` (seconds
since 1970), a full stop and the body, under the secret that the server returned when the webhook was set. The secret
follows from the key of the server, the table, the player and the URL, so the server stores none.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import msgspec

from liarsdice.core.errors import MalformedError
from liarsdice.server.http.networks import is_loopback
from liarsdice.server.http.outgoing import (
    LOOPBACK,
    MAX_STATUS_LINE,
    Connect,
    OutgoingRequests,
    Streams,
    connect_publicly,
)
from liarsdice.server.live.interfaces import WebhookEvent
from liarsdice.server.settings import WebhookMode

MAX_URL_LENGTH = 500
NOT_PLAIN = (
    f"the URL of a webhook has at most {MAX_URL_LENGTH} printable ASCII characters, and neither a user, nor spaces, nor"
    " a fragment"
)
RETRY_DELAYS_S = (2.0, 10.0)
"""How long after a failure an event is sent again."""

GONE = (404, 410)
TRY_AGAIN = (408, 425, 429)
HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
LOOPBACK_HOSTS = (LOOPBACK, "localhost")
PURPOSE = b"webhooks"


class Webhooks:
    """Sends events to the URLs of programs.

    `key` is the server's secret, which several nodes share. `connect_public` opens a connection to a public host, and
    `now_s` returns the seconds since 1970; tests replace both.
    """

    def __init__(
        self,
        key: bytes,
        mode: WebhookMode,
        connect_public: Connect | None = None,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        self._key = hmac.digest(key, PURPOSE, "sha256")
        self._mode, self._now_s = mode, now_s
        self._public = OutgoingRequests("webhook", connect_public or connect_publicly)
        self._loopback = OutgoingRequests("webhook", _connect_to_loopback)

    def check(self, url: str, address: str) -> None:
        """Raise `MalformedError` unless webhooks may go to this URL, which a client at an address names.

        Only clients on this machine may name ports of it: others could reach services here that trust the machine.
        """
        # `urlsplit` brings a host that is not ASCII into its compatibility form, which takes long for a long one.
        if len(url) > MAX_URL_LENGTH or not url.isascii() or not url.isprintable() or " " in url:
            raise MalformedError(NOT_PLAIN)
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            raise MalformedError("a webhook goes to a URL") from None
        if parts.username is not None or parts.fragment:
            raise MalformedError(NOT_PLAIN)
        allows_loopback = self._mode is WebhookMode.LOOPBACK and is_loopback(address)
        if allows_loopback and parts.scheme == "http" and host in LOOPBACK_HOSTS and port:
            return
        if parts.scheme != "https" or port not in {None, 443} or not HOST.fullmatch(host):
            wanted = "https://HOST/PATH, at port 443"
            loopback = ", or http://127.0.0.1:PORT/PATH" if allows_loopback else ""
            raise MalformedError(f"a webhook goes to {wanted}{loopback}")

    def secret(self, code: str, player_id: int, url: str) -> str:
        """Return the secret, in hexadecimal, that signs the events of a player's webhook at the table with a code."""
        return hmac.digest(self._key, f"{code}\n{player_id}\n{url}".encode(), "sha256").hex()

    async def send(self, code: str, player_id: int, url: str, event: WebhookEvent, still: Callable[[], bool]) -> bool:
        """Send an event, again after a failure while `still` returns True. Returns False if the URL is gone for good.

        A receiver that redirects or refuses is not asked again.
        """
        body = msgspec.json.encode(event)
        secret = self.secret(code, player_id, url)
        for delay_s in (*RETRY_DELAYS_S, None):
            status = await self._post(url, secret, event.event, body)
            if status in GONE:
                return False
            if delay_s is None or not (status is None or status >= 500 or status in TRY_AGAIN):
                break
            await asyncio.sleep(delay_s)
            if not still():
                break
        return True

    async def _post(self, url: str, secret: str, event: str, body: bytes) -> int | None:
        """Send one signed request; return its status as `OutgoingRequests.post`."""
        parts, timestamp = urlsplit(url), str(int(self._now_s()))
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "liarsdice",
            "X-Liarsdice-Event": event,
            "X-Liarsdice-Timestamp": timestamp,
            "X-Liarsdice-Signature": signature(secret, timestamp, body),
        }
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if parts.scheme == "http":
            return await self._loopback.post(f"{LOOPBACK}:{parts.port}", target, headers, body)
        return await self._public.post(parts.hostname or "", target, headers, body)


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Return the header `X-Liarsdice-Signature` of a request.

    >>> signature("secret", "1750000000", b"{}")[:15]
    'sha256=3fdabae9'
    """
    return "sha256=" + hmac.digest(secret.encode(), timestamp.encode() + b"." + body, "sha256").hex()


async def _connect_to_loopback(host: str) -> Streams:
    """Connect to a port of this machine. `host`: the address of loopback with the port."""
    return await asyncio.open_connection(LOOPBACK, int(host.rpartition(":")[2]), limit=MAX_STATUS_LINE)
