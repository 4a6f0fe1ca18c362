"""The bids of a ruleset: their limits, all of them, and those that may open a round, beat a bid, or are on a sum."""

from bisect import bisect_right
from functools import lru_cache
from operator import attrgetter

from msgspec import UnsetType

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import SUM_FACE, TO_SPECIAL, Bid, face_order, may_be_pure, raise_relation
from liarsdice.core.rules.choices import Cap, FaceOff, HandBonus, MinOpen, SpecialOpening, SpecialRank
from liarsdice.core.rules.meaning import bids_are_about_own_dice, has_face_off, has_pure_bids, special_may_open
from liarsdice.core.rules.parts import ALIKE_BONUS
from liarsdice.core.rules.ruleset import Ruleset

UNCAPPED_QUANTITY = 1_000
"""The largest quantity that may be bid if the rules set no cap; it bounds the time and memory that a bid can cost."""


def max_quantity(rules: Ruleset, dice: tuple[int, ...]) -> int | None:
    """Return the largest quantity that may be bid, given the number of dice of each seat; None if there is no limit.

    Where hands have a bonus it is the largest count that can come up, which is more than the dice on the table. Where
    bids are about the bidder's own dice it is the number of dice of the player who has most.
    """
    match rules.bidding.cap:
        case None:
            return None
        case Cap.DICE_IN_PLAY:
            counts = [held + rules.dice.double_count(held) for held in dice]
            return max(counts) if bids_are_about_own_dice(rules) else sum(counts) + _most_bonus(rules, dice)
        case int() as cap:
            return cap


def _most_bonus(rules: Ruleset, dice: tuple[int, ...]) -> int:
    match rules.count.hand_bonus:
        case HandBonus.NONE:
            return 0
        case HandBonus.STAIRS | HandBonus.STAIRS_IN_ORDER:
            return sum(0 < held <= rules.dice.faces_at(seat) for seat, held in enumerate(dice))
        case HandBonus.ALIKE:
            return ALIKE_BONUS * dice.count(rules.dice.per_player)


def min_opening_quantity(rules: Ruleset, dice: tuple[int, ...], face: int, *, pure: bool = False) -> int:
    """Return the smallest quantity of an opening bid on a face, given the number of dice of each seat.

    It is never above the cap, so that the seat that opens always has a legal bid.
    """
    min_open = _min_open(rules, face, pure=pure)
    quantity = quantity_for(min_open, sum(held > 0 for held in dice)) if isinstance(min_open, MinOpen) else min_open
    cap = max_quantity(rules, dice)
    return quantity if cap is None else min(quantity, cap)


def quantity_for(min_open: MinOpen, player_count: int) -> int:
    """Return the lowest opening quantity for a number of players; one and a half times as many are rounded up.

    >>> quantity_for(MinOpen.PLAYERS_PLUS_2, 4)
    6
    """
    if min_open is MinOpen.PLAYERS_TIMES_1_5:
        return (3 * player_count + 1) // 2
    return player_count + list(MinOpen).index(min_open)


def opening_depends_on_kind(rules: Ruleset) -> bool:
    """Return whether pure opening bids, or those on the special face, have a lowest quantity of their own."""
    return any(isinstance(least, int | MinOpen) for least in (_min_open_pure(rules), _min_open_special(rules)))


def _min_open(rules: Ruleset, face: int, *, pure: bool) -> int | MinOpen:
    on_special, least_pure, least_special = (
        face == rules.dice.special_face,
        _min_open_pure(rules),
        _min_open_special(rules),
    )
    if on_special and isinstance(least_special, int | MinOpen):
        return least_special
    if (pure or on_special) and isinstance(least_pure, int | MinOpen):
        return least_pure
    return rules.bidding.min_open


def _min_open_pure(rules: Ruleset) -> int | MinOpen | UnsetType | None:
    return rules.bidding.min_open_pure if has_pure_bids(rules) else None


def _min_open_special(rules: Ruleset) -> int | MinOpen | UnsetType | None:
    return rules.bidding.min_open_special if special_may_open(rules) else None


def may_open_on(rules: Ruleset, face: int, *, special_round: bool) -> bool:
    """Return whether a round may open with a bid on `face`."""
    if face != rules.dice.special_face:
        return True
    match rules.bidding.special_may_open:
        case SpecialOpening.SPECIAL_ROUND_ONLY:
            return special_round
        case bool() as allowed:
            return allowed


def ordinary_quantity(rules: Ruleset, bid: Bid) -> int:
    """Return the row of a bid chart in which a bid stands.

    It is the bid's quantity, or, for a bid on the special face where such bids convert, the largest quantity of an
    ordinary face that the bid beats.

    >>> from liarsdice.core.rules.presets import preset
    >>> ordinary_quantity(preset("chart").ruleset, Bid(3, 1))
    5
    """
    bidding = rules.bidding
    to_special = bidding.to_special if bidding.special_rank is SpecialRank.CONVERT else None
    if to_special is None or bid.face != rules.dice.special_face:
        return bid.quantity
    needed = TO_SPECIAL[to_special]
    return next(quantity for quantity in range(2 * bid.quantity, 0, -1) if needed(quantity) <= bid.quantity)


def require_bid(rules: Ruleset, bid: Bid, *, any_face: bool = False) -> None:
    """Raise `MalformedError` unless `bid` has a face that may be bid.

    With `any_face`, every face of the dice will do. A bid on the sum of the dice needs rules with a face-off.
    """
    if bid.is_sum and has_face_off(rules) and not bid.pure:
        return
    faces = range(1, rules.dice.faces + 1) if any_face else face_order(rules)
    if bid.face not in faces:
        listed = ", ".join(map(str, faces))
        raise MalformedError(f"a bid has one of the faces {listed}, not {bid!r:.80}")
    if bid.pure and not may_be_pure(rules, bid.face):
        raise MalformedError(f"a bid on face {bid.face} is not marked as pure under these rules: {bid!r:.80}")


MAX_CACHED_BIDS, MAX_CACHED_PLACES = 12_000, 50_000
"""How many bids a bid space keeps, and how many places its lists of them have together; beyond that, it begins anew.

This bounds it to about a megabyte, however long somebody plays by rules with thousands of bids.
"""


class BidSpace:
    """All bids of one ruleset, by the highest quantity allowed and the bid to beat.

    `faces` are the faces that may be bid, lowest rank first, and `kinds` the same with whether a bid is pure; pure ones
    come last. Two bid spaces are equal if their rulesets are.
    """

    __slots__ = ("_bids", "_higher", "_opening", "_place_count", "faces", "kinds", "ruleset")

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.faces = face_order(ruleset)
        pure_faces = [face for face in self.faces if may_be_pure(ruleset, face)]
        self.kinds = (*((face, False) for face in self.faces), *((face, True) for face in pure_faces))
        self._higher: dict[Bid, tuple[int, tuple[Bid, ...]]] = {}
        self._opening: dict[tuple[int, int, bool], tuple[Bid, ...]] = {}
        self._bids: tuple[Bid, ...] = ()
        self._place_count = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BidSpace) and self.ruleset == other.ruleset

    def __hash__(self) -> int:
        return hash(self.ruleset)

    def __repr__(self) -> str:
        return f"bid_space({self.ruleset!r})"

    def higher_bids(self, old: Bid, max_quantity: int) -> tuple[Bid, ...]:
        """Return the bids that beat `old`, with quantities up to `max_quantity`, lowest quantity first.

        Only the longest list is cached; it is cut if there are fewer dice by now.
        """
        longest, bids = self._higher.get(old, (-1, ()))
        if longest == max_quantity:
            return bids
        if longest > max_quantity:
            return bids[: bisect_right(bids, max_quantity, key=attrgetter("quantity"))]
        beats = raise_relation(self.ruleset)
        bids = tuple(bid for bid in self._bids_up_to(max_quantity) if beats(old, bid))
        self._make_room(len(bids))
        self._higher[old] = max_quantity, bids
        return bids

    def _make_room(self, count: int) -> None:
        """Forget all lists if there are too many places in them together with `count` more."""
        if self._place_count + count > MAX_CACHED_PLACES:
            self._higher.clear()
            self._opening.clear()
            self._place_count = 0
        self._place_count += count

    def _bids_up_to(self, max_quantity: int) -> tuple[Bid, ...]:
        """Return all bids up to a quantity, as objects that all lists share."""
        count = max_quantity * len(self.kinds)
        if count > MAX_CACHED_BIDS:
            return self.all_bids(1, max_quantity)
        if count > len(self._bids):
            self._bids += self.all_bids(len(self._bids) // len(self.kinds) + 1, max_quantity)
        return self._bids[:count]

    def opening_bids(self, min_quantity: int, max_quantity: int, *, special_round: bool) -> tuple[Bid, ...]:
        """Return the bids in a range of quantities that may open a round, lowest quantity first."""
        bids = self._opening.get((min_quantity, max_quantity, special_round))
        if bids is None:
            bids = tuple(
                bid
                for bid in self._bids_up_to(max_quantity)
                if bid.quantity >= min_quantity and may_open_on(self.ruleset, bid.face, special_round=special_round)
            )
            self._make_room(len(bids))
            self._opening[min_quantity, max_quantity, special_round] = bids
        return bids

    def all_bids(self, min_quantity: int, max_quantity: int) -> tuple[Bid, ...]:
        """Return every bid in a range of quantities, by quantity and then by its place in `kinds`."""
        quantities = range(min_quantity, max_quantity + 1)
        return tuple(Bid(quantity, face, pure) for quantity in quantities for face, pure in self.kinds)


@lru_cache(maxsize=256)
def bid_space(ruleset: Ruleset) -> BidSpace:
    """Return the bid space of a ruleset; the same object for equal rulesets."""
    return BidSpace(ruleset)


FACE_OFF_PLAYERS = 2
"""The number of players of a face-off; each has one die."""


def is_face_off(rules: Ruleset, dice: tuple[int, ...]) -> bool:
    """Return whether a round that opens with these numbers of dice by seat is a face-off.

    >>> from liarsdice.core.rules.presets import preset
    >>> is_face_off(preset("perudo+face-off").ruleset, (1, 0, 1))
    True
    """
    return rules.bidding.face_off is FaceOff.SUM and sum(dice) == FACE_OFF_PLAYERS and max(dice) == 1


def highest_sum(rules: Ruleset, dice: tuple[int, ...]) -> int:
    """Return the highest sum that the dice in play can show, given the number of dice of each seat.

    >>> from liarsdice.core.rules.presets import preset
    >>> highest_sum(preset("perudo").ruleset, (1, 1))
    12
    """
    return sum(held * rules.dice.faces_at(seat) for seat, held in enumerate(dice))


def sum_bids(lowest: int, highest: int) -> tuple[Bid, ...]:
    """Return the bids on the sums from `lowest` to `highest`, lowest first."""
    return tuple(Bid(total, SUM_FACE) for total in range(lowest, highest + 1))
