"""The messages between this program and a bot that is a program of its own: one JSON object per line, both ways.

The bot reads messages from its standard input and writes its own to standard output. Both sides start with `hello`.
Then the bot answers each `view` with one `action`, until `goodbye`. It may write anything to standard error.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from liarsdice.core.actions import Move
from liarsdice.core.engine.view import View
from liarsdice.core.rules.ruleset import Ruleset

PROTOCOL_VERSION = 1
MAX_LINE_BYTES = 64 * 1024
"""The longest answer in bytes, its line end included."""


class HelloToBot(msgspec.Struct, frozen=True, tag="hello"):
    """You play a match in this seat. The match may be in progress already, if your process was restarted.

    `protocol` is the version of these messages, `move_limit_s` the time limit of each answer in seconds. A bot that
    takes all its random numbers from `seed` plays the same again in the same match.
    """

    protocol: int
    seat: int
    names: tuple[str, ...]
    ruleset: Ruleset
    move_limit_s: float
    seed: str


class ActionRequest(msgspec.Struct, frozen=True, tag="view"):
    """What you see now. Answer with an `action` of the same `number`, which counts the requests to this process."""

    number: int
    view: View


class ResultMessage(msgspec.Struct, frozen=True, tag="result"):
    """The match is over, and these seats have won. Sent before `goodbye`, unless the match was broken off."""

    winners: tuple[int, ...]
    view: View


class Goodbye(msgspec.Struct, frozen=True, tag="goodbye"):
    """There are no more requests. Exit within a second; after that your process is killed."""


class HelloFromBot(msgspec.Struct, frozen=True, tag="hello"):
    """I am ready, and use this version of the messages."""

    protocol: int


class ActionReply(msgspec.Struct, frozen=True, tag="action"):
    """My move: one of those that the view lists, or null out of turn, which lets the bid stand."""

    number: int
    action: Move | None = None


MessageToBot: TypeAlias = HelloToBot | ActionRequest | ResultMessage | Goodbye
MessageFromBot: TypeAlias = HelloFromBot | ActionReply

TO_BOT_DECODER: msgspec.json.Decoder[MessageToBot] = msgspec.json.Decoder(MessageToBot)
FROM_BOT_DECODER: msgspec.json.Decoder[MessageFromBot] = msgspec.json.Decoder(MessageFromBot)


def encode_line(message: MessageToBot | MessageFromBot) -> bytes:
    """Return a message as one line of JSON."""
    return msgspec.json.encode(message) + b"\n"
