"""Tables of bid probabilities for compiled threshold policies; every number comes from `core.bids.odds`."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement

import numpy as np

from liarsdice.core.bids.odds import p_true
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import HandBonus
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim.array_schema import OddsTables

MAX_DICE = 100
"""With more dice on the table than this, the tables would take too long to compute."""
MAX_ROWS = 1_000_000
"""The most combinations of the opponents' hand sizes where whole hands earn a bonus."""


def empty_odds_tables() -> OddsTables:
    """Tables for policies that never look at them."""
    empty = np.zeros((1, 1, 1))
    return OddsTables(np.zeros(1, np.int64), np.zeros(1, np.int32), empty, empty, np.zeros((1, 2), np.int32))


@lru_cache(maxsize=64)
def make_odds_tables(rules: Ruleset, faces: tuple[int, ...], seats: int, max_hand: int, max_dice: int) -> OddsTables:
    """Tables of the probabilities of all bids on `faces`.

    `max_hand`: the most dice of one player. `max_dice`: the most dice on the table. Raises `UnavailableError` if there
    may be more than `MAX_DICE` dice, or if the hand sizes combine in more than `MAX_ROWS` ways.
    """
    if max_dice > MAX_DICE:
        raise UnavailableError(f"odds are worked out for at most {MAX_DICE} dice, and here there may be {max_dice}")
    if rules.count.hand_bonus is HandBonus.STAIRS:
        return _tables_by_hand_sizes(rules, faces, seats, max_hand, max_dice)
    special = rules.dice.special_face
    ordinary = next(face for face in (1, 2) if face != special)
    p_at_least = np.zeros((max_dice + 1, 2, max_dice + 2))
    for others in range(max_dice + 1):
        for kind in (0, 1):
            for needed in range(1, others + 1):
                # the own die of the face makes sure that a natural one is there, where the rules ask for one
                bid = Bid(needed + 1, ordinary)
                p_at_least[others, kind, needed] = p_true(rules, bid, (ordinary,), (others,), wilds_count=kind == 1)
    without_natural = np.zeros((1, 1, 1))
    if rules.wilds.needs_natural:
        without_natural = np.zeros((max_dice + 1, max_dice + 1, max_dice + 2))
        for others in range(max_dice + 1):
            for held in range(min(max_hand, max_dice - others) + 1):
                without_natural[others, held, 0] = 1.0
                for quantity in range(1, held + others + 1):
                    bid, hand = Bid(quantity, ordinary), (special,) * held
                    without_natural[others, held, quantity] = p_true(rules, bid, hand, (others,), wilds_count=True)
    face_kinds = np.array([[0, int(face != special)] for face in faces], np.int32)
    codes = np.arange(max_dice + 1)
    return OddsTables(codes, codes.astype(np.int32), p_at_least, without_natural, face_kinds)


def _tables_by_hand_sizes(
    rules: Ruleset, faces: tuple[int, ...], seats: int, max_hand: int, max_dice: int
) -> OddsTables:
    """Tables for rules under which whole hands earn a bonus, so that the sizes of the single hands matter.

    A combination of hand sizes is coded as a number to the base `seats`: its digit `d - 1` counts the hands of d dice.
    """
    if rules.wilds.needs_natural:
        raise UnavailableError("odds of hands with a bonus are not compiled where wild ones need a natural one")
    if (seats - 1) * seats ** (max_hand - 1) > MAX_ROWS:
        raise UnavailableError(f"{seats} hands of up to {max_hand} dice with a bonus are too many to tell apart")
    codes = np.zeros(max_dice + 1, np.int64)
    codes[1 : max_hand + 1] = [seats**digit for digit in range(min(max_hand, max_dice))]
    combinations = [
        sizes for sizes in combinations_with_replacement(range(max_hand + 1), seats - 1) if sum(sizes) <= max_dice
    ]
    rows = np.zeros((seats - 1) * seats ** (max_hand - 1) + 1, np.int32)
    p_at_least = np.zeros((len(combinations), 2 * len(faces), max_dice + seats + 1))
    for row, sizes in enumerate(combinations):
        rows[codes[list(sizes)].sum()] = row
        others = tuple(dice for dice in sizes if dice)
        for place, face in enumerate(faces):
            for wild in (0, 1):
                for needed in range(1, sum(others) + len(others) + 1):
                    p = p_true(rules, Bid(needed, face), (), others, wilds_count=wild == 1)
                    p_at_least[row, 2 * place + wild, needed] = p
    face_kinds = np.array([[2 * place, 2 * place + 1] for place in range(len(faces))], np.int32)
    return OddsTables(codes, rows, p_at_least, np.zeros((1, 1, 1)), face_kinds)
