"""The form in which nodes send messages to each other: many of them in one payload, as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from liarsdice.server.bus.event_bus import MAX_KEY_LENGTH, MAX_VALUE_LENGTH

MAX_PAYLOAD_BYTES = 7_500
"""PostgreSQL accepts notifications of less than 8,000 bytes."""

Message = tuple[str, str, str]
"""A channel, a key and a value."""

ENCODER = msgspec.json.Encoder()
DECODER = msgspec.json.Decoder(tuple[str, list[Message]])


def encode_payloads(node_id: str, messages: Iterable[Message]) -> Iterator[bytes]:
    """Yield payloads of at most `MAX_PAYLOAD_BYTES` that contain the messages of a node, in order."""
    head = b"[" + ENCODER.encode(node_id) + b",["
    parts: list[bytes] = []
    length = len(head) + 2
    for message in messages:
        part = ENCODER.encode(message)
        if parts and length + len(part) + 1 > MAX_PAYLOAD_BYTES:
            yield head + b",".join(parts) + b"]]"
            parts, length = [], len(head) + 2
        parts.append(part)
        length += len(part) + 1
    if parts:
        yield head + b",".join(parts) + b"]]"


def decode_payload(payload: bytes | str) -> tuple[str, list[Message]] | None:
    """Return the node and the messages of a payload, None for one that another program or release has sent.

    Payloads and messages that are longer than any that a node sends are left out.
    """
    if len(payload) > MAX_PAYLOAD_BYTES:
        return None
    try:
        node_id, messages = DECODER.decode(payload)
    except (msgspec.DecodeError, UnicodeError):
        return None
    return node_id, [
        message for message in messages if len(message[1]) <= MAX_KEY_LENGTH and len(message[2]) <= MAX_VALUE_LENGTH
    ]
