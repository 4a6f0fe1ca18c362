"""Reading what a server's webhook sends: an event, once its signature is verified."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Mapping
from typing import Literal

import msgspec

from liarsdice.core.errors import MalformedError

TIMESTAMP, SIGNATURE = "x-liarsdice-timestamp", "x-liarsdice-signature"
MAX_AGE_S = 300
"""Older requests are refused, because somebody may have kept and repeated them."""


class WebhookEvent(msgspec.Struct, frozen=True):
    """What a webhook tells of a table and the match with a number.

    `turn_id`: that of the situation. `player`: the id of the player who is told. `winners`: their seats, at the end.
    `stand_ins`: the seats of people for whom a bot played at their end, so that their results are the bot's.
    """

    event: Literal["turn", "match_over"]
    table: str
    match: int
    turn_id: int
    player: int
    winners: tuple[int, ...] = ()
    stand_ins: tuple[int, ...] = ()


_DECODER = msgspec.json.Decoder(WebhookEvent)


def read_webhook(secret: str, headers: Mapping[str, str], body: bytes, *, now_s: float | None = None) -> WebhookEvent:
    """Return the event in the request of a webhook, whose `secret` `Client.set_webhook` returned.

    `headers`: those of the request, by name in any case. `now_s`: the time in seconds since 1970, by default that of
    the clock. Raises `MalformedError` for a request that the server did not sign, for one that is older than
    `MAX_AGE_S`, and without a secret, with which anybody could sign.
    """
    if not secret:
        raise MalformedError("a webhook needs its secret, which set_webhook returns for a URL")
    named = {name.lower(): value for name, value in headers.items()}
    timestamp, signature = named.get(TIMESTAMP, ""), named.get(SIGNATURE, "")
    expected = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(f"sha256={expected}".encode(), signature.encode()):
        raise MalformedError("the request of the webhook is not signed with this secret")
    if abs((time.time() if now_s is None else now_s) - int(timestamp)) > MAX_AGE_S:
        raise MalformedError(f"the request of the webhook is older than {MAX_AGE_S} seconds")
    try:
        return _DECODER.decode(body)
    except msgspec.DecodeError as error:
        raise MalformedError(f"the event of the webhook cannot be read by this version: {error}") from error
