"""What losses cost: dice, and with how many a player is still in, or lives, and how a table counts them."""

from __future__ import annotations

from liarsdice.core.rules import loss_choices as lc
from liarsdice.core.rules.parts import RuleChoices


def has_lives(rules: RuleChoices) -> bool:
    """Return whether losses cost lives, and not dice."""
    return isinstance(rules.loss.lives, int | lc.LivesLimit)


def starting_lives(rules: RuleChoices) -> int | None:
    """Return the number of lives that each player starts with, None if losses cost dice."""
    return rules.starting_stakes if has_lives(rules) else None


def lives_are_limited(rules: RuleChoices) -> bool:
    """Return whether players have a number of lives that can run out."""
    return isinstance(rules.loss.lives, int)


def counts_taken(rules: RuleChoices) -> bool:
    """Return whether the table counts the lives that are lost, from none upwards, and not those that are left."""
    return has_lives(rules) and (not lives_are_limited(rules) or rules.loss.tally is lc.Tally.TAKEN)


def least_dice(rules: RuleChoices) -> int:
    """Return the fewest dice with which a player is still in (`loss.out_below`)."""
    if has_lives(rules):
        return 1
    fewest = rules.loss.out_below
    return fewest if isinstance(fewest, int) else 1


def shown_stakes(rules: RuleChoices, left: int) -> int:
    """Return the number that is shown at the table for a player with `left` dice or lives.

    >>> from liarsdice.core.rules.parts import Loss
    >>> shown_stakes(RuleChoices(loss=Loss(lives=5, tally=lc.Tally.TAKEN)), 3)
    2
    """
    return rules.starting_stakes - left if counts_taken(rules) else left
