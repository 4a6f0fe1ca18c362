"""Passing: which hands allow it, and with how many dice a player can have one of them."""

from __future__ import annotations

from collections.abc import Iterator
from math import perm

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.lives import has_lives
from liarsdice.core.rules.parts import RuleChoices
from liarsdice.core.rules.pass_hand import PassHand

FULL_HOUSE_DICE = (2, 3)
"""How many dice of each of its two faces a full house has."""


def pass_hands(rules: RuleChoices) -> tuple[PassHand, ...]:
    """Return the hands with which players may pass; empty if nobody may pass."""
    return rules.bidding.pass_with if isinstance(rules.bidding.pass_with, tuple) else ()


def least_dice_to_pass(rules: RuleChoices) -> int:
    """Return the fewest dice with which a player may pass: `bidding.pass_dice`, or all that a player starts with."""
    least = rules.bidding.pass_dice
    return least if isinstance(least, int) else rules.dice.per_player


def pass_hand_of(rules: RuleChoices, hand: tuple[int, ...]) -> PassHand | None:
    """Return what a hand is that allows a pass; None if it does not.

    >>> from liarsdice.core.rules.presets import preset
    >>> pass_hand_of(preset("perudo+pass").ruleset, (2, 5, 2, 5, 2))
    PassHand.FULL_HOUSE
    """
    if len(hand) < least_dice_to_pass(rules):
        return None
    return next((kind for kind in pass_hands(rules) if _is_hand(kind, hand)), None)


def _is_hand(kind: PassHand, hand: tuple[int, ...]) -> bool:
    counts = sorted(hand.count(face) for face in set(hand))
    match kind:
        case PassHand.ALIKE:
            return len(counts) == 1
        case PassHand.ALL_DIFFERENT:
            return len(counts) == len(hand)
        case PassHand.FULL_HOUSE:
            return tuple(counts) == FULL_HOUSE_DICE


def roll_count_to_pass(rules: RuleChoices, dice: int) -> int:
    """Return the number of ordered rolls of `dice` dice that allow a pass, of `faces ** dice`."""
    return sum(_roll_count(rules, kind, dice) for kind in set(pass_hands(rules)))


def impossible_pass_hands(rules: RuleChoices) -> Iterator[PassHand]:
    """Yield the hands of `bidding.pass_with` that nobody can have with enough dice; with lives, all keep their dice."""
    full = rules.dice.per_player
    sizes = range(full if has_lives(rules) else least_dice_to_pass(rules), full + 1)
    for kind in pass_hands(rules):
        if not any(_roll_count(rules, kind, dice) for dice in sizes):
            yield kind


def _roll_count(rules: RuleChoices, kind: PassHand, dice: int) -> int:
    faces, full = rules.dice.faces, rules.dice.per_player
    if dice < least_dice_to_pass(rules):
        return 0
    match kind:
        case PassHand.ALIKE:
            return faces
        case PassHand.ALL_DIFFERENT if rules.count.all_different is c.AllDifferent.ROLLED_AGAIN and dice == full:
            return 0
        case PassHand.ALL_DIFFERENT:
            return perm(faces, dice)
        case PassHand.FULL_HOUSE:
            return 10 * faces * (faces - 1) if dice == sum(FULL_HOUSE_DICE) else 0
