"""What can go wrong, as one small tree.

::

    LiarsDiceError
    ├── MalformedError          the input cannot be read: wrong type, wrong shape, not our notation
    │   ├── NotationError       text that is no bid, call or direction
    │   └── RecordError         a match record that is broken, truncated or from another engine
    │       └── UnfinishedError its last action lacks what follows from it
    ├── IllegalActionError      well-formed, but the rules do not allow it now
    ├── RulesetError            rule choices that do not work together
    └── UnavailableError        something asked for by name that does not exist here

Every message says what was wanted, what came and what would be allowed, in lower case and without a full stop.
"""


def printable(text: str) -> str:
    r"""The text with whatever could steer a terminal written out, such as `\x1b`; other people's files may hold it.

    >>> print(printable("a\x1b[2J"))
    a\x1b[2J
    """
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


class LiarsDiceError(Exception):
    """Base of every error that a user of the package can cause; its message is one printable line."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


class MalformedError(LiarsDiceError):
    """Input that cannot be read."""


class NotationError(MalformedError):
    """Text that is not a bid, a call or a direction."""


class RecordError(MalformedError):
    """A match record that is not one, or does not replay."""


class UnfinishedError(RecordError):
    """A match record that is right as far as it goes, but ends before all that follows from its last action."""


class IllegalActionError(LiarsDiceError):
    """A well-formed action that the rules do not allow in this state."""


class RulesetError(LiarsDiceError):
    """Rule choices that contradict each other or would let a match go on for ever."""


class UnavailableError(LiarsDiceError):
    """A name (of a preset, a bot, a file) that nothing answers to."""
