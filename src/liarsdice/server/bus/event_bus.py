"""Carries small messages between the server processes ("nodes") that share a database.

A message is only a hint. It is delivered at most once, so whoever acts on one also finds out without it, later.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator

import msgspec

Listener = Callable[[str, str, str], None]
"""Called with the key and the value of a message and the id of the node that sent it. It must not raise or block."""

TABLES = "tables"
"""The channel that says how far logs have grown: the key is the code of a table, the value its last seq."""

MAX_KEY_LENGTH, MAX_VALUE_LENGTH = 100, 1_000
"""The most characters, so that a message fits into a notification of PostgreSQL however its characters are encoded."""


class EventBus:
    """Carries messages on named channels to the other nodes. Used on the event loop only; no method blocks it.

    This one is that of a node alone. `node_id`: the id of this node, another one after a restart. `works`: whether
    messages come and go, as far as it knows. `gap_count` grows whenever messages of other nodes may have been lost,
    such as after the connection was made again.
    """

    def __init__(self) -> None:
        self.node_id = secrets.token_hex(4)
        self.works = True
        self.gap_count = 0
        self._listeners: dict[str, list[Listener]] = {}

    def subscribe(self, channel: str, listener: Listener) -> None:
        """Call `listener` for every message of the other nodes on a channel."""
        self._listeners.setdefault(channel, []).append(listener)

    def deliver(self, channel: str, key: str, value: str, node_id: str) -> None:
        """Call the listeners of this node with a message of another one."""
        for listener in self._listeners.get(channel, ()):
            listener(key, value, node_id)

    def publish(self, channel: str, key: str, value: str) -> None:
        """Send a message to all other nodes, soon.

        It replaces an earlier one with the same channel and key that was not sent yet, so `value` is what is true now
        and not a change. Key and value have at most `MAX_KEY_LENGTH` and `MAX_VALUE_LENGTH` characters.
        """

    async def open(self) -> None:
        """Begin to send and to receive, also if nothing can be reached yet."""

    async def close(self) -> None:
        """Send what waits, if that is possible at once, and end the connections."""


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
