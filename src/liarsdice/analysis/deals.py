"""The deals of a round, all or random ones, as arrays of how many dice show each face, and who opens a match."""

from collections.abc import Sequence
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.bids.odds import enumerate_hands
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, must_roll_again

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def deal_count(rules: Ruleset, dice: Sequence[int]) -> int:
    """Return how many deals there are of this many dice by seat, hands that are rolled again included."""
    return prod(comb(held + rules.dice.faces_at(seat) - 1, held) for seat, held in enumerate(dice))


def enumerate_deals(rules: Ruleset, dice: Sequence[int]) -> tuple[IntArray, FloatArray]:
    """Return all deals, int64 [deal, seat, face], how many dice show each face, and their probabilities.

    >>> from liarsdice.core.rules.presets import preset
    >>> deals, probs = enumerate_deals(preset("perudo").ruleset, (1, 1))
    >>> len(deals), float(probs.sum().round(9))
    (36, 1.0)
    """
    faces = most_faces(rules, len(dice))
    deals, probs = np.zeros((1, 0, faces), np.int64), np.ones(1)
    for seat, held in enumerate(dice):
        all_hands, ways = enumerate_hands(rules.dice.faces_at(seat), held)
        kept = [place for place, hand in enumerate(all_hands) if not must_roll_again(rules, hand)]
        counts = face_counts([all_hands[place] for place in kept], faces)
        weights = np.array(ways, np.float64)[kept]
        tiled = np.tile(counts, (len(deals), 1))[:, np.newaxis]
        deals = np.concatenate([np.repeat(deals, len(counts), axis=0), tiled], axis=1)
        probs = np.repeat(probs, len(counts)) * np.tile(weights / weights.sum(), len(probs))
    return deals, probs


def sample_deals(rules: Ruleset, dice: Sequence[int], count: int, rng: np.random.Generator) -> IntArray:
    """Return random deals, int64 [deal, seat, face], how many dice show each face."""
    faces = most_faces(rules, len(dice))
    deals = np.zeros((count, len(dice), faces), np.int64)
    for seat, held in enumerate(dice):
        deals[:, seat] = _rolls(rules.dice.faces_at(seat), held, count, faces, rng)
        while refused := [row for row in range(count) if must_roll_again(rules, _hand(deals[row, seat]))]:
            deals[refused, seat] = _rolls(rules.dice.faces_at(seat), held, len(refused), faces, rng)
    return deals


def starter_chances(rules: Ruleset, rolling: Sequence[int], count: int, rng: np.random.Generator) -> FloatArray:
    """Return how often each of some seats rolls the highest sum and so opens the match, float64 [rolling seat].

    `count`: how many rolls are drawn. Seats that tie roll again.
    """
    faces, ties = np.array([rules.dice.faces_at(seat) for seat in rolling]), np.ones((count, len(rolling)), np.bool_)
    while (rows := np.flatnonzero(ties.sum(axis=1) > 1)).size:
        rolls = rng.integers(1, faces + 1, (rules.first_starter.dice, len(rows), len(rolling))).sum(axis=0)
        sums = np.where(ties[rows], rolls, 0)
        ties[rows] = sums == sums.max(axis=1, keepdims=True)
    chances: FloatArray = ties.mean(axis=0)
    return chances


def face_counts(hands: Sequence[Hand], faces: int) -> IntArray:
    """Return how many dice show each face, int64 [hand, face]."""
    return np.array([[hand.count(face) for face in range(1, faces + 1)] for hand in hands], np.int64)


def _rolls(own_faces: int, held: int, count: int, faces: int, rng: np.random.Generator) -> IntArray:
    rolls = np.zeros((count, faces), np.int64)
    rolls[:, :own_faces] = rng.multinomial(held, np.full(own_faces, 1 / own_faces), count)
    return rolls


def _hand(counts: IntArray) -> Hand:
    return tuple(np.repeat(np.arange(1, len(counts) + 1), counts).tolist())


def most_faces(rules: Ruleset, seats: int) -> int:
    """Return the most faces that the dice of a seat have at a table of this many."""
    return max(map(rules.dice.faces_at, range(seats)))
