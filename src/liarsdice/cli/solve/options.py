"""The options that the `solve` commands share: reads and checks rules, dice, methods and numbers."""

from __future__ import annotations

import re

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.round_game import RoundStart, with_faces

DICE = re.compile(r"([1-9]\d{0,2})v([1-9]\d{0,2})")


def read_rules(name: str, faces: int | None) -> Ruleset:
    """Return the rules of a name, with `faces` faces unless that is None. Raises what `find_rules` raises."""
    rules = find_rules(name)
    return rules if faces is None else with_faces(rules, faces)


def read_method(name: str) -> Method:
    """Return the algorithm of a name. Raises `MalformedError` if there is none."""
    try:
        return Method(name.lower())
    except ValueError:
        raise MalformedError(f"--method is one of {', '.join(map(str, Method))}, not {name!r}") from None


def read_dice(dice: str) -> RoundStart:
    """Return the round start for dice such as `2v1`: those of the player who opens come first.

    Raises `MalformedError` if the text is anything else.

    >>> read_dice("2v1").dice
    (2, 1)
    """
    match = DICE.fullmatch(dice)
    if match is None:
        raise MalformedError(f"a round is named by the dice of the two players, such as 2v1, not {dice!r}")
    return RoundStart((int(match[1]), int(match[2])))


def with_starting_dice(rules: Ruleset, start: RoundStart) -> Ruleset:
    """Return the rules of a match that contains the round: players start with the larger of its two hands.

    If the rules have a special round, players start with at least two dice, as it needs a lost die.
    """
    return patched(rules, dice__per_player=max(*start.dice, 1 if rules.special_round is None else 2))


def require_positive(**numbers: float | None) -> None:
    """Raise `MalformedError` unless all numbers are positive and finite; None stands for an option not given."""
    for name, number in numbers.items():
        if number is not None and not 0 < number < float("inf"):
            raise MalformedError(f"--{name} is a number above 0, not {number}")
