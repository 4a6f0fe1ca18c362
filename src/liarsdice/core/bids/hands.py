"""Hands as multisets of dice: which there are, and in how many ways each can be rolled."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import factorial, prod

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand


def enumerate_hands(faces: int, dice: int) -> tuple[tuple[Hand, ...], tuple[int, ...]]:
    """Return all hands of a number of dice as multisets, and the number of ordered rolls that make each.

    The faces of a hand ascend, and so do the hands. There are `comb(faces + dice - 1, dice)` hands, and the numbers of
    rolls add up to `faces ** dice`.

    >>> enumerate_hands(2, 2)
    (((1, 1), (1, 2), (2, 2)), (1, 2, 1))
    """
    hands = tuple(combinations_with_replacement(range(1, faces + 1), dice))
    return hands, tuple(roll_count(hand) for hand in hands)


def roll_count(hand: Hand) -> int:
    """Return the number of ordered rolls that make a hand: the multinomial coefficient of its faces.

    >>> roll_count((1, 1, 2))
    3
    """
    return factorial(len(hand)) // prod(factorial(hand.count(face)) for face in set(hand))


def remove_dice(hand: Hand, dice: Hand) -> Hand | None:
    """Return the dice of a hand without some of them, in their order; None if the hand lacks one.

    >>> remove_dice((4, 1, 4, 6), (4, 6)), remove_dice((4, 1), (4, 4))
    ((1, 4), None)
    """
    left = list(hand)
    for die in dice:
        if die not in left:
            return None
        left.remove(die)
    return tuple(left)


def require_hand(rules: Ruleset, hand: Hand) -> None:
    """Raise `MalformedError` unless every die of the hand shows a face of these rules' dice."""
    faces = rules.dice.faces
    if not all(type(die) is int and 1 <= die <= faces for die in hand):
        raise MalformedError(f"a hand has dice with faces 1 to {faces}, not {hand!r:.80}")


def require_hand_sizes(sizes: tuple[int, ...]) -> None:
    """Raise `MalformedError` unless every size of a hand is a whole number of at least 0."""
    if not all(type(size) is int and size >= 0 for size in sizes):
        raise MalformedError(f"hands have whole numbers of dice, at least 0, not {sizes!r:.80}")
