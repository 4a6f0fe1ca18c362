"""The probability of a bid on the sum of all dice, exact: whole numbers of equally likely rolls."""

from __future__ import annotations

from functools import lru_cache

from liarsdice.core.bids.hands import require_hand_sizes
from liarsdice.core.rules.tally import Hand

UnseenDice = tuple[tuple[int, int], ...]
"""Dice that a player does not see, by hand: how many, and the number of their faces."""


def sum_distribution(hand: Hand, unseen: UnseenDice) -> tuple[int, ...]:
    """Return the number of rolls of the unseen dice that lead to each sum of all dice, by the sum from 0 up.

    Raises `MalformedError` for a negative number of dice.

    >>> sum_distribution((2,), ((1, 3),))
    (0, 0, 0, 1, 1, 1)
    """
    require_hand_sizes(tuple(dice for dice, _ in unseen))
    rolls = [0] * sum(hand) + [1]
    for dice, faces in unseen:
        for _ in range(dice):
            rolls = [sum(rolls[max(total - faces, 0) : total]) for total in range(len(rolls) + faces)]
    return tuple(rolls)


@lru_cache(maxsize=4096)
def p_sum_at_least(total: int, hand: Hand, unseen: UnseenDice) -> float:
    """Return the probability (0 to 1) that all dice add up to at least `total`."""
    rolls = sum_distribution(hand, unseen)
    return sum(rolls[max(total, 0) :]) / sum(rolls)
