"""Generates the documentation pages about the server: its settings and its messages."""

import inspect
import typing

import msgspec

from docs.message_examples import answer_examples, command_examples, request_examples
from docs.message_tables import message_lines
from liarsdice import wire
from liarsdice.server.http import training
from liarsdice.server.protocol import messages as protocol
from liarsdice.server.protocol.messages import ErrorCode
from liarsdice.server.settings import SETTINGS
from liarsdice.server.table import commands


def settings() -> str:
    """Return the page about settings."""
    lines = [
        "# Settings of the server",
        "",
        "`liarsdice serve` takes each setting as a flag, or else from the environment, or else its default. All nodes",
        "of a database need the same values, but for the settings marked with ¹.",
        "",
        "| flag | environment | default | what it is for |",
        "|---|---|---|---|",
    ]
    for setting in SETTINGS:
        default = f"`{setting.default}`" if setting.default else ""
        lines.append(
            f"| `{setting.flag}`{'' if setting.shared else '¹'} | `{setting.variable}` | {default} | {setting.help} |"
        )
    return "\n".join(lines) + "\n"


def messages() -> str:
    """Return the page about the messages between a client and a table."""
    lines = ["# Messages", "", inspect.cleandoc(protocol.__doc__ or ""), ""]
    lines += [
        "A message is one JSON object in a text frame of the WebSocket `/ws/{code}`; its `type` says which. A bid is",
        "`[quantity, face]`. Seats are numbered from 0 in clockwise order. A player has an id that never changes.",
        "All examples show one table: Ann, who has two dice, has bid two threes, and Bo may answer.",
        "",
        "## From the client",
        "",
    ]
    for message in typing.get_args(protocol.ToTable):
        lines += message_lines(message, 3, request_examples()[message])
    lines += ["## Commands of a `do`", ""]
    for command in typing.get_args(commands.Command):
        lines += message_lines(command, 3, command_examples()[command])
    lines += ["## From the table", ""]
    for message in typing.get_args(protocol.FromTable):
        lines += message_lines(message, 3, answer_examples()[message])
    lines += ["## Parts of messages", ""]
    for part in PARTS:
        lines += message_lines(part, 3)
    lines += [*TRAINING_LEAD]
    for struct in TRAINING:
        lines += message_lines(struct, 3)
    lines += ["## Errors", "", f"{inspect.cleandoc(ErrorCode.__doc__ or '')}", ""]
    lines += [", ".join(f"`{code.value}`" for code in ErrorCode) + ".", ""]
    return "\n".join(lines)


TRAINING_LEAD = (
    "## Training tables",
    "",
    "A player at a table whose `config` has `training` may ask for estimates while players bid, with the cookie of",
    "their browser: `GET /api/tables/{code}/training`. The answer follows from what the player's own seat sees. Other",
    "tables refuse with `forbidden`. A request is paid from the `--work-per-minute` of the address, and takes at most",
    "20 seconds.",
    "",
)
TRAINING: tuple[type[msgspec.Struct], ...] = (
    training.TrainingResponse,
    training.CountEstimate,
    training.MoveWorth,
    training.BidEstimate,
)

PARTS: tuple[type[msgspec.Struct], ...] = (
    wire.PublicTable,
    wire.PublicPlayer,
    wire.PublicMatch,
    wire.Verdict,
    wire.DiceChange,
    wire.Accusation,
    wire.PlayerView,
    wire.NewsItem,
    wire.Said,
    wire.Notice,
    wire.Happened,
)
