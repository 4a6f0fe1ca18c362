"""Decodes the messages of clients, which have a limited length (`MAX_MESSAGE_LENGTH`).

The configuration in a `Change` is decoded apart, once its sender may change it. How many messages may come is limited
by `server.live.live_table` for a seat, and by `server.http.connections` for a connection.
"""

from __future__ import annotations

import msgspec

from liarsdice.core.decode_errors import describe_decode_error
from liarsdice.core.errors import LiarsDiceError, MalformedError
from liarsdice.core.rules.rule_costs import check_sizes
from liarsdice.server.protocol.messages import CommandRequest, Hello, Look
from liarsdice.server.table.commands import Change, PlainCommand

MAX_MESSAGE_LENGTH = 16 * 1024
"""Characters of one message."""

CHANGE_TAG = "change"
LOOK_TAG, MAX_LOOK_LENGTH = "look", 40


class _PlainRequest(msgspec.Struct, frozen=True, tag="do", forbid_unknown_fields=True):
    """`messages.CommandRequest` with any command but a `Change`."""

    request_id: str = msgspec.field(name="id")
    command: PlainCommand
    turn_id: int = 0


class UndecodedRequest(msgspec.Struct, frozen=True, tag="do", forbid_unknown_fields=True):
    """`messages.CommandRequest` with a command that is still JSON."""

    request_id: str = msgspec.field(name="id")
    command: msgspec.Raw
    turn_id: int = 0


class _CommandTag(msgspec.Struct):
    type: str = ""


class _DiceSizes(msgspec.Struct):
    faces: int = 0
    per_player: int = 0


class _RulesetSizes(msgspec.Struct):
    dice: _DiceSizes = msgspec.field(default_factory=_DiceSizes)


class _ConfigSizes(msgspec.Struct):
    ruleset: _RulesetSizes = msgspec.field(default_factory=_RulesetSizes)


class _ChangeSizes(msgspec.Struct):
    """The numbers of a `Change` on which the cost of checking its rules depends."""

    config: _ConfigSizes = msgspec.field(default_factory=_ConfigSizes)


_PLAIN_DECODER: msgspec.json.Decoder[Hello | _PlainRequest] = msgspec.json.Decoder(Hello | _PlainRequest)
_LOOK_DECODER = msgspec.json.Decoder(Look)
_UNDECODED_DECODER = msgspec.json.Decoder(UndecodedRequest)
_TAG_DECODER = msgspec.json.Decoder(_CommandTag)
_SIZES_DECODER = msgspec.json.Decoder(_ChangeSizes)
_CHANGE_DECODER = msgspec.json.Decoder(Change)
_DECODE_ERRORS = (msgspec.DecodeError, RecursionError, UnicodeError)


def read_message(text: str) -> Hello | CommandRequest:
    """Return a client's message, which must not be a `Change`: see `read_change_request` for those.

    Raises `MalformedError`, which names the fault and quotes little of the message.
    """
    if len(text) > MAX_MESSAGE_LENGTH:
        raise MalformedError(f"a message has at most {MAX_MESSAGE_LENGTH} characters")
    try:
        message = _PLAIN_DECODER.decode(text)
    except _DECODE_ERRORS as error:
        raise _malformed(error) from error
    if isinstance(message, Hello):
        return message
    return CommandRequest(message.request_id, message.command, message.turn_id)


def read_look(text: str) -> Look | None:
    """Return a message that is a `Look`, None for any other.

    >>> read_look('{"type":"look","looking":false}')
    Look(looking=False)
    """
    try:
        return _LOOK_DECODER.decode(text) if f'"{LOOK_TAG}"' in text[:MAX_LOOK_LENGTH] else None
    except _DECODE_ERRORS:
        return None  # `read_message` refuses it


def read_change_request(text: str) -> UndecodedRequest | None:
    r"""Return a message that holds a `Change`, however its JSON is written; None for any other message.

    >>> read_change_request('{"type":"do","id":"1","command":{"type":"ch\\u0061nge","config":{}}}').request_id
    '1'
    >>> read_change_request('{"type":"do","id":"1","command":{"type":"say","text":"\\"change\\" the r\\u00fcles"}}')
    """
    if (f'"{CHANGE_TAG}"' not in text and "\\u" not in text) or len(text) > MAX_MESSAGE_LENGTH:
        return None
    try:
        request = _UNDECODED_DECODER.decode(text)
        is_change = _TAG_DECODER.decode(request.command).type == CHANGE_TAG
    except _DECODE_ERRORS:
        return None  # `read_message` refuses it
    return request if is_change else None


def read_change(command: msgspec.Raw) -> Change:
    """Return a `Change` from its JSON.

    Its sizes are compared with those of any table first, because the time to check rules grows with the square of the
    number of faces. Raises `MalformedError`.
    """
    try:
        dice = _SIZES_DECODER.decode(command).config.ruleset.dice
        check_sizes(dice.faces, dice.per_player)
        return _CHANGE_DECODER.decode(command)
    except _DECODE_ERRORS as error:
        raise _malformed(error) from error
    except LiarsDiceError as error:
        raise MalformedError(str(error)) from error


def _malformed(error: Exception) -> MalformedError:
    if isinstance(error, RecursionError):
        return MalformedError("the message is nested too deeply")
    return MalformedError(describe_decode_error(str(error))[:200])
