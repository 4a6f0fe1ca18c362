"""What the two sides of `benchmarks.server` have to agree on: which tables there are, and who sits at them."""

import os
import resource

from liarsdice.server.http.auth import COOKIE

RULES = "perudo"
SEATS = 6
LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"


def code_of(place: int) -> str:
    """The code of the table at a place in the benchmark's row of tables."""
    letters = ""
    for _ in range(5):
        place, digit = divmod(place, len(LETTERS))
        letters += LETTERS[digit]
    return letters


def path_of(code: str) -> str:
    """Where the WebSocket of a table is."""
    return f"/ws/{code}"


def cookie_of(seat: int) -> str:
    """What the person in a seat sends along."""
    return f"{COOKIE}={token_of(seat)}"


def settle(core: int | None) -> None:
    """Stay on one core, where one is named, and hold as many connections as may be."""
    if core is not None:
        os.sched_setaffinity(0, {core})
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def token_of(seat: int) -> str:
    """The token of the person who sits in this seat of every table."""
    return f"seat-{seat}-of-every-table"
