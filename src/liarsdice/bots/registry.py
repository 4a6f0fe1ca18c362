"""The bots by name: `threshold:0.3` is the bot `threshold` with its parameter t set to 0.3."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from liarsdice.bots.bot import Bot
from liarsdice.bots.greedy import Greedy
from liarsdice.bots.threshold import Threshold
from liarsdice.bots.uniform import Random
from liarsdice.core.errors import MalformedError, UnavailableError

CREDIT = 0.7
"""Dice of a face that the bot `inference` believes each opponent to hold whose latest bid is on that face."""

DEFAULT_T = 0.4


class Kind(msgspec.Struct, frozen=True):
    """A sort of bot: what it does, in a line, and how one is made with a parameter t (None where it takes none)."""

    description: str
    with_t: Callable[[float], Bot] | None = None


KINDS: Mapping[str, Kind] = {
    "random": Kind("any legal move, all alike; calls out of turn one time in twenty"),
    "threshold": Kind(
        "challenges a bid whose chance is below t (threshold:0.3; t is 0.4 unless given), else makes the safest raise",
        Threshold,
    ),
    "greedy": Kind(
        "challenges when doubting has the better chance, else makes the highest raise whose chance is at least t",
        Greedy,
    ),
    "inference": Kind(
        "as threshold, but believes each opponent's latest bid to be worth 0.7 dice of its face",
        lambda t: Threshold(t, CREDIT),
    ),
}


def names() -> tuple[str, ...]:
    """The names that `make_bot` knows.

    >>> names()
    ('random', 'threshold', 'greedy', 'inference')
    """
    return tuple(KINDS)


def descriptions() -> dict[str, str]:
    """What each bot does, by name."""
    return {name: kind.description for name, kind in KINDS.items()}


def make_bot(spec: str, seed: int | str | None = None) -> Bot:
    """A bot from its name, with a parameter after a colon where it takes one; only `random` uses the seed.

    Raises `UnavailableError` for a name that is unknown and `MalformedError` for a parameter that makes no sense.

    >>> make_bot("threshold:0.3")
    Threshold(t=0.3, credit=0.0)
    """
    name, colon, parameter = spec.strip().lower().partition(":")
    kind = KINDS.get(name)
    if kind is None:
        raise UnavailableError(f"no bot is called {name!r} (there are: {', '.join(KINDS)})")
    if kind.with_t is not None:
        return kind.with_t(_chance(spec, parameter) if colon else DEFAULT_T)
    if colon:
        raise MalformedError(f"the bot {name} takes no parameter, not {spec!r}")
    return Random(seed)


def _chance(spec: str, text: str) -> float:
    try:
        t = float(text)
    except ValueError:
        t = -1.0
    if not 0 <= t <= 1:
        raise MalformedError(f"a bot's parameter is a chance from 0 to 1, as in threshold:0.4, not {spec!r}")
    return t
