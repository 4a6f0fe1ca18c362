"""The built-in bots by name, such as `threshold:0.3`: the bot `threshold` with its parameter t set to 0.3.

`champion@5` is a baseline, an earlier champion; the number of the champion of today names the champion.
"""

from collections.abc import Callable, Mapping
from functools import partial

import msgspec

from liarsdice.bots.difficulty import make_regular, make_sharp
from liarsdice.bots.protocol import Bot
from liarsdice.bots.simple.bid_odds import BID_CREDIT
from liarsdice.bots.simple.simple_bots import Greedy, Novice, Random, Threshold
from liarsdice.core.errors import MalformedError, UnavailableError

DEFAULT_T = 0.4
"""The parameter t of `threshold`, `greedy` and `inference` unless the name gives one."""


class BotKind(msgspec.Struct, frozen=True):
    """A kind of bot: its description in one line, and how to make it: from a parameter t, or from a seed.

    Both are None for the kinds with a network, which `make_bot` makes otherwise.
    """

    description: str
    from_t: Callable[[float], Bot] | None = None
    from_seed: Callable[[int | str | None], Bot] | None = None


MASTER, CHAMPION, SHARP, ADAPTIVE = "master", "champion", "sharp", "adaptive"
BOT_KINDS: Mapping[str, BotKind] = {
    MASTER: BotKind(
        "plays as the champion, learns within a match who else does, and then looks ahead while three or more players"
        " are left"
    ),
    CHAMPION: BotKind(
        "plays by a neural network that was trained against itself and simple bots, and by solved or balanced"
        " strategies in many rounds of two players; champion:bold, champion:cautious, champion:trusting and"
        " champion:suspicious change its style, and champion:adaptive learns within a match of two how the opponent"
        " plays"
    ),
    SHARP: BotKind("makes two of five decisions like the champion and the others like inference"),
    "regular": BotKind(
        "knows its own dice, and guesses what the others hold: mostly by the average, without wild dice",
        from_seed=make_regular,
    ),
    "novice": BotKind(
        "bids the face that it has most of, ignores wild dice, and takes its estimate for certain",
        from_seed=lambda _: Novice(),
    ),
    "random": BotKind(
        "makes any legal move with the same probability; calls out of turn one time in twenty", from_seed=Random
    ),
    "threshold": BotKind(
        "challenges a bid with a probability below t (0.4, or 0.3 as threshold:0.3), else makes the safest bid",
        Threshold,
    ),
    "greedy": BotKind(
        "challenges if that is more likely to be right, else makes the highest bid with a probability of at least t",
        Greedy,
    ),
    "inference": BotKind(
        "plays like threshold, but counts the latest bid of each opponent as 0.7 dice of its face",
        lambda t: Threshold(t, BID_CREDIT),
    ),
}


def bot_names() -> tuple[str, ...]:
    """Return the names that `make_bot` knows.

    >>> bot_names()[:4]
    ('master', 'champion', 'sharp', 'regular')
    """
    return tuple(BOT_KINDS)


def bot_descriptions() -> dict[str, str]:
    """Return what each bot does, by name."""
    return {name: kind.description for name, kind in BOT_KINDS.items()}


def make_bot(spec: str, seed: int | str | None = None) -> Bot:
    """Return a built-in bot by its name, with a parameter after a colon where it takes one.

    Bots that play by chance take their random numbers from `seed`; None is a new sequence each time. Raises
    `UnavailableError` for an unknown name and `MalformedError` for a parameter that the bot does not take.

    >>> make_bot("threshold:0.3")
    Threshold(t=0.3, credit=0.0)
    """
    return bot_maker(spec)(seed)


def bot_maker(spec: str) -> Callable[[int | str | None], Bot]:
    """Return what makes a bot from a seed; until then, nothing is loaded that it plays by.

    Raises `UnavailableError` and `MalformedError` as `make_bot`.
    """
    name, colon, parameter = spec.strip().lower().partition(":")
    if name.partition("@")[0] in {MASTER, CHAMPION, SHARP}:
        return _network_bot_maker(spec)
    kind = BOT_KINDS.get(name)
    if kind is None:
        raise UnavailableError(f"no bot is called {name!r:.80} (there are: {', '.join(BOT_KINDS)})")
    if kind.from_t is not None:
        bot = kind.from_t(_parse_t(spec, parameter) if colon else DEFAULT_T)
        return lambda _: bot
    if colon or kind.from_seed is None:
        raise MalformedError(f"the bot {name} takes no parameter, not {spec!r}")
    return kind.from_seed


def _network_bot_maker(spec: str) -> Callable[[int | str | None], Bot]:
    """Return what makes a champion, a bot that plays by it, or a baseline.

    `:bold` names a temper, `:adaptive` a champion that learns.
    """
    from liarsdice.bots.neural.champion import CHAMPION_NAME, Temper  # noqa: PLC0415  it loads numpy
    from liarsdice.bots.neural.champions import BASELINES, adaptive_champion, make_baseline, make_champion  # noqa: PLC0415

    name, colon, temper = spec.strip().lower().partition(":")
    if "@" in name and name not in {CHAMPION_NAME, *BASELINES}:
        raise UnavailableError(f"no bot is called {name:.80} (there are: {', '.join((CHAMPION_NAME, *BASELINES))})")
    if colon and name not in {CHAMPION, CHAMPION_NAME}:
        raise MalformedError(f"the bot {name} takes no parameter, not {spec!r}")
    if colon and temper not in {ADAPTIVE, *(choice.value for choice in Temper)}:
        raise MalformedError(
            f"a champion's temper is one of {', '.join(map(str, (*Temper, ADAPTIVE)))}, as in champion:bold,"
            f" not {spec!r}"
        )
    if name in BASELINES:
        return partial(make_baseline, name)
    if name == MASTER:
        return _make_master
    if name == SHARP:
        return lambda seed: make_sharp(make_champion(seed), seed)
    if temper == ADAPTIVE:
        return adaptive_champion
    return partial(make_champion, temper=Temper(temper) if colon else None)


def _make_master(seed: int | str | None) -> Bot:
    from liarsdice.bots.neural.master import Master  # noqa: PLC0415  it loads numba

    return Master(seed)


def _parse_t(spec: str, text: str) -> float:
    try:
        t = float(text)
    except ValueError:
        t = -1.0
    if not 0 <= t <= 1:
        raise MalformedError(f"a bot's parameter is a probability from 0 to 1, as in threshold:0.4, not {spec!r}")
    return t
