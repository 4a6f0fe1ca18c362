"""What the commands that solve are asked for alike, read and checked."""

from __future__ import annotations

import re

import msgspec

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.game.round_game import with_faces
from liarsdice.solve.game.round_start import RoundStart

DICE = re.compile(r"([1-9]\d{0,2})v([1-9]\d{0,2})")


class SolveOptions(msgspec.Struct, frozen=True):
    """By which rules and with what dice, and how to learn."""

    rules: str
    dice: str
    faces: int | None
    method: str
    threads: int

    def start(self) -> RoundStart:
        """What the first round begins with. Raises `MalformedError`."""
        return read_dice(self.dice)

    def read_rules(self) -> Ruleset:
        """The rules, with as many faces as asked for. Raises what `find_rules` does."""
        return read_rules(self.rules, self.faces)

    def read_method(self) -> Method:
        """The way to learn. Raises `MalformedError`."""
        return read_method(self.method)


def read_rules(name: str, faces: int | None) -> Ruleset:
    """The rules of that name, with so many faces where that is asked for. Raises what `find_rules` does."""
    rules = find_rules(name)
    return rules if faces is None else with_faces(rules, faces)


def read_method(name: str) -> Method:
    """The way to learn of that name. Raises `MalformedError`."""
    try:
        return Method(name.lower())
    except ValueError:
        raise MalformedError(f"--method is one of {', '.join(map(str, Method))}, not {name!r}") from None


def read_dice(dice: str) -> RoundStart:
    """Dice as in `2v1`, who opens first. Raises `MalformedError`.

    >>> read_dice("2v1").dice
    (2, 1)
    """
    found = DICE.fullmatch(dice)
    if found is None:
        raise MalformedError(f"--dice is the dice of the two players, such as 2v1, not {dice!r}")
    return RoundStart((int(found[1]), int(found[2])))


def with_starting_dice(rules: Ruleset, start: RoundStart) -> Ruleset:
    """The same rules for a match in which a player starts with the more dice of the two.

    Where a last die brings a special round, that is two dice at least.
    """
    return patched(rules, dice__per_player=max(*start.dice, 1 if rules.special_round is None else 2))


def require_positive(**numbers: float | None) -> None:
    """Raise `MalformedError` unless all numbers that are given are above 0."""
    for name, number in numbers.items():
        if number is not None and not 0 < number < float("inf"):
            raise MalformedError(f"--{name} is a number above 0, not {number}")
