"""The probability that a hand of unknown dice allows its player to pass."""

from __future__ import annotations

from math import perm

from liarsdice.core.rules.choices import AllDifferent
from liarsdice.core.rules.meaning import roll_count_to_pass
from liarsdice.core.rules.ruleset import Ruleset


def p_pass(rules: Ruleset, dice: int) -> float:
    """Return the probability that `dice` rolled dice allow a pass, whatever is bid or said.

    Where hands that are all different are rolled again, it is that of the hands that are kept.

    >>> from liarsdice.core.rules.presets import preset
    >>> round(p_pass(preset("perudo+pass").ruleset, 5), 3)
    0.132
    """
    faces = rules.dice.faces
    rolls: int = faces**dice
    if rules.count.all_different is AllDifferent.ROLLED_AGAIN and dice == rules.dice.per_player:
        rolls -= perm(faces, dice)
    return roll_count_to_pass(rules, dice) / rolls
