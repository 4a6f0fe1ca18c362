"""The probability that unseen dice hold at least so many of a face, for arrays of situations at once."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

MAX_DICE = 60
"""With more unseen dice than this, probabilities are those of this many."""


@cache
def _tail_probabilities(faces: int) -> FloatArray:
    """Return float64 [wilds help, dice, needed]: the probability that at least `needed` of `dice` dice count.

    The binomial distribution, whose success probability is 1/faces, or 2/faces where wild dice count too.
    """
    table = np.zeros((2, MAX_DICE + 1, MAX_DICE + 2))
    for wilds_help in (0, 1):
        p = (1 + wilds_help) / faces
        p_count = np.zeros(MAX_DICE + 1)
        p_count[0] = 1
        for dice in range(MAX_DICE + 1):
            table[wilds_help, dice, :-1] = p_count[::-1].cumsum()[::-1]
            p_count[1:] = p_count[1:] * (1 - p) + p_count[:-1] * p
            p_count[0] *= 1 - p
    return table


def p_at_least(faces: int, wilds_help: BoolArray, dice: IntArray, needed: FloatArray) -> FloatArray:
    """Return the probability that unseen dice hold at least `needed` of a face; linear between whole numbers.

    The arrays are broadcast against each other: `wilds_help`, bool [...], `dice`, int64 [...], and `needed`, float64
    [...]. Returns float64 [...].
    """
    table = _tail_probabilities(faces)
    clipped = np.minimum(np.maximum(needed, 0), MAX_DICE)
    whole = clipped.astype(np.int64)
    fraction = clipped - whole
    dice_index, wilds_index = np.minimum(dice, MAX_DICE), np.asarray(wilds_help).astype(np.int64)
    low, high = table[wilds_index, dice_index, whole], table[wilds_index, dice_index, whole + 1]
    return low * (1 - fraction) + high * fraction
