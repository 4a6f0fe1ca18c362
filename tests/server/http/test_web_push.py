"""Web push: what is sent to whom, and what a push service or a stranger with an endpoint cannot do to the server."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from liarsdice.core.errors import MalformedError
from liarsdice.server.http import outgoing
from liarsdice.server.http.outgoing import Streams, WebPush, connect_publicly
from liarsdice.server.settings import read_settings
from liarsdice.server.table import command_handler
from liarsdice.server.table.command_handler import MAX_ENDPOINT_LENGTH, endpoint_host
from tests.server.running_server import RunningServer

ENDPOINT = "https://fcm.googleapis.com/fcm/send/abc?x=1"
CONTACT = "https://dice.example"


class FakePushService:
    """A push service on loopback that answers every request with one response, or not at all."""

    def __init__(self, response: bytes) -> None:
        self.response = response
        self.requests: list[bytes] = []
        self.hosts: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []
        self.port = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.tasks.append(task)
        self.requests.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(self.response)
        with suppress(ConnectionError):
            if not self.response:
                await reader.read()
            writer.close()
            await writer.wait_closed()

    async def connect(self, host: str) -> Streams:
        self.hosts.append(host)
        return await asyncio.open_connection("127.0.0.1", self.port)


@asynccontextmanager
async def push_service(response: bytes) -> AsyncIterator[tuple[FakePushService, WebPush]]:
    service = FakePushService(response)
    server = await asyncio.start_server(service.answer, "127.0.0.1", 0)
    service.port = server.sockets[0].getsockname()[1]
    async with server:
        yield service, WebPush(bytes(32), CONTACT, service.connect)
        await asyncio.gather(*service.tasks)


def from_base64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


async def test_a_message_has_a_signed_token_and_no_body() -> None:
    async with push_service(b"HTTP/1.1 201 Created\r\n\r\n") as (service, push):
        assert await push.send(ENDPOINT)
    head, body = service.requests[0].decode().split("\r\n\r\n")
    line, *rows = head.split("\r\n")
    headers = dict(row.split(": ", 1) for row in rows)
    assert (line, body, service.hosts) == ("POST /fcm/send/abc?x=1 HTTP/1.1", "", ["fcm.googleapis.com"])
    assert (headers["Content-Length"], headers["TTL"]) == ("0", "86400")
    token = headers["Authorization"].removeprefix("vapid t=").split(", ")[0]
    assert headers["Authorization"].endswith(f", k={push.public_key}")
    text, signature = token.rsplit(".", 1)
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), from_base64url(push.public_key))
    raw = from_base64url(signature)
    numbers = encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
    key.verify(numbers, text.encode(), ec.ECDSA(hashes.SHA256()))  # raises if the signature is wrong
    claims = json.loads(from_base64url(text.split(".")[1]))
    assert (claims["aud"], claims["sub"]) == ("https://fcm.googleapis.com", CONTACT)


@pytest.mark.parametrize(
    "response, kept",
    [
        (b"HTTP/1.1 410 Gone\r\n\r\n", False),
        (b"HTTP/1.1 404 Not Found\r\n\r\n", False),
        (b"HTTP/1.1 500 Oops\r\n\r\n", True),
        (b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n", True),
        (b"HTTP/1.1 x\r\n\r\n", True),
        (b"x" * 100_000, True),
    ],
)
async def test_an_endpoint_is_dropped_only_when_it_is_gone_and_no_redirect_is_followed(
    response: bytes,
    kept: bool,
) -> None:
    async with push_service(response) as (service, push):
        assert await push.send(ENDPOINT) is kept
        assert len(service.requests) == 1


async def test_a_push_service_that_does_not_answer_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outgoing, "DEADLINE_S", 0.05)
    async with push_service(b"") as (service, push):
        assert await push.send(ENDPOINT)
        monkeypatch.setattr(outgoing, "MAX_WAITING", 0)
        assert await push.send(ENDPOINT)
    assert len(service.requests) <= 1


@pytest.mark.parametrize(
    "addresses", [["10.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::1"], ["::ffff:192.168.0.1"], ["169.254.169.254"], []]
)
async def test_no_request_goes_to_a_private_address(addresses: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def getaddrinfo(*_: object, **__: object) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    with pytest.raises(OSError, match="public addresses alone"):
        await connect_publicly("fcm.googleapis.com")


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://fcm.googleapis.com/x",
        "https://fcm.googleapis.com:8443/x",
        "https://user@fcm.googleapis.com/x",
        "https://fcm.googleapis.com.evil.example/x",
        "https://evil.example/fcm.googleapis.com",
        "https://evilnotify.windows.com/x",
        "https://127.0.0.1/x",
        "https://[::1/x",
        "https://fcm.googleapis.com/x\r\nHost: evil",
        "https://fcm.googleapis.com/x y",
        "https://fcm.googleapis.com/" + "x" * MAX_ENDPOINT_LENGTH,
        "",
    ],
)
def test_an_endpoint_that_belongs_to_no_push_service_is_refused(endpoint: str) -> None:
    with pytest.raises(MalformedError):
        endpoint_host(endpoint)


@pytest.mark.parametrize("host", ["\ufdfa" * 10_000, "\ufdfa", "x" * 10_000], ids=ascii)
def test_a_text_that_can_be_no_endpoint_is_not_taken_apart(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one took a fifth of a second."""
    monkeypatch.setattr(command_handler, "urlsplit", None)
    with pytest.raises(MalformedError, match="push service"):
        endpoint_host(f"https://{host}/")


def test_the_endpoints_of_all_browsers_are_known() -> None:
    for host in ("updates.push.services.mozilla.com", "web.push.apple.com", "wns2-by3p.notify.windows.com"):
        assert endpoint_host(f"https://{host}/x") == host


async def test_a_server_without_a_key_says_so(server: RunningServer) -> None:
    assert (await server.browser().get("/api/push-key")).json() == {"key": ""}
    server.services.web_push = WebPush(bytes(32), CONTACT)
    assert len(from_base64url((await server.browser().get("/api/push-key")).json()["key"])) == 65


def test_web_push_needs_a_public_url() -> None:
    with pytest.raises(MalformedError, match="needs --public-url"):
        read_settings({"push_keys": "keys"}, {})
