"""Webhooks are signed, go where the operator allows and nowhere else, and wait for nobody for long."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import socket
from typing import Any

import pytest

from liarsdice.core.errors import MalformedError
from liarsdice.server.http import outgoing
from liarsdice.server.http.outgoing import LOOPBACK, MAX_URL_LENGTH, Webhooks
from liarsdice.server.live.interfaces import WebhookEvent
from liarsdice.server.settings import WebhookMode, read_settings
from tests.server.http.webhook_receiver import OK, webhook_receiver

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


async def test_public_receivers_are_reached_by_their_host() -> None:
    async with webhook_receiver() as receiver:
        sender = Webhooks(KEY, WebhookMode.PUBLIC, receiver.connect)
        assert await sender.send("KQXM", 2, PUBLIC_URL, EVENT, still=lambda: True)
    assert receiver.hosts == ["bots.example"]
    assert receiver.requests[0].line == "POST /turns HTTP/1.1"


@pytest.mark.parametrize(
    "addresses", [["10.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::1"], ["::ffff:192.168.0.1"], ["169.254.169.254"], []]
)
async def test_no_webhook_goes_to_a_private_address(addresses: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def getaddrinfo(*_: object, **__: object) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in addresses]

    async def open_connection(*_: object, **__: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr(asyncio, "open_connection", open_connection)
    assert await Webhooks(KEY, WebhookMode.PUBLIC).send("KQXM", 2, PUBLIC_URL, EVENT, still=lambda: True)


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


@pytest.mark.parametrize("host", ["\ufdfa" * 10_000, "\ufdfa", "x" * 10_000], ids=ascii)
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
