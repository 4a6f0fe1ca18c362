"""From scenes to the numbers that a network reads, and the answers that it chooses among.

An answer is a bid (for each face one of four quantities in a row), or one of four that are no bids. Quantities are
relative to the least that is legal, and in opening to what the asked seat expects to lie there; that carries over from
one ruleset, or one number of dice, to another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.neural.observation import (
    MAY_CHALLENGE,
    MAY_EXACT,
    MAY_TURN,
    ON_TURN,
    PLACES,
    SEATS,
    Flags,
    Ints,
    Reals,
    Scene,
)
from liarsdice.bots.simple.bid_odds import CREDIT

STEPS = 4
BIDS = PLACES * STEPS
CHALLENGE, EXACT, SILENT, TURN = range(BIDS, BIDS + 4)
ANSWERS = BIDS + 4
FEATURES, OF_FACE = 217, 20
"""How many numbers a network reads, and how many of them are about each face."""
MOST_DICE = 60
"""Of more unseen dice than this the chances are those of so many."""


class Reading(NamedTuple):
    """What a network reads and may answer.

    `numbers[row, feature]`, `quantities[row, place, step]` of each answer that is a bid, `legal[row, answer]`, and
    `p_true[row, answer]`: how likely a bid is, with credit for what others bid; 0 for answers that are none.
    """

    numbers: Reals
    quantities: Ints
    legal: Flags
    p_true: Reals


def read(scene: Scene, *, knows_stairs: bool) -> Reading:
    """The features of scenes, and the answers that are legal in them.

    `knows_stairs`: whether what the own hand adds to a count takes account of stairs, as for networks up to
    `champion@3` it does not.
    """
    if not knows_stairs:
        scene = scene._replace(stairs=np.zeros_like(scene.stairs))
    unseen = scene.dice[:, 1:].sum(axis=1)
    own = _with_stairs(scene, scene.hand + _wild_help(scene, scene.hand[:, scene.special], scene.wild_if))
    chance = np.where(_helps(scene, scene.wild_if), 2.0, 1.0) / scene.faces
    expected = unseen[:, np.newaxis] * chance
    heard = CREDIT * _on_face(scene)
    quantities, legal_bids = _candidates(scene, own + expected)
    kinds = _helps(scene, scene.wild_if)[:, :, np.newaxis]
    credit = np.stack([np.zeros_like(heard), heard])  # none, and some
    needed = quantities - own[:, :, np.newaxis] - credit[..., np.newaxis]
    plain, credited = _at_least(scene.faces, kinds, unseen[:, np.newaxis, np.newaxis], needed)
    numbers = np.empty((len(own), FEATURES), np.float32)
    faces = numbers[:, : PLACES * OF_FACE].reshape(len(own), PLACES, OF_FACE)  # a view of them
    of_face = (
        scene.hand / 5,
        own / 5,
        expected / 5,
        legal_bids.any(axis=2),
        (quantities[:, :, 0] - own - expected) / 3,
        quantities[:, :, 0] / 10,
        _standing_on(scene),
        np.arange(PLACES) == scene.special,
        heard,
        _last_said(scene, 1),
        _last_said(scene, 0),
        _said_before(scene),
    )
    for column, told in enumerate(of_face):
        faces[:, :, column] = told
    np.multiply(plain, legal_bids, out=faces[:, :, len(of_face) : -STEPS], casting="same_kind")
    np.multiply(credited, legal_bids, out=faces[:, :, -STEPS:], casting="same_kind")
    rules = FEATURES - len(scene.rules)
    _tell_table(scene, unseen, numbers[:, PLACES * OF_FACE : rules])
    numbers[:, rules:] = scene.rules
    legal = np.zeros((len(own), ANSWERS), np.bool_)
    legal[:, :BIDS] = legal_bids.reshape(len(own), BIDS)
    legal[:, CHALLENGE] = scene.flags[:, MAY_CHALLENGE]
    legal[:, EXACT] = scene.flags[:, MAY_EXACT]
    legal[:, SILENT] = ~scene.flags[:, ON_TURN]
    legal[:, TURN] = scene.flags[:, MAY_TURN]
    p_true = np.zeros(legal.shape, np.float32)
    p_true[:, :BIDS] = credited.reshape(len(own), BIDS)
    return Reading(numbers, quantities, legal, p_true)


def _helps(scene: Scene, wild: Flags) -> Flags:
    """Whether the special face counts for each face, by `wild[row, place]`."""
    helps: Flags = wild & (np.arange(PLACES) != scene.special)
    return helps


def _wild_help(scene: Scene, held: Ints, wild: Flags) -> Ints:
    return held[:, np.newaxis] * _helps(scene, wild)


def _with_stairs(scene: Scene, own: Ints) -> Ints:
    """What the own hand adds to a count, [row] or [row, place]: one more than its dice where it is stairs."""
    shape = (-1,) + (1,) * (own.ndim - 1)
    return np.where(scene.stairs.reshape(shape), scene.dice[:, 0].reshape(shape) + 1, own)


def _on_face(scene: Scene) -> Ints:
    """How many others have their latest bid on each face: [row, place]."""
    return _said_on(scene.latest)


def _candidates(scene: Scene, likely: NDArray[np.float64]) -> tuple[Ints, Flags]:
    """Four quantities in a row for each face, and which are legal bids."""
    rows, most, _ = scene.may.shape
    any_legal = scene.may.any(axis=1)
    lowest = scene.may.argmax(axis=1) + 1
    highest = most - scene.may[:, ::-1].argmax(axis=1)
    opening = (scene.standing[:, 0] == 0)[:, np.newaxis]
    usual = np.floor(likely).astype(np.int64) - 1
    first = np.where(opening, np.clip(usual, lowest, np.maximum(highest - STEPS + 1, lowest)), lowest)
    first = np.where(any_legal, first, 1)
    quantities = first[:, :, np.newaxis] + np.arange(STEPS)
    within = quantities <= most
    at = np.minimum(quantities, most) - 1
    legal = scene.may[np.arange(rows)[:, np.newaxis, np.newaxis], at, np.arange(PLACES)[:, np.newaxis]]
    return quantities, np.logical_and(legal, within, out=legal)


def _standing_on(scene: Scene) -> Flags:
    on: Flags = scene.standing[:, 1, np.newaxis] == np.arange(PLACES)
    return on & (scene.standing[:, 0] > 0)[:, np.newaxis]


def _last_said(scene: Scene, seat: int) -> NDArray[np.float64]:
    """The quantity of one seat's latest bid at its face: [row, place]."""
    on = scene.latest[:, seat, 1, np.newaxis] == np.arange(PLACES)
    said: NDArray[np.float64] = on * scene.latest[:, seat, 0, np.newaxis] / 10
    return said


def _said_before(scene: Scene) -> NDArray[np.float64]:
    """How many others had their bid before the latest on each face, by halves."""
    return _said_on(scene.before) / 2


def _said_on(bids: Ints) -> Ints:
    """How many others said each face, by bids[row, seat, quantity or place]: [row, place]."""
    said = bids[:, 1:, 0] > 0
    counts: Ints = ((bids[:, 1:, 1, np.newaxis] == np.arange(PLACES)) & said[:, :, np.newaxis]).sum(axis=1)
    return counts


def _tell_table(scene: Scene, unseen: Ints, numbers: Reals) -> None:
    """Fill in what is not about one face: dice, the standing bid, who said what, and flags."""
    every = np.arange(len(unseen))
    quantity, place = scene.standing[:, 0], scene.standing[:, 1]
    helps = scene.wild & (place != scene.special)
    own = _with_stairs(scene, scene.hand[every, place] + scene.hand[:, scene.special] * helps)
    heard = CREDIT * _on_face(scene)[every, place]
    stands = quantity > 0
    needed = (quantity - own).astype(np.float64)
    needs = np.stack([needed, needed - heard, needed + 1, needed + 1 - heard])
    chances = np.where(stands, _at_least(scene.faces, helps, unseen, needs), 1.0)
    expected = unseen * np.where(helps, 2.0, 1.0) / scene.faces
    told = [
        scene.dice / 5,
        scene.latest[:, 1:, 0] / 10,
        scene.before[:, 1:, 0] / 10,
        (scene.latest[:, 1:, 1] == place[:, np.newaxis]) & (scene.latest[:, 1:, 0] > 0),
        scene.bidder[:, np.newaxis] == np.arange(1, SEATS),
        scene.flags,
    ]
    dice = scene.dice.sum(axis=1)
    alone = (
        unseen / 20,
        dice / 20,
        (scene.dice > 0).sum(axis=1) / 6,
        scene.dice[:, 0] / np.maximum(dice, 1),
        scene.wild,
        scene.bids / 8,
        stands,
        quantity / 10,
        own / 5,
        stands * (needed - expected) / 3,
        stands * (needed - expected - heard) / 3,
        chances[0],
        chances[1],
        chances[0] - chances[2],
        chances[1] - chances[3],
        scene.dice[every, np.maximum(scene.bidder, 0)] / 5 * stands,
    )
    for column, one in enumerate(alone):
        numbers[:, column] = one
    at = len(alone)
    for block in told:
        numbers[:, at : at + block.shape[1]] = block
        at += block.shape[1]
    assert at == numbers.shape[1]


def _tails() -> dict[int, NDArray[np.float64]]:
    """By faces: the chance that at least so many of some dice are of a face: [wild ones too, dice, needed]."""
    found = {}
    for faces in range(2, PLACES + 1):
        tails = np.zeros((2, MOST_DICE + 1, MOST_DICE + 2))
        for kind in (0, 1):
            p = (1 + kind) / faces
            ways = np.zeros(MOST_DICE + 1)
            ways[0] = 1
            for dice in range(MOST_DICE + 1):
                tails[kind, dice, :-1] = ways[::-1].cumsum()[::-1]
                ways[1:] = ways[1:] * (1 - p) + ways[:-1] * p
                ways[0] *= 1 - p
        found[faces] = tails
    return found


TAILS = _tails()


def _at_least(faces: int, kinds: Flags, others: Ints, needed: NDArray[np.float64]) -> NDArray[np.float64]:
    """The chance that others' dice hold so many of a face; between whole numbers on the straight line."""
    tails = TAILS[faces]
    need = np.minimum(np.maximum(needed, 0), MOST_DICE)
    below = need.astype(np.int64)
    share = need - below
    dice, kind = np.minimum(others, MOST_DICE), np.asarray(kinds).astype(np.int64)
    return tails[kind, dice, below] * (1 - share) + tails[kind, dice, below + 1] * share
