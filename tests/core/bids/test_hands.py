"""Hands are enumerated as multisets, each with the number of rolls that make it."""

from collections import Counter
from itertools import product
from math import comb

import pytest

from liarsdice.core.bids.odds import enumerate_hands, roll_count


@pytest.mark.parametrize("faces", [1, 2, 3, 6])
@pytest.mark.parametrize("dice", [0, 1, 2, 3, 4])
def test_every_roll_makes_one_of_the_hands(faces: int, dice: int) -> None:
    rolls = Counter(tuple(sorted(roll)) for roll in product(range(1, faces + 1), repeat=dice))
    hands, roll_counts = enumerate_hands(faces, dice)
    assert hands == tuple(sorted(rolls))
    assert roll_counts == tuple(rolls[hand] for hand in hands)
    assert len(hands) == comb(faces + dice - 1, dice)


def test_the_order_of_the_dice_does_not_change_the_number_of_rolls() -> None:
    assert roll_count((6, 1, 6)) == roll_count((1, 6, 6)) == 3
