"""What `msgspec` says of input that it cannot read, in the words of those who write the input."""

import re

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
        given = "a number with a decimal point" if found[2] == "float" else _types(found[2])
        return f"{subject} must be {_types(found[1])}, not {given}"
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
