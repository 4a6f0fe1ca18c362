"""The requests that a table remembers, so that none is handled twice.

A page sends only unanswered requests again, once it has reconnected, and seldom has more than one. A move that is sent
again after it was forgotten is refused, because it names the turn that it answers; any other command is handled again.
"""

MAX_HANDLED_REQUESTS = 256
"""How many of the latest requests a table remembers."""

MAX_REQUESTS_OF_ONE = 8
"""How many of the latest requests of each person a table remembers, too, however many the others have sent since."""

MAX_REQUEST_AGE = 1_000
"""How many entries ago a request may be that a table remembers, so that old table talk need not be kept for it."""


def remember_request(handled: dict[str, int], request_id: str, seq: int) -> dict[str, int]:
    """Return the known requests with one more, without those that are forgotten now.

    `handled`: the seqs by the ids of the requests, oldest first. Ids begin with what stands for the token of the sender
    and a colon. What is known depends on the latest requests only: a log that lost entries before the oldest of the
    known requests leads to the same ones.
    """
    updated = dict(handled)
    updated[request_id] = seq
    while next(iter(updated.values())) < seq - MAX_REQUEST_AGE:
        del updated[next(iter(updated))]
    keys = list(updated)
    older = keys[:-MAX_HANDLED_REQUESTS]
    for person in {_sender(request_id), *map(_sender, older[-1:])}:
        if any(key.startswith(person) for key in older):
            of_one = [key for key in keys if key.startswith(person)]
            if len(of_one) > MAX_REQUESTS_OF_ONE:
                del updated[of_one[0]]
    return updated


def _sender(request_id: str) -> str:
    """The part of a request's id that stands for the token of its sender, with the colon behind it."""
    return request_id[: request_id.find(":") + 1]
