"""The bots by name: `threshold:0.3` is the bot `threshold` with its parameter t set to 0.3.

`champion@1` is the bot `champion` with its first network, whatever newer ones there are; `sharp@1` plays by it too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from liarsdice.bots.difficulty import regular, sharp
from liarsdice.bots.protocol import Bot
from liarsdice.bots.simple.bid_odds import CREDIT
from liarsdice.bots.simple.greedy import Greedy
from liarsdice.bots.simple.novice import Novice
from liarsdice.bots.simple.random_bot import Random
from liarsdice.bots.simple.threshold import Threshold
from liarsdice.core.errors import MalformedError, UnavailableError

DEFAULT_T = 0.4


class Kind(msgspec.Struct, frozen=True):
    """A sort of bot: what it does, in a line, and how one is made: with a parameter t, or with a seed."""

    description: str
    with_t: Callable[[float], Bot] | None = None
    with_seed: Callable[[int | str | None], Bot] | None = None


CHAMPION, SHARP = "champion", "sharp"
KINDS: Mapping[str, Kind] = {
    CHAMPION: Kind(
        "plays by a network that learned by playing itself and simple bots, and exactly when both hold their last die;"
        " champion:bold, cautious, trusting and suspicious lean to their side, champion@1 stays what it is"
    ),
    SHARP: Kind("plays as the champion, and in two decisions of five loses the thread and plays as a regular"),
    "regular": Kind("as threshold, but takes a guess every other time, as the novice does", with_seed=regular),
    "novice": Kind(
        "bids what it holds most of, forgets that wild ones count, and takes its guess for certain",
        with_seed=lambda _: Novice(),
    ),
    "random": Kind("any legal move, all alike; calls out of turn one time in twenty", with_seed=Random),
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
    ('champion', 'sharp', 'regular', 'novice', 'random', 'threshold', 'greedy', 'inference')
    """
    return tuple(KINDS)


def descriptions() -> dict[str, str]:
    """What each bot does, by name."""
    return {name: kind.description for name, kind in KINDS.items()}


def make_bot(spec: str, seed: int | str | None = None) -> Bot:
    """A bot from its name, with a parameter after a colon where it takes one. The seed is for those who play by chance.

    Raises `UnavailableError` for a name that is unknown and `MalformedError` for a parameter that makes no sense.

    >>> make_bot("threshold:0.3")
    Threshold(t=0.3, credit=0.0)
    """
    name, colon, parameter = spec.strip().lower().partition(":")
    if name.partition("@")[0] in {CHAMPION, SHARP}:
        return _trained(spec, seed)
    kind = KINDS.get(name)
    if kind is None:
        raise UnavailableError(f"no bot is called {name!r} (there are: {', '.join(KINDS)})")
    if kind.with_t is not None:
        return kind.with_t(_chance(spec, parameter) if colon else DEFAULT_T)
    if colon or kind.with_seed is None:
        raise MalformedError(f"the bot {name} takes no parameter, not {spec!r}")
    return kind.with_seed(seed)


def _trained(spec: str, seed: int | str | None) -> Bot:
    """A bot with a network: the newest, or with `@1` that one for ever; after a colon a champion's temper."""
    from liarsdice.bots.neural.champion import LATEST, LEANINGS, Champion, Temper, model  # noqa: PLC0415  it loads numpy

    name, colon, temper = spec.strip().lower().partition(":")
    family, at, number = name.partition("@")
    number = number if at else str(LATEST)
    if number not in map(str, range(1, LATEST + 1)):
        raise UnavailableError(f"there is no {name} (there are: {family}@1 to {family}@{LATEST})")
    if colon and family != CHAMPION:
        raise MalformedError(f"the bot {family} takes no parameter, not {spec!r}")
    if colon and temper not in {one.value for one in Temper}:
        raise MalformedError(
            f"a champion's temper is one of {', '.join(map(str, Temper))}, as in champion:bold, not {spec!r}"
        )
    champion = Champion(model(int(number)), seed, Temper(temper) if colon else None, LEANINGS[int(number)])
    return champion if family == CHAMPION else sharp(champion, seed)


def _chance(spec: str, text: str) -> float:
    try:
        t = float(text)
    except ValueError:
        t = -1.0
    if not 0 <= t <= 1:
        raise MalformedError(f"a bot's parameter is a chance from 0 to 1, as in threshold:0.4, not {spec!r}")
    return t
