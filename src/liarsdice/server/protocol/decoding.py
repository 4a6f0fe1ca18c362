"""Decodes the messages of clients. The configuration in a `Change` is decoded apart, once its sender may change it."""

from __future__ import annotations

import re

import msgspec

from liarsdice.core.errors import LiarsDiceError, MalformedError
from liarsdice.core.rules.rule_costs import check_sizes
from liarsdice.server.protocol.messages import CommandRequest, Hello
from liarsdice.server.table.commands import Change, PlainCommand

WRONG_TYPE = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")
LIMIT = re.compile(r"Expected `([^`]+)`(?: of length)? ?([<>=]*) ?(\d+)")
PLAIN_TYPE = re.compile(r"Expected `([^`]+)`")
MISSING = re.compile(r"Object missing required field `([^`]+)`")
UNKNOWN = re.compile(r"Object contains unknown field `(.+)`", re.DOTALL)
INVALID = re.compile(r"Invalid (?:enum )?value (.+)", re.DOTALL)
PLACE = re.compile(r" - at `\$\.?([^`]*)`$")
POSITION = re.compile(r"\(byte (\d+)\)")
TYPE_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}
MAX_QUOTED = 60


def describe_decode_error(message: str, whole: str = "the message", place: str = "") -> str:
    """Return why JSON cannot be read, from the message of a `msgspec` error.

    `whole` names the JSON; `place` is the path of the wrong part if the message doesn't end with it.

    >>> describe_decode_error("Expected `int`, got `str` - at `$.command.face`")
    'command.face must be a whole number, not text'
    >>> describe_decode_error("Object missing required field `name`", "the body")
    "the body has no field 'name', which it needs"
    >>> describe_decode_error("JSON is malformed: invalid character (byte 4)")
    'the message is not JSON (byte 4)'
    """
    at = PLACE.search(message)
    text = message[: at.start()] if at else message
    subject = (at[1] if at else place) or whole
    if found := WRONG_TYPE.fullmatch(text):
        return f"{subject} must be {_types(found[1])}, not {_types(found[2])}"
    if found := LIMIT.fullmatch(text):
        length = " of length" if "length" in text else ""
        return f"{subject} must be {_types(found[1])}{length} {found[2]} {found[3]}".replace("  ", " ")
    if found := PLAIN_TYPE.fullmatch(text):
        return f"{subject} must be {_types(found[1])}"
    if found := MISSING.fullmatch(text):
        return f"{subject} has no field {found[1]!r}, which it needs"
    if found := UNKNOWN.fullmatch(text):
        return f"{subject} has the field {found[1][:MAX_QUOTED]!r}, which it may not have"
    if found := INVALID.fullmatch(text):
        return f"{subject} may not be {found[1][:MAX_QUOTED]}"
    if "JSON" not in text and "truncated" not in text and text:
        return f"{subject} does not have the described form"
    byte = POSITION.search(text)
    return f"{subject} is not JSON{f' (byte {byte[1]})' if byte else ''}"


def _types(names: str) -> str:
    return " or ".join(TYPE_WORDS.get(name, name) for name in names.split(" | "))


MAX_MESSAGE_LENGTH = 16 * 1024
"""Characters of one message."""

CHANGE_TAG = "change"


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
