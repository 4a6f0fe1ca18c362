"""The generated page about the lines between the program and a bot that is a process of its own."""

import inspect
import typing

import msgspec

from docs.message_tables import told
from liarsdice.bots.external import messages as wire
from liarsdice.core.actions import Move
from liarsdice.core.engine.state import PendingPenalty, Phase, Table
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
    """Every message, what a view is made of, and every move."""
    lines = ["# Messages of bots", "", inspect.cleandoc(wire.__doc__ or ""), ""]
    lines += [
        f"This is protocol {wire.PROTOCOL}. A message is one JSON object on a line, told apart by its `type`; a bot",
        "may be told more fields one day. Seats are places from 0 in clockwise order. How to begin is told in",
        "[Bring your own bot](own-bots.md).",
        "",
        "## To the bot",
        "",
    ]
    for kind in typing.get_args(wire.ForBot):
        lines += told(kind, 3)
    lines += ["## From the bot", ""]
    for kind in typing.get_args(wire.FromBot):
        lines += told(kind, 3)
    lines += ["## Moves", "", "Any of these is an `action`. Those of `may_bid` can be sent back as they came.", ""]
    for kind in typing.get_args(Move):
        lines += told(kind, 3)
    lines += ["## What a view holds", "", *_view()]
    for part in PARTS:
        lines += told(part, 3)
    lines += ["### Words", "", "| field | one of |", "|---|---|"]
    lines += [f"| `{field}` | {', '.join(f'`{one.value}`' for one in kind)} |" for field, kind in WORDS.items()]
    lines += ["", "The ruleset is as in [the schema of rules](schema.md), every field of it.", ""]
    return "\n".join(lines)


def _view() -> list[str]:
    """The view with what its base says of the fields that lie open."""
    heading, empty, first, *rest = told(View, 3)
    return [heading, empty, first, "", " ".join(inspect.cleandoc(Table.__doc__ or "").split()), *rest]
