"""Requests to hosts of strangers go to public addresses, and slow hosts and name servers hold up nobody else."""

import asyncio
import base64
import hashlib
import hmac
import json
import socket
import ssl
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from liarsdice.client.client import AsyncClient, read_webhook
from liarsdice.core.errors import MalformedError
from liarsdice.server.http import outgoing
from liarsdice.server.http.outgoing import (
    LOOPBACK,
    MAX_AT_ONCE,
    MAX_STATUS_LINE,
    MAX_URL_LENGTH,
    OutgoingRequests,
    Streams,
    Webhooks,
    WebPush,
    connect_publicly,
    is_public,
)
from liarsdice.server.settings import WebhookMode, read_settings
from liarsdice.server.table import command_handler
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.command_handler import MAX_ENDPOINT_LENGTH, endpoint_host
from liarsdice.wire import WebhookEvent
from tests.processes import Server
from tests.server.http.fake_transport import FakeTransport
from tests.server.live_tables import PATIENCE_S
from tests.server.running_server import RunningServer, say_hello

OK = b"HTTP/1.1 204 No Content\r\n\r\n"


@dataclass
class Request:
    """A request as it came: its first line, its headers in lower case, and its body."""

    line: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """`answers`: to the next requests, "" to hang; the last one goes on."""

    answers: list[bytes]
    requests: list[Request] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    port: int = 0
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    answering: list[asyncio.Task[None] | None] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/turns?bot=1"

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.answering.append(asyncio.current_task())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        line, *rows = head.strip().split("\r\n")
        headers = {name.lower(): value for name, value in (row.split(": ", 1) for row in rows)}
        body = await reader.readexactly(int(headers["content-length"]))
        self.requests.append(Request(line, headers, body))
        self.arrived.set()
        response = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        with suppress(ConnectionError):
            if not response:
                await reader.read()
            writer.write(response)
            writer.close()
            await writer.wait_closed()

    async def connect(self, host: str) -> Streams:
        """Connect to this receiver in place of a public host."""
        self.hosts.append(host)
        return await asyncio.open_connection("127.0.0.1", self.port)


@asynccontextmanager
async def webhook_receiver(*answers: bytes) -> AsyncIterator[Receiver]:
    receiver = Receiver(list(answers) or [OK])
    server = await asyncio.start_server(receiver.answer, "127.0.0.1", 0)
    receiver.port = server.sockets[0].getsockname()[1]
    async with server:
        yield receiver
        await asyncio.gather(*filter(None, receiver.answering), return_exceptions=True)


SLOW, QUICK = "slow.example", "quick.example"


@pytest.mark.parametrize(
    "address",
    [
        "0.1.2.3",
        "100.64.0.1",
        "169.254.169.254",
        "255.255.255.255",
        "fe80::1",
        "fec0::1",
        "fd00:ec2::254",
        "ff02::1",
        "::7f00:1",
        "::ffff:0:7f00:1",
        "::ffff:10.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::a00:1",
        "2002:a00:1::1",
        "2001:0:7f00:1::",
    ],
)
def test_addresses_that_lead_into_a_network_of_the_operator_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)


async def test_a_slow_host_leaves_slots_to_others() -> None:
    async with webhook_receiver(b"") as slow, webhook_receiver() as quick:
        requests = OutgoingRequests("test", lambda host: (slow if host == SLOW else quick).connect(host))
        waiting = [asyncio.create_task(requests.post(SLOW, "/", {})) for _ in range(MAX_AT_ONCE)]
        await slow.arrived.wait()
        assert await asyncio.wait_for(requests.post(QUICK, "/", {}), PATIENCE_S) == 204
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert len(slow.hosts) < MAX_AT_ONCE


@pytest.mark.parametrize(
    "pieces, status",
    [
        ((b"HTTP/1.1 20", b"4 No Content\r\n"), 204),
        ((b"H", b"TTP/1.1", b" 500 Oops\r", b"\n\r\n"), 500),
        ((b"HTTP/1.1 410\r\n", b"\r\n"), 410),
        ((b"HTTP/1.1 41", b""), None),
        ((b"",), None),
        ((b"HTTP/1.1 4100 Gone\r\n",), 0),
        ((b"HTTP/1.1 x\r\n",), 0),
        ((b"HTTP/1.1 200 ", b"x" * MAX_STATUS_LINE, b"\r\n"), 0),
        ((b"SSH-2.0\r\n",), 0),
        ((b"HTTP/1.1 20",), None),
    ],
)
async def test_a_status_line_that_comes_in_pieces_is_read_to_its_end(
    pieces: tuple[bytes, ...], status: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty piece is the end of the response; without one, the rest never comes, and the deadline passes."""
    reader = asyncio.StreamReader(limit=MAX_STATUS_LINE)

    async def connect(_: str) -> Streams:
        loop = asyncio.get_running_loop()
        return reader, asyncio.StreamWriter(FakeTransport(), asyncio.StreamReaderProtocol(reader), reader, loop)

    monkeypatch.setattr(outgoing, "DEADLINE_S", PATIENCE_S if pieces[-1].endswith(b"\n") or not pieces[-1] else 0.05)
    posting = asyncio.create_task(OutgoingRequests("test", connect).post(QUICK, "/", {}))
    for piece in pieces:
        for _ in range(5):  # the request reads each piece before the next one comes
            await asyncio.sleep(0)
        reader.feed_data(piece) if piece else reader.feed_eof()
    assert await posting == status


async def test_a_slow_name_server_leaves_the_other_threads_free(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, answered = threading.Semaphore(0), threading.Event()

    def getaddrinfo(*_: object, **__: object) -> list[Any]:
        asked.release()
        answered.wait(PATIENCE_S)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    connecting = [asyncio.create_task(connect_publicly(SLOW)) for _ in range(40)]
    try:
        await asyncio.sleep(0)
        assert await asyncio.wait_for(asyncio.to_thread(asked.acquire, timeout=PATIENCE_S), PATIENCE_S)
    finally:
        answered.set()
    failures = await asyncio.gather(*connecting, return_exceptions=True)
    assert all(isinstance(failure, OSError) for failure in failures)


async def test_certificates_are_read_once_and_not_on_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = []

    def create_default_context() -> ssl.SSLContext:
        threads.append(threading.current_thread())
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    async def open_connection(*_: object, **__: object) -> tuple[str, str]:
        return "reader", "writer"

    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("8.8.8.8", 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    monkeypatch.setattr(ssl, "create_default_context", create_default_context)
    monkeypatch.setattr(asyncio, "open_connection", open_connection)
    outgoing.tls_context.cache_clear()
    try:
        for _ in range(3):
            assert tuple(await connect_publicly(QUICK)) == ("reader", "writer")
    finally:
        outgoing.tls_context.cache_clear()
    [thread] = threads
    assert thread is not threading.main_thread()


ENDPOINT = "https://fcm.googleapis.com/fcm/send/abc?x=1"
CONTACT = "https://dice.example"


def push_to(receiver: Receiver) -> WebPush:
    """What notifies the receiver in place of a push service."""
    return WebPush(bytes(32), CONTACT, receiver.connect)


def from_base64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


async def test_a_message_has_a_signed_token_and_no_body() -> None:
    async with webhook_receiver(b"HTTP/1.1 201 Created\r\n\r\n") as receiver:
        push = push_to(receiver)
        assert await push.send(ENDPOINT, 86_400)
    [request] = receiver.requests
    assert (request.line, request.body) == ("POST /fcm/send/abc?x=1 HTTP/1.1", b"")
    assert receiver.hosts == ["fcm.googleapis.com"]
    assert (request.headers["content-length"], request.headers["ttl"]) == ("0", "86400")
    token = request.headers["authorization"].removeprefix("vapid t=").split(", ")[0]
    assert request.headers["authorization"].endswith(f", k={push.public_key}")
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
    async with webhook_receiver(response) as receiver:
        assert await push_to(receiver).send(ENDPOINT, 86_400) is kept
        assert len(receiver.requests) == 1


async def test_a_push_service_that_does_not_answer_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outgoing, "DEADLINE_S", 0.05)
    async with webhook_receiver(b"") as receiver:
        assert await push_to(receiver).send(ENDPOINT, 86_400)
        monkeypatch.setattr(outgoing, "MAX_WAITING", 0)
        assert await push_to(receiver).send(ENDPOINT, 86_400)
    assert len(receiver.requests) <= 1


@pytest.mark.parametrize(
    "addresses", [["10.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::1"], ["::ffff:192.168.0.1"], ["169.254.169.254"], []]
)
async def test_no_request_goes_to_a_private_address(addresses: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def getaddrinfo(*_: object, **__: object) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in addresses]

    async def open_connection(*_: object, **__: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr(asyncio, "open_connection", open_connection)
    with pytest.raises(OSError, match="public addresses alone"):
        await connect_publicly("fcm.googleapis.com")
    assert await Webhooks(KEY, WebhookMode.PUBLIC).send("KQXM", 2, PUBLIC_URL, EVENT, still=lambda: True)


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


@pytest.mark.parametrize("host", ["\ufdfa" * 10_000, "\ufdfa", "x" * 10_000], ids=["many", "one", "long"])
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


EVENT = WebhookEvent(event="turn", table="KQXM", match=1, turn_id=7, player=2)
PUBLIC_URL = "https://bots.example/turns"
KEY = b"key"


@pytest.fixture(autouse=True)
def _no_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outgoing, "RETRY_DELAYS_S", (0.0, 0.0))


def loopback() -> Webhooks:
    return Webhooks(KEY, WebhookMode.LOOPBACK, now_s=lambda: 1_750_000_000.5)


async def test_a_request_is_signed_with_the_secret_and_its_time() -> None:
    async with webhook_receiver() as receiver:
        sender = loopback()
        assert await sender.send("KQXM", 2, receiver.url, EVENT, still=lambda: True)
    [request] = receiver.requests
    assert request.line == "POST /turns?bot=1 HTTP/1.1"
    assert request.headers["host"] == f"127.0.0.1:{receiver.port}"
    assert json.loads(request.body) == {
        "event": "turn",
        "table": "KQXM",
        "match": 1,
        "turn_id": 7,
        "player": 2,
        "winners": [],
        "stand_ins": [],
    }
    assert request.headers["x-liarsdice-event"] == "turn"
    timestamp = request.headers["x-liarsdice-timestamp"]
    assert timestamp == "1750000000"
    secret = sender.secret("KQXM", 2, receiver.url)
    expected = hmac.new(secret.encode(), f"{timestamp}.".encode() + request.body, hashlib.sha256).hexdigest()
    assert request.headers["x-liarsdice-signature"] == f"sha256={expected}"


def test_each_seat_and_url_has_a_secret_of_its_own() -> None:
    sender = loopback()
    secrets = {
        sender.secret("KQXM", 2, PUBLIC_URL),
        sender.secret("KQXM", 3, PUBLIC_URL),
        sender.secret("KQXN", 2, PUBLIC_URL),
        sender.secret("KQXM", 2, PUBLIC_URL + "x"),
        Webhooks(b"other", WebhookMode.PUBLIC).secret("KQXM", 2, PUBLIC_URL),
    }
    assert len(secrets) == 5
    assert Webhooks(KEY, WebhookMode.PUBLIC).secret("KQXM", 2, PUBLIC_URL) in secrets


@pytest.mark.parametrize(
    "answers, count, kept",
    [
        ((OK,), 1, True),
        ((b"HTTP/1.1 500 Oops\r\n\r\n", OK), 2, True),
        ((b"HTTP/1.1 500 Oops\r\n\r\n",), 3, True),
        ((b"HTTP/1.1 429 Slow\r\n\r\n", OK), 2, True),
        ((b"x" * 100_000,), 1, True),
        ((b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n",), 1, True),
        ((b"HTTP/1.1 400 No\r\n\r\n",), 1, True),
        ((b"HTTP/1.1 410 Gone\r\n\r\n",), 1, False),
        ((b"HTTP/1.1 500 Oops\r\n\r\n", b"HTTP/1.1 404 Not Found\r\n\r\n"), 2, False),
    ],
)
async def test_failures_are_repeated_and_redirects_and_refusals_are_not(
    answers: tuple[bytes, ...], count: int, kept: bool
) -> None:
    async with webhook_receiver(*answers) as receiver:
        assert await loopback().send("KQXM", 2, receiver.url, EVENT, still=lambda: True) is kept
        assert len(receiver.requests) == count


async def test_an_event_that_is_over_is_not_sent_again() -> None:
    async with webhook_receiver(b"HTTP/1.1 503 Busy\r\n\r\n") as receiver:
        assert await loopback().send("KQXM", 2, receiver.url, EVENT, still=lambda: False)
        assert len(receiver.requests) == 1


async def test_a_receiver_that_hangs_or_is_not_there_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outgoing, "DEADLINE_S", 0.05)
    async with webhook_receiver(b"") as receiver:
        assert await loopback().send("KQXM", 2, receiver.url, EVENT, still=lambda: True)
        assert len(receiver.requests) == 3
        monkeypatch.setattr(outgoing, "MAX_PER_HOST", 0)
        assert await loopback().send("KQXM", 2, receiver.url, EVENT, still=lambda: True)
        assert len(receiver.requests) == 3
        url = receiver.url
    monkeypatch.setattr(outgoing, "MAX_PER_HOST", 10)
    assert await loopback().send("KQXM", 2, url, EVENT, still=lambda: True)


async def test_a_slow_host_takes_no_more_than_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outgoing, "MAX_PER_HOST", 2)
    monkeypatch.setattr(outgoing, "DEADLINE_S", 0.2)
    async with webhook_receiver(b"") as receiver:
        sender = Webhooks(KEY, WebhookMode.PUBLIC, receiver.connect)
        url = "https://slow.example/"
        await asyncio.gather(*(sender.send("KQXM", 2, url, EVENT, still=lambda: False) for _ in range(5)))
        assert receiver.hosts == ["slow.example"] * 2


@pytest.mark.parametrize(
    "host, message",
    [
        ("discord.com", {"content": "Hello", "allowed_mentions": {"parse": []}}),
        ("hooks.slack.com", {"text": "Hello"}),
    ],
)
async def test_chat_rooms_get_the_form_that_their_service_takes(host: str, message: object) -> None:
    async with webhook_receiver() as receiver:
        await Webhooks(KEY, WebhookMode.PUBLIC, receiver.connect).say(f"https://{host}/x?wait=1", "Hello")
    (request,) = receiver.requests
    assert request.line == "POST /x?wait=1 HTTP/1.1"
    assert json.loads(request.body) == message
    assert request.headers["user-agent"] == "liarsdice"  # Discord refuses requests without
    assert request.headers["content-type"] == "application/json"


async def test_public_receivers_are_reached_by_their_host() -> None:
    async with webhook_receiver() as receiver:
        sender = Webhooks(KEY, WebhookMode.PUBLIC, receiver.connect)
        assert await sender.send("KQXM", 2, PUBLIC_URL, EVENT, still=lambda: True)
    assert receiver.hosts == ["bots.example"]
    assert receiver.requests[0].line == "POST /turns HTTP/1.1"


@pytest.mark.parametrize(
    "url",
    [
        "http://bots.example/",
        "https://bots.example:8443/",
        "https://user@bots.example/",
        "https://bots/",
        "https://[2001:db8::1]/",
        "https://[::1/x",
        "https://bots.example/x\r\nHost: evil",
        "https://bots.example/x y",
        "https://bots.example/#x",
        "https://böts.example/",
        "https://bots.example/" + "x" * MAX_URL_LENGTH,
        "http://127.0.0.1:9000/",
        "http://localhost:9000/",
        "ftp://bots.example/",
        "bots.example",
        "",
    ],
)
def test_a_url_that_no_webhook_goes_to_is_refused(url: str) -> None:
    with pytest.raises(MalformedError):
        Webhooks(KEY, WebhookMode.PUBLIC).check(url, LOOPBACK)


@pytest.mark.parametrize("host", ["\ufdfa" * 10_000, "\ufdfa", "x" * 10_000], ids=["many", "one", "long"])
def test_a_text_that_can_be_no_url_is_not_taken_apart(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outgoing, "urlsplit", None)
    with pytest.raises(MalformedError, match="printable ASCII"):
        Webhooks(KEY, WebhookMode.PUBLIC).check(f"https://{host}/", "192.0.2.1")


def test_loopback_is_reached_only_if_the_operator_allows_it() -> None:
    sender = loopback()
    for url in (PUBLIC_URL, "https://bots.example:443/x?y=z", "http://127.0.0.1:9000/", "http://localhost:1/x"):
        sender.check(url, LOOPBACK)
    for url in ("http://127.0.0.2:9000/", "http://127.0.0.1/", "http://10.0.0.1:80/", "http://localhost.example:80/"):
        with pytest.raises(MalformedError, match=r"or http://127\.0\.0\.1:PORT/PATH"):
            sender.check(url, LOOPBACK)


@pytest.mark.parametrize("address", ["192.0.2.7", "10.0.0.1", "2001:db8::1", ""])
def test_loopback_is_reached_only_for_clients_on_this_machine(address: str) -> None:
    sender = loopback()
    sender.check(PUBLIC_URL, address)
    with pytest.raises(MalformedError, match=r"https://HOST/PATH, at port 443\Z"):
        sender.check("http://127.0.0.1:9000/", address)


def test_the_setting_has_three_values() -> None:
    assert read_settings({}, {}).webhooks is WebhookMode.OFF
    assert read_settings({"webhooks": "Loopback"}, {}).webhooks is WebhookMode.LOOPBACK
    with pytest.raises(MalformedError, match="--webhooks is one of off, public, loopback"):
        read_settings({"webhooks": "on"}, {})


async def test_a_server_without_webhooks_says_what_to_do_instead(server: RunningServer) -> None:
    client = server.browser()
    code = await server.open_table(client)
    refused = await client.post(f"/api/tables/{code}/webhook", json={"url": PUBLIC_URL})
    assert refused.status_code == 404
    assert "wait for your turn" in refused.json()["text"]


async def test_only_a_player_sets_a_webhook_and_nobody_else_is_told_of_it(server: RunningServer) -> None:
    server.services.webhooks = Webhooks(b"key", WebhookMode.PUBLIC)
    client, stranger = server.browser(), server.browser()
    code = await server.open_table(client)
    path = f"/api/tables/{code}/webhook"
    assert (await stranger.post(path, json={"url": PUBLIC_URL})).status_code == 403
    assert (await client.post(path, json={"url": "http://127.0.0.1:1/"})).status_code == 400
    before = server.log(code)
    answer = await client.post(path, json={"url": PUBLIC_URL})
    assert answer.status_code == 200
    assert answer.json() == {"url": PUBLIC_URL, "secret": server.services.webhooks.secret(code, 1, PUBLIC_URL)}
    assert (await client.post(path, json={"url": PUBLIC_URL})).json() == answer.json()
    assert [row.entry for row in server.log(code)[len(before) :]] == [e.WebhookChanged(1, PUBLIC_URL)]
    async with server.connect(code, client) as socket:
        assert "bots.example" not in str(await say_hello(socket))
    assert (await client.post(path, json={"url": ""})).json() == {"url": "", "secret": ""}
    table = await (await server.registry.get(code)).state()
    assert table.players[0].webhook == ""


async def test_who_has_left_sets_none(server: RunningServer) -> None:
    server.services.webhooks = Webhooks(b"key", WebhookMode.PUBLIC)
    client = server.browser()
    code = await server.open_table(client, bots=["random"], begin=True)
    await client.post(f"/api/tables/{code}/act", json={"id": "1", "command": {"type": "leave"}})
    assert (await client.post(f"/api/tables/{code}/webhook", json={"url": PUBLIC_URL})).status_code == 403


async def test_a_program_plays_a_match_by_its_webhook(tmp_path: Path) -> None:
    server = Server(tmp_path / "db", "--pace", "0", "--webhooks", "loopback")
    server.start()
    try:
        async with (
            asyncio.timeout(PATIENCE_S),
            webhook_receiver() as receiver,
            AsyncClient(server.address) as program,
        ):
            code = (await program.open_table("Ada", rules="basic", bots=["random"])).code
            secret = await program.set_webhook(code, receiver.url)
            await program.begin(code)
            answered = 0
            while True:
                await receiver.arrived.wait()
                receiver.arrived.clear()
                for request in receiver.requests[answered:]:
                    answered += 1
                    event = read_webhook(secret, request.headers, request.body)
                    view = await program.view(code)
                    if event.event == "match_over":
                        assert view.is_over
                        assert view.match is not None
                        assert event.winners == view.match.winners
                        return
                    assert view.match is not None
                    assert event.turn_id == view.match.turn_id
                    await program.act(view, view.moves[-1])
    finally:
        server.end()
