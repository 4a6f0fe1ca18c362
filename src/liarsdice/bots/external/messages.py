"""Every message between the program and a bot that is a process of its own, in both directions, a JSON object a line.

The bot reads its standard input and writes to its standard output. Both begin with `hello`. Then each `view` is
answered by one `action`, until `goodbye`. What a bot writes to standard error is its own affair.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from liarsdice.core.actions import Move
from liarsdice.core.engine.view import View
from liarsdice.core.rules.ruleset import Ruleset

PROTOCOL = 1
LONGEST_LINE = 64 * 1024
"""Bytes of an answer, its end of line included."""


class HelloBot(msgspec.Struct, frozen=True, tag="hello"):
    """You play a match in this seat. It may be on already, where you are started anew or a match goes on.

    `protocol` is the version of these messages, `move_limit_s` how many seconds each answer may take. Whoever draws
    lots from `seed` alone plays the same again in the same match.
    """

    protocol: int
    seat: int
    names: tuple[str, ...]
    ruleset: Ruleset
    move_limit_s: float
    seed: str


class Asked(msgspec.Struct, frozen=True, tag="view"):
    """What you see now; answer with an `action` of the same `number`. Numbers count the questions of this process."""

    number: int
    view: View


class Result(msgspec.Struct, frozen=True, tag="result"):
    """The match is over, and these seats have won; comes before `goodbye`, unless the match was broken off."""

    winners: tuple[int, ...]
    view: View


class Goodbye(msgspec.Struct, frozen=True, tag="goodbye"):
    """Nothing more is asked. End within a second; after that you are ended."""


class HelloProgram(msgspec.Struct, frozen=True, tag="hello"):
    """I am ready, and speak this version."""

    protocol: int


class Answer(msgspec.Struct, frozen=True, tag="action"):
    """What I do: one of the moves that the view lists, or null out of turn, which lets the bid stand."""

    number: int
    action: Move | None = None


ForBot: TypeAlias = HelloBot | Asked | Result | Goodbye
FromBot: TypeAlias = HelloProgram | Answer

FOR_BOT: msgspec.json.Decoder[ForBot] = msgspec.json.Decoder(ForBot)
FROM_BOT: msgspec.json.Decoder[FromBot] = msgspec.json.Decoder(FromBot)


def line_of(message: ForBot | FromBot) -> bytes:
    """A message as it goes over the line."""
    return msgspec.json.encode(message) + b"\n"
