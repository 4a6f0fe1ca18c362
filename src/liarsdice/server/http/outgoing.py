"""Requests to hosts that strangers named, as for web push and webhooks: bounded in number, time and what is read.

A request goes to a public address, or to loopback where the caller says so, follows no redirect, reads the first bytes
of the response and ends at a deadline.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import ipaddress
import json
import re
import socket
import ssl
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from urllib.parse import urlsplit

import msgspec
import structlog
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from litestar import get, post
from litestar.params import FromPath, JSONBody

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http.address_limits import client_address, is_loopback
from liarsdice.server.http.app_state import AppRequest, AppState, find_table
from liarsdice.server.http.auth import client_token, hash_token
from liarsdice.server.http.costly_work import RULES_COST
from liarsdice.server.http.error_responses import ERRORS
from liarsdice.server.settings import WebhookMode
from liarsdice.server.table.command_handler import endpoint_host
from liarsdice.server.table.log_entries import LogEntry, WebhookChanged
from liarsdice.server.table.table_state import Player, TableState
from liarsdice.wire import WebhookEvent

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


P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
TOKEN_AGE_S = 12 * 3600
GONE = (404, 410)


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
        self._requests = OutgoingRequests("push", connect or connect_publicly)

    @property
    def public_key(self) -> str:
        """The public key in URL-safe base64, as browsers want it when they subscribe."""
        point = self._key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        return _base64url(point)

    async def send(self, endpoint: str, ttl_s: int) -> bool:
        """Send a message without a body to an endpoint. Returns False if the endpoint is gone for good.

        A message that cannot be sent in time is dropped. The push service keeps it for `ttl_s` seconds.
        """
        try:
            host, parts = endpoint_host(endpoint), urlsplit(endpoint)
        except MalformedError as error:
            LOG.warning("push_failed", error=type(error).__name__)
            return True
        headers = {
            "TTL": str(ttl_s),
            "Urgency": "normal",
            "Topic": "turn",
            "Authorization": f"vapid t={self._token(host)}, k={self.public_key}",
        }
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return await self._requests.post(host, target, headers) not in GONE

    def _token(self, host: str) -> str:
        """Return the signed token that tells a push service who sends (a JWT with ES256)."""
        claims = {"aud": f"https://{host}", "exp": int(time.time()) + TOKEN_AGE_S, "sub": self._contact}
        parts = [json.dumps(part, separators=(",", ":")).encode() for part in ({"typ": "JWT", "alg": "ES256"}, claims)]
        text = ".".join(map(_base64url, parts))
        r, s = decode_dss_signature(self._key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{_base64url(r.to_bytes(32) + s.to_bytes(32))}"


@get("/api/push-key", responses=ERRORS, sync_to_thread=False)
def push_key(state: AppState) -> PushKeyResponse:
    """Return the key with which a browser subscribes to push messages of this server."""
    web_push = state.registry.services.web_push
    return PushKeyResponse(web_push.public_key if isinstance(web_push, WebPush) else "")


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


MAX_URL_LENGTH = 500
NOT_PLAIN = (
    f"the URL of a webhook has at most {MAX_URL_LENGTH} printable ASCII characters, and neither a user, nor spaces, nor"
    " a fragment"
)
RETRY_DELAYS_S = (2.0, 10.0)
"""How long after a failure an event is sent again."""

TRY_AGAIN = (408, 425, 429)
HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
LOOPBACK_HOSTS = (LOOPBACK, "localhost")
PURPOSE = b"webhooks"
DISCORD = ("discord.com", "discordapp.com")


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

    async def say(self, url: str, text: str) -> None:
        """Say a text in a chat room, at the URL that its service gave, in the form that the service takes.

        Discord reads `content`; Slack, Mattermost, and the bridges of Matrix read `text`.
        """
        is_discord = (urlsplit(url).hostname or "").endswith(DISCORD)
        message = {"content": text, "allowed_mentions": {"parse": []}} if is_discord else {"text": text}
        _ = await self._send(url, {}, msgspec.json.encode(message))

    async def _post(self, url: str, secret: str, event: str, body: bytes) -> int | None:
        """Send one signed request; return its status as `OutgoingRequests.post`."""
        timestamp = str(int(self._now_s()))
        headers = {
            "X-Liarsdice-Event": event,
            "X-Liarsdice-Timestamp": timestamp,
            "X-Liarsdice-Signature": signature(secret, timestamp, body),
        }
        return await self._send(url, headers, body)

    async def _send(self, url: str, headers: Mapping[str, str], body: bytes) -> int | None:
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        headers = {"Content-Type": "application/json", "User-Agent": "liarsdice", **headers}
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


NO_WEBHOOKS = (
    "this server sends no webhooks; wait for your turn with GET /api/tables/{code}/view?after=SEQ&wait=SECONDS"
)


class WebhookForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request to be told of one's turns and of the end of matches at a URL, "" for nowhere."""

    url: str


class WebhookResponse(msgspec.Struct, frozen=True):
    """The webhook of one's seat. `secret`: what signs its requests, "" without a webhook."""

    url: str
    secret: str


@post("/api/tables/{code:str}/webhook", responses=ERRORS, status_code=200)
async def set_webhook(
    request: AppRequest, state: AppState, code: FromPath[str], data: JSONBody[WebhookForm]
) -> WebhookResponse:
    """Have the turns of one's own seat, and the ends of its matches, sent to a URL, or no more."""
    token_hash = hash_token(client_token(request))
    live_table = await find_table(state, request, code)
    player = _holder(await live_table.state(), token_hash)
    state.rate_limits.check_work(state.program_tokens.payer(request), RULES_COST)
    webhooks = state.registry.services.webhooks
    if webhooks is None:
        raise UnavailableError(NO_WEBHOOKS)
    if data.url:
        webhooks.check(data.url, client_address(request))
    if data.url != player.webhook:
        live_table.seat_limits.count_entries(player.id, None)

    def decide(table: TableState) -> list[LogEntry]:
        holder = _holder(table, token_hash)
        return [] if holder.webhook == data.url else [WebhookChanged(holder.id, data.url)]

    await live_table.append(decide)
    secret = webhooks.secret(live_table.code, player.id, data.url) if data.url else ""
    return WebhookResponse(data.url, secret)


def _holder(table: TableState, token_hash: str) -> Player:
    """Return the player whose seat a token holds. Raises `ForbiddenError` if there is none."""
    player = table.player_by_token(token_hash)
    if player is None or player.gone:
        raise ForbiddenError("only a player at this table has a seat with turns to be told of")
    return player
