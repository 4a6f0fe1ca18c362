"""The generated pages about the server: its settings, and every message on its wire."""

import inspect
import typing

import msgspec

from docs.message_tables import told
from liarsdice.server.protocol import messages as protocol
from liarsdice.server.settings import SETTINGS
from liarsdice.server.table import commands


def settings() -> str:
    """The table of settings."""
    lines = [
        "# Settings of the server",
        "",
        "`liarsdice serve` takes each setting as a flag, or else from the environment, or else its default.",
        "",
        "| flag | environment | default | what it is for |",
        "|---|---|---|---|",
    ]
    for one in SETTINGS:
        default = f"`{one.default}`" if one.default else ""
        lines.append(f"| `{one.flag}` | `{one.variable}` | {default} | {one.help} |")
    return "\n".join(lines) + "\n"


def messages() -> str:
    """Every message between a page and a table."""
    lines = ["# Messages", "", inspect.cleandoc(protocol.__doc__ or ""), ""]
    lines += [
        "A message is one JSON object in a text frame of `/ws/{code}`, told apart by its `type`. Bids are",
        "`[quantity, face]`, seats are places from 0 in clockwise order, players go by an id that stays theirs.",
        "",
        "## From the page",
        "",
    ]
    for kind in typing.get_args(protocol.ToTable):
        lines += told(kind, 3)
    lines += ["## What a `do` can ask for", ""]
    for kind in typing.get_args(commands.Command):
        lines += told(kind, 3)
    lines += ["## From the table", ""]
    for kind in typing.get_args(protocol.FromTable):
        lines += told(kind, 3)
    lines += ["## What these are made of", ""]
    for part in PARTS:
        lines += told(part, 3)
    lines += ["### Errors", "", f"{inspect.cleandoc(protocol.ErrorCode.__doc__ or '')}", ""]
    lines += [", ".join(f"`{code.value}`" for code in protocol.ErrorCode) + ".", ""]
    return "\n".join(lines)


PARTS: tuple[type[msgspec.Struct], ...] = (
    protocol.TableSeen,
    protocol.PlayerSeen,
    protocol.MatchSeen,
    protocol.Verdict,
    protocol.LossSeen,
    protocol.Accusation,
    protocol.Own,
    protocol.News,
    protocol.Said,
    protocol.Notice,
    protocol.Happened,
)
