"""Counting a face over all hands, and whether the special face is wild."""

import msgspec

from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import AllDifferent, CountScope, HandBonus, SuspendedBy
from liarsdice.core.rules.meaning import has_pure_bids, straights
from liarsdice.core.rules.parts import ALIKE_BONUS
from liarsdice.core.rules.ruleset import Ruleset

Hand = tuple[int, ...]
"""The faces of one player's dice, in the order in which they were dealt."""


class Tally(msgspec.Struct, frozen=True):
    """The result of counting a face.

    `count` is the total that decides. By seat: `counted`, the hand's share of the count, and `marked`, the positions
    (from 0) of the dice that count. The share of a hand with a bonus, or with double dice, exceeds its marked dice.
    """

    count: int
    counted: tuple[int, ...]
    marked: tuple[tuple[int, ...], ...]


def tally(rules: Ruleset, hands: tuple[Hand, ...], face: int, *, wilds_count: bool) -> Tally:
    """Count `face` over all hands; for `SUM_FACE`, add up all dice.

    `wilds_count`: whether the special face is wild in this round; a count of the special face itself is the same either
    way.

    >>> from liarsdice.core.rules.presets import preset
    >>> tally(preset("joker").ruleset, ((1, 4), (4, 6)), 4, wilds_count=True)
    Tally(count=3, counted=(2, 1), marked=((0, 1), (0,)))
    """
    if face == SUM_FACE:
        sums = tuple(map(sum, hands))
        return Tally(sum(sums), sums, tuple(tuple(range(len(hand))) for hand in hands))
    special, bonus = rules.dice.special_face, rules.count.hand_bonus
    hands = tuple([dice_that_may_count(rules, hand) for hand in hands])
    wild = wilds_count and not (
        rules.wilds.needs_natural and face != special and not any(face in hand for hand in hands)
    )
    counted: list[int] = []
    marked: list[tuple[int, ...]] = []
    for hand in hands:
        if is_stairs(bonus, hand):
            marked.append(tuple(range(len(hand))))
            counted.append(len(hand) + 1)
            continue
        positions = _places(hand, face, special if wild else face)
        marked.append(positions)
        is_alike = bonus is HandBonus.ALIKE and len(positions) == len(hand) == rules.dice.per_player
        double = rules.dice.double_count(len(hand))
        twice = sum(place < double for place in positions)
        counted.append(len(positions) + twice + (alike_bonus(hand.count(face), len(hand)) if is_alike else 0))
    return Tally(sum(counted), tuple(counted), tuple(marked))


def hands_that_count(rules: Ruleset, hands: tuple[Hand, ...], bidder: int) -> tuple[Hand, ...]:
    """Return the dice by seat that a bid is about: all, or only those of the bidder, with empty hands elsewhere."""
    match rules.count.scope:
        case CountScope.TABLE:
            return hands
        case CountScope.BIDDER:
            return tuple([hand if seat == bidder else () for seat, hand in enumerate(hands)])


def places_that_may_count(rules: Ruleset, hand: Hand, face: int, *, wilds_count: bool) -> tuple[int, ...]:
    """Return the positions of the dice of one hand that count for a face if any other hand shows the face itself.

    Wild dice may count only then; it is all that the owner of the hand can know.

    >>> from liarsdice.core.rules.presets import preset
    >>> places_that_may_count(preset("joker").ruleset, (1, 4, 6), 4, wilds_count=True)
    (0, 1)
    """
    if face == SUM_FACE or is_stairs(rules.count.hand_bonus, hand):
        return tuple(range(len(hand)))
    return _places(dice_that_may_count(rules, hand), face, rules.dice.special_face if wilds_count else face)


def _places(hand: Hand, face: int, wild: int) -> tuple[int, ...]:
    return tuple([place for place, die in enumerate(hand) if die in (face, wild)])


def alike_bonus(naturals: int, dice: int) -> int:
    """Return how much a full hand counts for beyond its dice, which all count; `naturals` show the face itself."""
    return ALIKE_BONUS if naturals == dice else ALIKE_BONUS - 1


def dice_that_may_count(rules: Ruleset, hand: Hand) -> Hand:
    """Return the dice of a hand that may count: all, or none of dice that are worthless (`AllDifferent.WORTHLESS`)."""
    worthless = rules.count.all_different is AllDifferent.WORTHLESS and is_all_different(rules, hand)
    return () if worthless else hand


def must_roll_again(rules: Ruleset, hand: Hand) -> bool:
    """Return whether no player may keep this hand of a deal (`AllDifferent.ROLLED_AGAIN`)."""
    return rules.count.all_different is AllDifferent.ROLLED_AGAIN and is_all_different(rules, hand)


def is_all_different(rules: Ruleset, hand: Hand) -> bool:
    """Return whether a full hand is one that `count.all_different` is about: no two dice are alike, or a straight."""
    if not len(hand) == rules.dice.per_player == len(set(hand)):
        return False
    wanted = straights(rules)
    return not wanted or tuple(sorted(hand)) in wanted


def is_stairs(bonus: HandBonus, hand: Hand) -> bool:
    """Return whether the n dice of a hand show exactly 1, 2, …, n, in this order if that is what counts for more.

    >>> is_stairs(HandBonus.STAIRS, (2, 1)), is_stairs(HandBonus.STAIRS_IN_ORDER, (2, 1))
    (True, False)
    """
    if not hand or not bonus.is_for_stairs:
        return False
    dice = hand if bonus is HandBonus.STAIRS_IN_ORDER else tuple(sorted(hand))
    return dice == tuple(range(1, len(hand) + 1))


def listed_hand(rules: Ruleset, hand: Hand) -> Hand:
    """Return a hand as lists of hands have it, where order hardly ever matters: its faces ascend.

    Those of stairs out of order descend, if only stairs in order count for more. Dice that count twice come first.
    """
    double = rules.dice.double_count(len(hand))
    if double:
        return (*sorted(hand[:double]), *sorted(hand[double:]))
    ascending = tuple(sorted(hand))
    in_order = rules.count.hand_bonus is HandBonus.STAIRS_IN_ORDER
    is_out_of_order = in_order and is_stairs(HandBonus.STAIRS, hand) and hand != ascending
    return ascending[::-1] if is_out_of_order else ascending


def wilds_at_start(rules: Ruleset, *, special_round: bool) -> bool:
    """Return whether the special face is wild at the start of a round."""
    return rules.wilds.special_is_wild and not (special_round and SuspendedBy.SPECIAL_ROUND in rules.wilds.suspended_by)


def wilds_in_challenge(rules: Ruleset, *, wilds_count: bool, bid_count: int) -> bool:
    """Return whether the special face is wild in the count of a challenge of the latest of `bid_count` bids."""
    return wilds_count and not (bid_count == 1 and SuspendedBy.OPENING_CHALLENGE in rules.wilds.suspended_by)


def counts_for_bid(rules: Ruleset, bid: Bid, *, wilds_count: bool, opening: bool) -> frozenset[int]:
    """Return the faces of dice that may count for a bid once it is made: its own, and the special face if it is wild.

    Dice of these faces may be shown with it (`ShowDice`).

    `wilds_count`: whether the special face is wild before the bid, which is the first of its round if `opening`.
    """
    wild = wilds_after_bid(rules, bid.face, wilds_count=wilds_count, opening=opening, pure=bid.pure)
    return frozenset({bid.face, rules.dice.special_face if wild else bid.face})


def wilds_after_bid(rules: Ruleset, face: int, *, wilds_count: bool, opening: bool, pure: bool = False) -> bool:
    """Return whether the special face is wild after a bid on `face`; where bids can be `pure`, by this bid alone."""
    if face == SUM_FACE:
        return False
    if has_pure_bids(rules):
        return not pure and face != rules.dice.special_face
    if not wilds_count or face != rules.dice.special_face:
        return wilds_count
    suspended = rules.wilds.suspended_by
    return not (
        SuspendedBy.ANY_BID_ON_SPECIAL in suspended or (opening and SuspendedBy.OPENING_BID_ON_SPECIAL in suspended)
    )
