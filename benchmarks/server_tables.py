"""What the server and the clients of `benchmarks.server` agree on: the codes of tables, and the tokens of players."""

import os
import resource

from liarsdice.server.http.auth import COOKIE

RULES = "perudo"
SEATS = 6
CODE_ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"


def code_of(number: int) -> str:
    """Return the code of the table with a number."""
    letters = ""
    for _ in range(5):
        number, digit = divmod(number, len(CODE_ALPHABET))
        letters += CODE_ALPHABET[digit]
    return letters


def path_of(code: str) -> str:
    """Return the path of a table's WebSocket."""
    return f"/ws/{code}"


def cookie_of(seat: int) -> str:
    """Return the cookie of the person in a seat."""
    return f"{COOKIE}={token_of(seat)}"


def pin_to_core(core: int | None) -> None:
    """Pin this process to a core, if one is given, and raise its limit of open files to the maximum."""
    if core is not None:
        os.sched_setaffinity(0, {core})
    _, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))


def token_of(seat: int) -> str:
    """Return the token of the person who has this seat at every table."""
    return f"seat-{seat}-of-every-table"
