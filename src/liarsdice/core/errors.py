"""The errors that a user of the package can cause, as one small tree.

::

    LiarsDiceError
    ├── MalformedError          the input cannot be read: wrong type, wrong shape, not our notation
    │   ├── NotationError       text that is no bid, call or direction
    │   │   └── BidError        two values that are no quantity and face
    │   └── RecordError         a match record that is broken, truncated or from another engine
    │       └── UnfinishedError ends before all events of its last action
    ├── IllegalActionError      well-formed, but the rules do not allow it now
    ├── RulesetError            rule choices that do not work together
    │   └── CostlyRulesError    work together, but cost more than a table of a server may
    └── UnavailableError        a preset, file, bot or language that does not exist here

Every message says what was wanted, what came and what would be allowed, in lower case and without a full stop.
"""

import re
from contextlib import suppress

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+(?=>)")
"""Where an object is in memory, as in the `repr` of a class without one of its own."""


def printable(text: str) -> str:
    r"""Escape unprintable characters, such as `\x1b`, so that files of others cannot control a terminal.

    >>> print(printable("a\x1b[2J"))
    a\x1b[2J
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def described(value: object) -> str:
    """Return a value as error messages show it: its `repr` without an address and cut to 80 characters, or its kind.

    >>> described("x"), described(object()), described(int)
    ("'x'", 'an object of the class object', 'the class int')
    """
    if isinstance(value, type):
        return f"the class {value.__name__}"
    cls = type(value)
    with suppress(Exception):  # an integer with thousands of digits, or a user's own `__repr__`
        if cls.__repr__ is not object.__repr__:
            return f"{ADDRESS.sub('', repr(value)):.80}"
    return f"an object of the class {cls.__name__}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, for messages. `plural`: if it is not the noun with an s.

    >>> counted(1, "die", "dice"), counted(0, "die", "dice"), counted(2_000, "byte")
    ('1 die', '0 dice', '2,000 bytes')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


class LiarsDiceError(Exception):
    """Base of every error that a user of the package can cause; the message is one printable line."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(ADDRESS.sub("", message)))


class MalformedError(LiarsDiceError):
    """Input that cannot be read."""


class NotationError(MalformedError):
    """Text that is not a bid, a call or a direction."""


class BidError(NotationError, ValueError):
    """Two values that are no quantity and face. A `ValueError`, so that decoders of messages name the place."""


class RecordError(MalformedError):
    """A match record that cannot be read or does not replay."""


class UnfinishedError(RecordError):
    """A match record that is valid so far, but ends before all events that follow from its last action."""


class IllegalActionError(LiarsDiceError):
    """A well-formed action that the rules do not allow in this state."""


class RulesetError(LiarsDiceError):
    """Rule choices that contradict each other or would let a match go on for ever."""


class CostlyRulesError(RulesetError):
    """Rule choices that can be played, but cost more time and memory than a table of a server may."""


class UnavailableError(LiarsDiceError):
    """A preset, file, bot or language that does not exist, or a file that cannot be opened."""
