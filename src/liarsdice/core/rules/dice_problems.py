"""Problems of rules about dice: their faces by seat, and which of them are counted."""

from __future__ import annotations

from collections.abc import Iterator

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.applicability import bids_are_about_own_dice
from liarsdice.core.rules.parts import RuleChoices
from liarsdice.core.rules.ruleset_problems import ProblemCode, RulesetProblem

MIN_FACES = 2
"""The fewest faces of a die."""

MAX_SEATS = 100
"""The most seats that rules can name the dice of where they do not limit the players."""


def faces_by_seat_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of dice that differ by seat: more seats than players, and impossible dice."""
    by_seat, most = rules.dice.faces_by_seat or (), rules.players.max or MAX_SEATS
    if len(by_seat) > most:
        yield RulesetProblem(ProblemCode.FACES_OF_NO_SEAT, {"seats": len(by_seat), "most": most})
    for faces in by_seat:
        if faces < MIN_FACES:
            values: dict[str, int | str] = {"path": "dice.faces_by_seat", "value": faces, "least": MIN_FACES}
            yield RulesetProblem(ProblemCode.TOO_LOW, values)
        if faces > rules.dice.faces:
            yield RulesetProblem(ProblemCode.FACES_ABOVE_HIGHEST, {"highest": faces, "faces": rules.dice.faces})


def counted_dice_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of bids about own dice, and of hands that are all different."""
    dice, bonus = rules.dice, rules.count.hand_bonus
    if bids_are_about_own_dice(rules) and bonus is not c.HandBonus.NONE:
        yield RulesetProblem(ProblemCode.OWN_DICE_BONUS)
    if not isinstance(rules.count.all_different, c.AllDifferent):
        return
    if not 2 <= dice.per_player <= dice.faces:
        yield RulesetProblem(ProblemCode.DIFFERENT_DICE, {"faces": dice.faces, "dice": dice.per_player})
    if bonus is c.HandBonus.STAIRS:
        yield RulesetProblem(ProblemCode.DIFFERENT_STAIRS)
