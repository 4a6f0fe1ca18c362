"""What people at a table choose from, where the log of the table stores the choice."""

from __future__ import annotations

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.choices import Choice

MAX_FACE = 99
"""Room for more pictures than any version of the page draws."""


class BanScope(Choice):
    """How long a removed person may not sit down: until the current or next match is over, or for good."""

    MATCH = "match"
    FOR_GOOD = "for_good"


class PlayoutSpeed(Choice):
    """How fast bots play out a match in which nobody else has dice left: as always, faster, or at once."""

    NORMAL = "normal"
    FAST = "fast"
    AT_ONCE = "at_once"


def check_face(face: int) -> None:
    """Raise `MalformedError` unless a number can be that of a picture; 0 is the one that follows from the name."""
    if not 0 <= face <= MAX_FACE:
        raise MalformedError(f"a face is a number from 0 to {MAX_FACE}, not {face}")
