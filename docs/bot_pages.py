"""The generated page about the messages between the program and a bot that runs as its own process."""

import inspect
import typing

import msgspec

from docs.message_tables import message_lines
from liarsdice.bots.external import line_process as wire
from liarsdice.core.actions import Move
from liarsdice.core.engine.state import PendingPenalty, Phase, PublicState
from liarsdice.core.engine.view import View
from liarsdice.core.events import EndReason, Revealed
from liarsdice.core.rules.choices import Choice, Direction, PenaltyTrigger

WORDS: dict[str, type[Choice]] = {
    "direction": Direction,
    "end_reason": EndReason,
    "phase": Phase,
    "trigger": PenaltyTrigger,
}
PARTS: tuple[type[msgspec.Struct], ...] = (Revealed, PendingPenalty)


def bot_messages() -> str:
    """Return the page with every message, every move and the fields of a view."""
    lines = ["# Messages of bots", "", inspect.cleandoc(wire.__doc__ or ""), ""]
    lines += [
        f"This page describes protocol {wire.PROTOCOL_VERSION}. Each message is one JSON object on one line. Its field",
        "`type` says which message it is. Later versions may add fields, so a bot should ignore unknown fields.",
        "Seats are numbered from 0 in clockwise order. [Your own bot](your-own-bot.md) shows how to begin.",
        "",
        "## To the bot",
        "",
    ]
    for kind in typing.get_args(wire.MessageToBot):
        lines += message_lines(kind, 3)
    lines += ["## From the bot", ""]
    for kind in typing.get_args(wire.MessageFromBot):
        lines += message_lines(kind, 3)
    lines += ["## Moves", "", "Each of these is an `action`. A bot can send back an entry of `may_bid` unchanged.", ""]
    for kind in typing.get_args(Move):
        lines += message_lines(kind, 3)
    lines += ["## What a view holds", "", *_view()]
    for part in PARTS:
        lines += message_lines(part, 3)
    lines += ["### Words", "", "| field | one of |", "|---|---|"]
    lines += [f"| `{field}` | {', '.join(f'`{one.value}`' for one in kind)} |" for field, kind in WORDS.items()]
    lines += ["", "The field `ruleset` holds every field that [Rule choices](rule-choices.md) lists.", ""]
    return "\n".join(lines)


def _view() -> list[str]:
    """Return the lines about a view, with the description of the public fields that it inherits."""
    heading, empty, first, *rest = message_lines(View, 3)
    return [heading, empty, first, "", " ".join(inspect.cleandoc(PublicState.__doc__ or "").split()), *rest]
