"""Bots of a user's network or blueprint file, and bots that search: they know the champion that they are made for."""

import re
from functools import cache
from pathlib import Path

from liarsdice.bots.neural.champion import Champion
from liarsdice.bots.neural.champions import blueprint_champion
from liarsdice.bots.neural.hunter import MOST_BUDGET, USUAL_BUDGET, Hunter, Searcher, load_kernels
from liarsdice.bots.neural.network import Network, read_network
from liarsdice.bots.protocol import Bot
from liarsdice.core.errors import MalformedError, UnavailableError


def network_champion(spec: str, seed: int | str | None) -> Champion:
    """Return a champion that plays by the network in a file.

    Raises `MalformedError` if the name has no file, and `UnavailableError` if the file holds no network.
    """
    return Champion(_read_network_file(_file_of(spec, "network:FILE.npz")), seed, heeds_own_dice=False)


def champion_with_blueprints(spec: str, seed: int | str | None) -> Champion:
    """Return a champion that plays the blueprints in a file.

    Raises `MalformedError` if the name has no file, and what `blueprint_champion` raises.
    """
    return blueprint_champion(_file_of(spec, "blueprint:FILE.ldb"), seed)


def hunter_of(spec: str, target: Bot, seed: int | str | None) -> Hunter:
    """Return a hunter of a bot. The hunter of a searcher hunts the champion that decides with two players left.

    Raises `MalformedError` if it cannot know the bot's probabilities.
    """
    if isinstance(target, Searcher):
        target = target.champion
    if not isinstance(target, Champion) or target.temper is not None:
        raise MalformedError(f"a hunter knows a champion without a temper or a network, not {spec!r}")
    return Hunter(target, seed)


def searcher_of(spec: str, champion: Bot, seed: int | str | None, budget: str | None = None) -> Searcher:
    """Return a bot that searches from a champion's policy, and computes blueprints for rounds of two players.

    `budget`: the work of a decision, in hundredths of the usual; None for the usual. Raises `MalformedError` for any
    other bot, and unless the budget is a number from 1 to `MOST_BUDGET`.
    """
    if not isinstance(champion, Champion) or champion.temper is not None:
        raise MalformedError(f"only a champion without a temper or a network can search, not {spec!r}")
    work = parse_budget(spec, budget)
    champion.compute_blueprints(work)
    load_kernels()
    return Searcher(champion, seed, work)


def parse_budget(spec: str, budget: str | None) -> int:
    """Return the budget in the name of a bot that searches, in hundredths of the usual work.

    Raises `MalformedError` unless it is a number from 1 to `MOST_BUDGET`.

    >>> parse_budget("search[50]:champion", "50"), parse_budget("search:champion", None)
    (50, 100)
    """
    if budget is None:
        return USUAL_BUDGET
    digits = budget.strip()
    if re.fullmatch(r"[0-9]{1,5}", digits) and 1 <= int(digits) <= MOST_BUDGET:
        return int(digits)
    raise MalformedError(
        f"a budget is 1 to {MOST_BUDGET} hundredths of the usual work, as in search[50]:…, not {spec!r}"
    )


def _file_of(spec: str, form: str) -> Path:
    """Return the file in a name. Raises `MalformedError` if there is none; `form`: how such a name is written."""
    if path := spec.partition(":")[2]:
        return Path(path).resolve()
    raise MalformedError(f"such a bot is written {form}, not {spec!r}")


@cache
def _read_network_file(path: Path) -> Network:
    """Return the network in a file, read once per process."""
    try:
        return read_network(path)
    except OSError as error:
        raise UnavailableError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise UnavailableError(f"{path} holds no network that plays, such as best.npz of liarsdice train") from error
