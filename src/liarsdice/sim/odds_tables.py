"""How likely bids are, as arrays for minds that ask: every number is the core's own."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement

import numpy as np

from liarsdice.core.bids.odds import p_true
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import HandBonus
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim.array_schema import Chances

MOST_DICE = 100
"""More dice than this make the odds of a whole table take too long."""
MOST_SETS = 1_000_000


def no_chances() -> Chances:
    """For tables at which nobody asks."""
    none = np.zeros((1, 1, 1))
    return Chances(np.zeros(1, np.int64), np.zeros(1, np.int32), none, none, np.zeros((1, 2), np.int32))


@lru_cache(maxsize=64)
def chances_of(rules: Ruleset, faces: tuple[int, ...], seats: int, hand: int, on_table: int) -> Chances:
    """The chances of all bids on `faces`. `hand`: the most dice of one player; `on_table`: of all together.

    Raises `UnavailableError` where there are too many, or too many kinds of hands to tell apart.
    """
    if on_table > MOST_DICE:
        raise UnavailableError(f"odds are worked out for at most {MOST_DICE} dice, and here there may be {on_table}")
    if rules.count.hand_bonus is HandBonus.STAIRS:
        return _with_stairs(rules, faces, seats, hand, on_table)
    special = rules.dice.special_face
    ordinary = next(face for face in (1, 2) if face != special)
    sure = np.zeros((on_table + 1, 2, on_table + 2))
    for others in range(on_table + 1):
        for kind in (0, 1):
            for needed in range(1, others + 1):
                # an own die of the face lies there in any case, so that a natural one need not be found
                bid = Bid(needed + 1, ordinary)
                sure[others, kind, needed] = p_true(rules, bid, (ordinary,), (others,), wilds_count=kind == 1)
    bare = np.zeros((1, 1, 1))
    if rules.wilds.needs_natural:
        bare = np.zeros((on_table + 1, on_table + 1, on_table + 2))
        for others in range(on_table + 1):
            for held in range(min(hand, on_table - others) + 1):
                for quantity in range(held + others + 1):
                    bid = Bid(quantity, ordinary)
                    bare[others, held, quantity] = p_true(rules, bid, (special,) * held, (others,), wilds_count=True)
    kinds = np.array([[0, int(face != special)] for face in faces], np.int32)
    codes = np.arange(on_table + 1)
    return Chances(codes, codes.astype(np.int32), sure, bare, kinds)


def _with_stairs(rules: Ruleset, faces: tuple[int, ...], seats: int, hand: int, on_table: int) -> Chances:
    """Where whole hands count, sets of hands are told apart by how many are of each size, a digit for each."""
    if rules.wilds.needs_natural:
        raise UnavailableError("odds of hands with a bonus are not compiled where wild ones need a natural one")
    if (seats - 1) * seats ** (hand - 1) > MOST_SETS:
        raise UnavailableError(f"{seats} hands of up to {hand} dice with a bonus are too many to tell apart")
    codes = np.zeros(on_table + 1, np.int64)
    codes[1 : hand + 1] = [seats**digit for digit in range(min(hand, on_table))]
    sets = [held for held in combinations_with_replacement(range(hand + 1), seats - 1) if sum(held) <= on_table]
    rows = np.zeros((seats - 1) * seats ** (hand - 1) + 1, np.int32)
    most = on_table + seats
    sure = np.zeros((len(sets), 2 * len(faces), most + 1))
    for row, held in enumerate(sets):
        rows[codes[list(held)].sum()] = row
        others = tuple(dice for dice in held if dice)
        for place, face in enumerate(faces):
            for wild in (0, 1):
                for needed in range(1, sum(others) + len(others) + 1):
                    p = p_true(rules, Bid(needed, face), (), others, wilds_count=wild == 1)
                    sure[row, 2 * place + wild, needed] = p
    kinds = np.array([[2 * place, 2 * place + 1] for place in range(len(faces))], np.int32)
    return Chances(codes, rows, sure, np.zeros((1, 1, 1)), kinds)
