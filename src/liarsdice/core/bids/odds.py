"""How likely a bid is, from what one player knows. Exact: whole numbers of equally likely rolls, as fractions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial
from typing import TypeVar

import msgspec

from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import HandBonus
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, is_stairs

Weight = TypeVar("Weight", int, float)
"""Ways to fall, or a chance."""
Share = tuple[bool, int, int]
"""Of some dice: whether wilds count on their account; their count with wilds, and without them."""


class Odds(msgspec.Struct, frozen=True):
    """Chances of a bid before the cups are lifted, as exact fractions in 0..1; `expected` is a number of dice."""

    p_true: Fraction
    p_exact: Fraction
    expected: Fraction


class Spec(msgspec.Struct, frozen=True):
    """What counting one face depends on; `wild` is the special face where it stands for the bid's face, else None."""

    faces: int
    face: int
    wild: int | None
    needs_natural: bool
    stairs: bool


def odds(rules: Ruleset, bid: Bid, hand: Hand, others: tuple[int, ...], *, wilds_count: bool) -> Odds:
    """The chances of a bid for a player who holds `hand` and sees that the others hold `others` dice each.

    `wilds_count`: whether the special face is wild in this round. Every unseen die is fair and independent.

    >>> from liarsdice.core.rules.presets import preset
    >>> odds(preset("basic").ruleset, Bid(2, 4), (4,), (1,), wilds_count=False).p_true
    Fraction(1, 6)
    """
    ways = distribution(spec_of(rules, bid.face, wilds_count=wilds_count), hand, others)
    total = sum(ways)
    return Odds(
        p_true=Fraction(sum(ways[bid.quantity :]), total),
        p_exact=Fraction(ways[bid.quantity] if bid.quantity < len(ways) else 0, total),
        expected=Fraction(sum(count * way for count, way in enumerate(ways)), total),
    )


def p_true(rules: Ruleset, bid: Bid, hand: Hand, others: tuple[int, ...], *, wilds_count: bool) -> float:
    """`odds(...).p_true` as a float, remembered: what a bot asks for every bid of a menu."""
    spec = spec_of(rules, bid.face, wilds_count=wilds_count)
    if spec.stairs:
        tail = _tail(spec, tuple(sorted(hand)), tuple(sorted(others)))
    else:  # nothing but the dice that count tells one hand from another
        wild = () if spec.wild is None else (spec.wild,) * hand.count(spec.wild)
        tail = _tail(spec, (spec.face,) * hand.count(spec.face) + wild, (sum(others),))
    return tail[bid.quantity] if bid.quantity < len(tail) else 0.0


def spec_of(rules: Ruleset, face: int, *, wilds_count: bool) -> Spec:
    """What counting `face` depends on in a round where the special face is wild or not."""
    special = rules.dice.special_face
    return Spec(
        faces=rules.dice.faces,
        face=face,
        wild=special if wilds_count and face != special else None,
        needs_natural=rules.wilds.needs_natural,
        stairs=rules.count.hand_bonus is HandBonus.STAIRS,
    )


@lru_cache(maxsize=65_536)
def _tail(spec: Spec, hand: Hand, others: tuple[int, ...]) -> tuple[float, ...]:
    ways = distribution(spec, hand, others)
    total, above, tail = sum(ways), 0, list[float]()
    for way in reversed(ways):
        above += way
        tail.append(above / total)
    return tuple(reversed(tail))


def distribution(spec: Spec, hand: Hand, others: tuple[int, ...]) -> tuple[int, ...]:
    """Ways in which the unseen dice can fall, by the resulting count from 0 up.

    Dice of different hands may be thrown together unless a bonus depends on whole hands.
    """
    unseen = tuple(sorted(others)) if spec.stairs else (sum(others),)
    return counted(spec, combined({share_of(spec, hand): 1}, _unseen_shares(spec, unseen)))


def counted(spec: Spec, ways: Mapping[Share, Weight]) -> tuple[Weight, ...]:
    """Ways by the resulting count from 0 up, from ways by the share of all dice."""
    counts: dict[int, Weight] = {}
    for (natural, with_wilds, without), number in ways.items():
        count = with_wilds if natural or spec.wild is None else without
        counts[count] = counts[count] + number if count in counts else number
    none = next(iter(ways.values())) * 0
    return tuple(counts.get(count, none) for count in range(max(counts) + 1))


def share_of(spec: Spec, hand: Hand) -> Share:
    """What one hand adds to the count."""
    natural = hand.count(spec.face)
    if spec.stairs and is_stairs(hand):
        return _stairs_share(spec, len(hand))
    return _share(spec, natural, 0 if spec.wild is None else hand.count(spec.wild))


def _share(spec: Spec, natural: int, wild: int) -> Share:
    return natural > 0 or not spec.needs_natural, natural + wild, 0


def _stairs_share(spec: Spec, size: int) -> Share:
    return spec.face <= size or not spec.needs_natural, size + 1, size + 1 if spec.needs_natural else 0


@lru_cache(maxsize=4096)
def _unseen_shares(spec: Spec, hands: tuple[int, ...]) -> dict[Share, int]:
    """Ordered rolls of several hands together, by their share of the count."""
    if not hands:
        return {_share(spec, 0, 0): 1}
    return combined(_unseen_shares(spec, hands[1:]), _hand_shares(spec, hands[0]))


@lru_cache(maxsize=1024)
def _hand_shares(spec: Spec, size: int) -> dict[Share, int]:
    """Ordered rolls of one hand, by its share of the count: multinomial in natural, wild and other faces."""
    wild_faces = 0 if spec.wild is None else 1
    blank_faces = spec.faces - 1 - wild_faces
    shares: dict[Share, int] = {}
    for natural in range(size + 1):
        for wild in range((size - natural) * wild_faces + 1):
            rest = size - natural - wild
            number = comb(size, natural) * comb(size - natural, wild) * blank_faces**rest
            share = _share(spec, natural, wild)
            shares[share] = shares.get(share, 0) + number
    if spec.stairs and 0 < size <= spec.faces:
        plain = _share(spec, int(spec.face <= size), int(spec.wild is not None and spec.wild <= size))
        shares[plain] -= factorial(size)
        shares[_stairs_share(spec, size)] = factorial(size)
    return shares


def combined(first: Mapping[Share, Weight], second: Mapping[Share, Weight]) -> dict[Share, Weight]:
    """Ways of some dice together with others, by their share of the count."""
    both: dict[Share, Weight] = {}
    for (natural, with_wilds, without), number in first.items():
        for (natural2, with_wilds2, without2), number2 in second.items():
            share = (natural or natural2, with_wilds + with_wilds2, without + without2)
            both[share] = both[share] + number * number2 if share in both else number * number2
    return both
