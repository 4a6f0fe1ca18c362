"""A webhook's request is read only with its signature, and only while it is new."""

from __future__ import annotations

import msgspec
import pytest

from liarsdice.client import client
from liarsdice.client.client import MAX_AGE_S, read_webhook
from liarsdice.core.errors import MalformedError
from liarsdice.server.http.outgoing import signature
from liarsdice.server.live.interfaces import WebhookEvent

NOW_S = 1_750_000_000
SENT = WebhookEvent(event="turn", table="KQXM", match=1, turn_id=7, player=2)


def headers(secret: str, body: bytes, timestamp: str = str(NOW_S)) -> dict[str, str]:
    return {"X-Liarsdice-Timestamp": timestamp, "X-Liarsdice-Signature": signature(secret, timestamp, body)}


def test_what_the_server_signs_is_read() -> None:
    body = msgspec.json.encode(SENT)
    event = read_webhook("secret", headers("secret", body), body, now_s=NOW_S + MAX_AGE_S)
    assert msgspec.to_builtins(event) == msgspec.to_builtins(SENT)
    lower = {name.lower(): value for name, value in headers("secret", body).items()}
    assert read_webhook("secret", lower, body, now_s=NOW_S) == event


def test_what_is_forged_changed_old_or_no_event_is_refused() -> None:
    body = msgspec.json.encode(SENT)
    good = headers("secret", body)
    for secret, sent, text in (
        ("other", good, body),
        ("secret", good, body + b" "),
        ("secret", good | {"X-Liarsdice-Timestamp": str(NOW_S + 1)}, body),
        ("secret", good | {"X-Liarsdice-Signature": "sha256=é"}, body),
        ("secret", {}, body),
    ):
        with pytest.raises(MalformedError, match="not signed"):
            read_webhook(secret, sent, text, now_s=NOW_S)
    for late_s in (MAX_AGE_S + 1, -MAX_AGE_S - 1):
        with pytest.raises(MalformedError, match="older than"):
            read_webhook("secret", good, body, now_s=NOW_S + late_s)
    for text in (b"", b'{"event":"other"}'):
        with pytest.raises(MalformedError, match="cannot be read"):
            read_webhook("secret", headers("secret", text), text, now_s=NOW_S)


def test_without_a_secret_nothing_is_read() -> None:
    """`set_webhook` returns an empty secret when it ends a webhook, and everybody can sign with that."""
    body = msgspec.json.encode(SENT)
    with pytest.raises(MalformedError, match="needs its secret"):
        read_webhook("", headers("", body), body, now_s=NOW_S)


def test_the_event_has_the_fields_that_the_server_sends() -> None:
    ours, theirs = (
        {field.encode_name for field in msgspec.structs.fields(struct)}
        for struct in (client.WebhookEvent, WebhookEvent)
    )
    assert ours == theirs
