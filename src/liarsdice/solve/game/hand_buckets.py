"""Hands that add alike to the count of a standing bid: a call of the bid ends alike for all hands of one bucket."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.engine.state import State
from liarsdice.core.rules.choices import SuspendedBy
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, tally


def hand_buckets(
    state: State, hands: tuple[tuple[Hand, ...], tuple[Hand, ...]]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return by seat, int32 [hand], the bucket of each hand, numbered from 0 in the order of what hands add."""
    if state.bid is None:
        return np.zeros(len(hands[0]), np.int32), np.zeros(len(hands[1]), np.int32)
    first, second = (_buckets(state.ruleset, held, state.bid.face, wilds_count=state.wilds_count) for held in hands)
    return first, second


@lru_cache(maxsize=64)
def _buckets(rules: Ruleset, held: tuple[Hand, ...], face: int, *, wilds_count: bool) -> NDArray[np.int32]:
    """Return the bucket of each hand, int32 [hand]. It depends on the face of a bid, not on its quantity."""
    counts = [_matching_dice(rules, hand, face, wilds_count=wilds_count) for hand in held]
    numbers = {count: number for number, count in enumerate(sorted(set(counts)))}
    return np.array([numbers[count] for count in counts], np.int32)


def _matching_dice(rules: Ruleset, hand: Hand, face: int, *, wilds_count: bool) -> tuple[int, int]:
    """Return what a hand adds to the count with wild dice, and without; these two numbers decide every call.

    The second one counts where a natural die is needed, and where a challenge of the opening bid counts no wild dice.
    """
    natural = tally(rules, (hand,), face, wilds_count=False).count
    # the second hand makes sure that a natural die is there, where the rules ask for one
    matching = tally(rules, (hand, (face,)), face, wilds_count=True).counted[0] if wilds_count else natural
    both = rules.wilds.needs_natural or SuspendedBy.OPENING_CHALLENGE in rules.wilds.suspended_by
    return (matching, natural) if both else (matching, matching)
