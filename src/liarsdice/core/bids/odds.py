"""The probability of a bid, from what one player knows, exact: whole numbers of equally likely rolls, as fractions.

This module is the reference for odds in the package. The bots, the tables of the compiled simulator and the beliefs of
the neural bots rest on it or are tested against it.

Unseen dice are fair and independent. The count of a face depends on each group of dice through its `Share` alone, so
the distribution of the count is a convolution of the groups' shares.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod
from typing import TypeVar

import msgspec

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bid_space import require_bid
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import AllDifferent, HandBonus
from liarsdice.core.rules.meaning import (
    bids_are_about_own_dice,
    has_face_off,
    roll_count_to_pass,
    rolled_again_count,
    straights,
)
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, alike_bonus, is_stairs, listed_hand


def enumerate_hands(faces: int, dice: int) -> tuple[tuple[Hand, ...], tuple[int, ...]]:
    """Return all hands of a number of dice as multisets, and the number of ordered rolls that make each.

    The faces of a hand ascend, and so do the hands. There are `comb(faces + dice - 1, dice)` hands, and the numbers of
    rolls add up to `faces ** dice`.

    >>> enumerate_hands(2, 2)
    (((1, 1), (1, 2), (2, 2)), (1, 2, 1))
    """
    hands = tuple(combinations_with_replacement(range(1, faces + 1), dice))
    return hands, tuple(roll_count(hand) for hand in hands)


def hands_by_rules(rules: Ruleset, faces: int, dice: int) -> tuple[tuple[Hand, ...], tuple[int, ...]]:
    """Return all hands and their numbers of rolls as `enumerate_hands`, but stairs out of order as a hand of their own.

    It comes last, and only where stairs in order count for more (`listed_hand`). Where dice count twice, hands that
    differ in these dice are different.

    >>> from liarsdice.core.rules.overlay import patched
    >>> from liarsdice.core.rules.presets import preset
    >>> in_order = patched(preset("snyd-stairs").ruleset, count__hand_bonus=HandBonus.STAIRS_IN_ORDER)
    >>> hands_by_rules(in_order, 2, 2)
    (((1, 1), (1, 2), (2, 2), (2, 1)), (1, 1, 1, 1))
    """
    if double := rules.dice.double_count(dice):
        firsts, others = enumerate_hands(faces, double), enumerate_hands(faces, dice - double)
        hands = tuple([first + other for first, other in product(firsts[0], others[0])])
        return hands, tuple([first * other for first, other in product(firsts[1], others[1])])
    hands, rolls = enumerate_hands(faces, dice)
    stairs = tuple(range(1, dice + 1))
    if rules.count.hand_bonus is not HandBonus.STAIRS_IN_ORDER or not 2 <= dice <= faces:
        return hands, rolls
    rolls = tuple([1 if hand == stairs else count for hand, count in zip(hands, rolls, strict=True)])
    return (*hands, stairs[::-1]), (*rolls, factorial(dice) - 1)


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


def sum_distribution(hand: Hand, unseen: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
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
def p_sum_at_least(total: int, hand: Hand, unseen: tuple[tuple[int, int], ...]) -> float:
    """Return the probability (0 to 1) that all dice add up to at least `total`."""
    rolls = sum_distribution(hand, unseen)
    return sum(rolls[max(total, 0) :]) / sum(rolls)


Weight = TypeVar("Weight", int, float)
"""A number of rolls, or a probability."""
Share = tuple[bool, int, int]
"""What a group of dice adds to the count of a face: whether it lets wild dice count, its count with wild dice counted,
and its count without them."""
UnseenDice = tuple[int, int]
"""Dice of one hand, or of several, that a player does not see: how many, and the number of their faces."""


class Odds(msgspec.Struct, frozen=True):
    """The probabilities (exact, in 0..1) that a bid is true and that it is exactly right.

    `expected` is the expected count of the bid's face, in dice.
    """

    p_true: Fraction
    p_exact: Fraction
    expected: Fraction


class CountSpec(msgspec.Struct, frozen=True):
    """What the count of one face depends on; `wild` is the special face if it counts as the bid's face, else None.

    `stairs`: the bonus of hands. `doubles`: how many dice of a hand count twice, by the number of its dice. By the
    number of its dice, 0 if there is none: `alike`, the hand that counts for more if all of them are alike,
    `worthless`, the hand that counts for nothing if all of them are different, and `rolled_again`, the hand that nobody
    keeps if all of them are different; if there are `straights`, the last two are only about these.
    """

    faces: int
    face: int
    wild: int | None
    needs_natural: bool
    stairs: HandBonus = HandBonus.NONE
    alike: int = 0
    worthless: int = 0
    rolled_again: int = 0
    straights: tuple[Hand, ...] = ()
    doubles: tuple[int, ...] = ()

    @property
    def depends_on_hands(self) -> bool:
        """Whether some hands count for more or for nothing, so that it matters which dice lie together."""
        return self.stairs.is_for_stairs or self.alike + self.worthless + self.rolled_again > 0 or bool(self.doubles)

    def double_count(self, dice: int) -> int:
        """Return how many of the dice of a hand, its first ones, count twice."""
        return self.doubles[min(dice, len(self.doubles) - 1)] if self.doubles else 0


def odds(
    rules: Ruleset, bid: Bid, hand: Hand, others: tuple[int, ...], *, wilds_count: bool, faces: tuple[int, ...] = ()
) -> Odds:
    """Return the odds of a bid for a player who holds `hand` and sees that the other players hold `others` dice each.

    `wilds_count`: whether the special face is wild in this round. `faces`: the number of faces of each player's dice,
    in the order of `others`; without them, all dice have `rules.dice.faces`. Raises `MalformedError` unless the bid has
    a quantity of at least 1 and a face of the dice, the hand shows faces of the dice, `others` are whole numbers from 0
    up, and `faces` are as many as `others`, from 1 up.

    >>> from liarsdice.core.rules.presets import preset
    >>> odds(preset("basic").ruleset, Bid(2, 4), (4,), (1,), wilds_count=False).p_true
    Fraction(1, 6)
    """
    require_bid(rules, bid, any_face=True)
    require_hand(rules, hand)
    require_hand_sizes(others)
    if bid.is_sum:
        rolls = sum_distribution(hand, _dice_by_hand(rules.dice.faces, others, faces))
    else:
        rolls = count_distribution(count_spec(rules, bid.face, wilds_count=wilds_count), hand, others, faces)
    total = sum(rolls)
    return Odds(
        p_true=Fraction(sum(rolls[bid.quantity :]), total),
        p_exact=Fraction(rolls[bid.quantity] if bid.quantity < len(rolls) else 0, total),
        expected=Fraction(sum(count * number for count, number in enumerate(rolls)), total),
    )


def p_true(
    rules: Ruleset, bid: Bid, hand: Hand, others: tuple[int, ...], *, wilds_count: bool, faces: tuple[int, ...] = ()
) -> float:
    """Return `odds(...).p_true` as a float in 0..1, cached: the form for bots, which ask it for many bids.

    The dice of `hand` are not checked. Raises `MalformedError` for a face that the dice do not have, and a negative
    number of other dice.
    """
    if bid.is_sum and has_face_off(rules):
        return p_sum_at_least(bid.quantity, hand, _dice_by_hand(rules.dice.faces, others, faces))
    spec = count_spec(rules, bid.face, wilds_count=wilds_count)
    groups = _unseen_groups(spec, others, faces)
    if spec.depends_on_hands:
        p_at_least = _p_at_least(spec, listed_hand(rules, hand), groups)
    else:  # only the dice that count distinguish one hand from another, and faces that all dice have are alike
        wild, natural = () if spec.wild is None else (spec.wild,) * hand.count(spec.wild), hand.count(spec.face)
        if 1 <= spec.face <= min((number for _, number in groups), default=0):
            spec = msgspec.structs.replace(spec, face=1 if spec.wild != 1 else 2)
        p_at_least = _p_at_least(spec, (spec.face,) * natural + wild, groups)
    return p_at_least[bid.quantity] if bid.quantity < len(p_at_least) else 0.0


def require_table_count(rules: Ruleset) -> None:
    """Raise `UnavailableError` where bids are about the bidder's own dice: odds for a table would mislead."""
    if bids_are_about_own_dice(rules):
        raise UnavailableError(f"there are odds only of bids about all dice (count.scope is {rules.count.scope})")


def to_percent(probability: float, parts: int = 100) -> int:
    """Return a probability (0 to 1) in whole percent, or other parts: all only if it is certain, 0 if impossible.

    >>> to_percent(1.0), to_percent(0.999), to_percent(0.001), to_percent(0.0), to_percent(0.9999, 1000)
    (100, 99, 1, 0, 999)
    """
    nearest = round(parts * probability)
    return nearest if probability in (0.0, 1.0) else min(parts - 1, max(1, nearest))


def percent(probability: float, digits: int = 0) -> str:
    """Return a probability (0 to 1) as text in percent, never 0% or 100% for what is merely unlikely.

    >>> percent(1.0), percent(0.995), percent(0.42), percent(0.001), percent(0.9999, 1)
    ('100%', 'over 99%', '42%', 'under 1%', 'over 99.9%')
    """
    least = 10.0 ** -(digits + 2)
    if 0 < probability < least:
        return f"under {least:.{digits}%}"
    return f"over {1 - least:.{digits}%}" if 1 - least < probability < 1 else f"{probability:.{digits}%}"


def hundredths(probability: float) -> str:
    """Return a probability (0 to 1) in hundredths, for narrow places, never 0 or 100 for what is merely unlikely.

    >>> hundredths(1.0), hundredths(0.997), hundredths(0.42), hundredths(0.001), hundredths(0.0)
    ('100', '>99', '42', '<1', '0')
    """
    if 0 < probability < 0.01:
        return "<1"
    return ">99" if 0.99 < probability < 1 else f"{100 * probability:.0f}"


def count_spec(rules: Ruleset, face: int, *, wilds_count: bool) -> CountSpec:
    """Return what the count of `face` depends on in a round where the special face is wild (`wilds_count`) or not."""
    special, full, different = rules.dice.special_face, rules.dice.per_player, rules.count.all_different
    return CountSpec(
        faces=rules.dice.faces,
        face=face,
        wild=special if wilds_count and face != special else None,
        needs_natural=rules.wilds.needs_natural,
        stairs=rules.count.hand_bonus,
        alike=full if rules.count.hand_bonus is HandBonus.ALIKE else 0,
        worthless=full if different is AllDifferent.WORTHLESS else 0,
        rolled_again=full if different is AllDifferent.ROLLED_AGAIN else 0,
        doubles=tuple(map(rules.dice.double_count, range(full + 1))) if rules.dice.double else (),
        straights=straights(rules) if isinstance(different, AllDifferent) else (),
    )


@lru_cache(maxsize=65_536)
def _p_at_least(spec: CountSpec, hand: Hand, groups: tuple[UnseenDice, ...]) -> tuple[float, ...]:
    """Return the probability that the count is at least n, by n from 0 up to the largest possible count."""
    if not 1 <= spec.face <= spec.faces:
        raise MalformedError(f"a bid names one of the faces 1 to {spec.faces}, not {spec.face!r}")
    require_hand_sizes(tuple(dice for dice, _ in groups))
    rolls = _rolls_by_count(spec, hand, groups)
    total, above, probabilities = sum(rolls), 0, list[float]()
    for number in reversed(rolls):
        above += number
        probabilities.append(above / total)
    return tuple(reversed(probabilities))


def count_distribution(
    spec: CountSpec, hand: Hand, others: tuple[int, ...], faces: tuple[int, ...] = ()
) -> tuple[int, ...]:
    """Return the number of rolls of the unseen dice that lead to each count, by the count from 0 up.

    `others` and `faces` as in `odds`. Hands that are rolled again are left out, so that the rolls that remain are
    equally likely.
    """
    return _rolls_by_count(spec, hand, _unseen_groups(spec, others, faces))


def _rolls_by_count(spec: CountSpec, hand: Hand, groups: tuple[UnseenDice, ...]) -> tuple[int, ...]:
    return weights_by_count(spec, convolve({hand_share(spec, hand): 1}, _unseen_shares(spec, groups)))


def _unseen_groups(spec: CountSpec, others: tuple[int, ...], faces: tuple[int, ...]) -> tuple[UnseenDice, ...]:
    """Return the unseen dice by hand; all dice with as many faces as one group if the count depends on no hands."""
    _require_faces(others, faces)
    if not faces or {*faces} == {spec.faces}:
        sizes = sorted(others) if spec.depends_on_hands else [sum(others)]
        return tuple([(dice, spec.faces) for dice in sizes])
    if spec.depends_on_hands:
        return tuple(sorted(zip(others, faces, strict=True)))
    dice_by_faces: dict[int, int] = {}
    for dice, number in zip(others, faces, strict=True):
        dice_by_faces[number] = dice_by_faces.get(number, 0) + dice
    return tuple(sorted((dice, number) for number, dice in dice_by_faces.items()))


def _require_faces(others: tuple[int, ...], faces: tuple[int, ...]) -> None:
    if faces and (len(faces) != len(others) or not all(type(number) is int and number >= 1 for number in faces)):
        raise MalformedError(f"{len(others)} hands need a number of faces each, at least 1, not {faces!r:.80}")


def _dice_by_hand(all_faces: int, others: tuple[int, ...], faces: tuple[int, ...]) -> tuple[UnseenDice, ...]:
    """Return the unseen dice of each hand; without `faces`, all of them have `all_faces`."""
    _require_faces(others, faces)
    return tuple(zip(others, faces or (all_faces,) * len(others), strict=True))


def weights_by_count(spec: CountSpec, shares: Mapping[Share, Weight]) -> tuple[Weight, ...]:
    """Return weights by the resulting count from 0 up, from the weights of the shares of all dice together."""
    weights: dict[int, Weight] = {}
    for (natural, with_wilds, without), weight in shares.items():
        count = with_wilds if natural or spec.wild is None else without
        weights[count] = weights[count] + weight if count in weights else weight
    zero = next(iter(shares.values())) * 0
    return tuple(weights.get(count, zero) for count in range(max(weights) + 1))


def hand_share(spec: CountSpec, hand: Hand) -> Share:
    """Return what one known hand adds to the count."""
    twice = hand[: spec.double_count(len(hand))]
    natural = hand.count(spec.face) + twice.count(spec.face)
    is_different = len(set(hand)) == len(hand) and (not spec.straights or tuple(sorted(hand)) in spec.straights)
    if len(hand) == spec.worthless and is_different:
        return _share(spec, 0, 0, 0)
    if is_stairs(spec.stairs, hand):
        return _stairs_share(spec, len(hand))
    wild = 0 if spec.wild is None else hand.count(spec.wild) + twice.count(spec.wild)
    return _share(spec, natural, wild, len(hand))


def _share(spec: CountSpec, natural: int, wild: int, size: int) -> Share:
    is_alike = natural + wild == size == spec.alike > 0
    bonus = alike_bonus(natural, size) if is_alike else 0
    return natural > 0 or not spec.needs_natural, natural + wild + bonus, 0


def _stairs_share(spec: CountSpec, size: int) -> Share:
    return spec.face <= size or not spec.needs_natural, size + 1, size + 1 if spec.needs_natural else 0


@lru_cache(maxsize=4096)
def _unseen_shares(spec: CountSpec, groups: tuple[UnseenDice, ...]) -> dict[Share, int]:
    """Return the number of ordered rolls of several hands together, by their share of the count."""
    if not groups:
        return {_share(spec, 0, 0, 0): 1}
    return convolve(_unseen_shares(spec, groups[1:]), _unseen_hand_shares(spec, *groups[0]))


@lru_cache(maxsize=1024)
def _unseen_hand_shares(spec: CountSpec, size: int, faces: int) -> dict[Share, int]:
    """Return the number of ordered rolls of one hand of dice with `faces` faces, by its share of the count.

    The numbers are multinomial in natural, wild and other faces; rolls that are stairs move to a share of their own,
    and rolls that are worthless to that of no dice.
    """
    if double := spec.double_count(size):
        single = msgspec.structs.replace(spec, doubles=())
        twice = _unseen_hand_shares(single, double, faces)
        doubled = {(shows, 2 * with_wilds, 2 * without): rolls for (shows, with_wilds, without), rolls in twice.items()}
        return convolve(doubled, _unseen_hand_shares(single, size - double, faces))
    natural_faces, wild_faces = int(spec.face <= faces), int(spec.wild is not None and spec.wild <= faces)
    other_faces = faces - natural_faces - wild_faces
    shares: dict[Share, int] = {}
    for natural in range(size * natural_faces + 1):
        for wild in range((size - natural) * wild_faces + 1):
            rest = size - natural - wild
            rolls = comb(size, natural) * comb(size - natural, wild) * other_faces**rest
            share = _share(spec, natural, wild, size)
            shares[share] = shares.get(share, 0) + rolls
    if spec.stairs.is_for_stairs and 0 < size <= faces:
        stairs_rolls = 1 if spec.stairs is HandBonus.STAIRS_IN_ORDER else factorial(size)
        without_bonus = _share(spec, int(spec.face <= size), int(spec.wild is not None and spec.wild <= size), size)
        shares[without_bonus] -= stairs_rolls
        shares[_stairs_share(spec, size)] = stairs_rolls
    if size in {spec.worthless, spec.rolled_again} - {0}:
        for natural, wild in product(range(natural_faces + 1), range(wild_faces + 1)):
            if spec.straights:
                shown = (bool(natural), bool(wild))
                sets = sum(
                    (spec.face in hand, spec.wild in hand) == shown for hand in spec.straights if hand[-1] <= faces
                )
            else:
                sets = comb(other_faces, size - natural - wild)
            rolls = sets * factorial(size)  # those that are all different
            shares[_share(spec, natural, wild, size)] -= rolls
            if size == spec.worthless:
                shares[_share(spec, 0, 0, 0)] += rolls
    return shares


def convolve(first: Mapping[Share, Weight], second: Mapping[Share, Weight]) -> dict[Share, Weight]:
    """Return the weights of the shares of two independent groups of dice together."""
    both: dict[Share, Weight] = {}
    for (natural, with_wilds, without), weight in first.items():
        for (natural2, with_wilds2, without2), weight2 in second.items():
            share = (natural or natural2, with_wilds + with_wilds2, without + without2)
            both[share] = both[share] + weight * weight2 if share in both else weight * weight2
    return both


def p_pass(rules: Ruleset, dice: int) -> float:
    """Return the probability that `dice` rolled dice allow a pass, whatever is bid or said.

    Where hands that are all different are rolled again, it is that of the hands that are kept.

    >>> from liarsdice.core.rules.presets import preset
    >>> round(p_pass(preset("perudo+pass").ruleset, 5), 3)
    0.132
    """
    rolls: int = rules.dice.faces**dice - rolled_again_count(rules, dice)
    return roll_count_to_pass(rules, dice) / rolls
