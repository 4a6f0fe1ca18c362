"""The bid chart: all bids in order if the rules rank them all, else the minimum quantity of each face over a bid.

Bids also travel as ranges of quantities (`bid_ranges`), because there may be very many.
"""

from collections.abc import Iterable, Sequence
from functools import cmp_to_key, lru_cache
from heapq import merge
from operator import attrgetter

import msgspec

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bid_space import bid_space, max_quantity, require_bid
from liarsdice.core.rules.bids import PURE_MARK, Bid, beats, face_order, may_be_pure, raise_relation
from liarsdice.core.rules.choices import SpecialRank
from liarsdice.core.rules.parts import Bidding, Dice, RuleChoices
from liarsdice.core.rules.ruleset import Ruleset

CHECKED_FACES, CHECKED_QUANTITY = 7, 10
"""Rules that do not rank all bids show it among bids of so few faces and dice."""

MAX_QUANTITY = 10_000
"""The highest quantity of a chart, far above the dice of any table."""

ChartData = list[list[int]] | dict[str, int] | dict[str, dict[str, int]]
"""A chart as data: all bids in order, the minimum quantities over one bid, or those over every bid."""


def ladder(rules: Ruleset, top: int) -> tuple[Bid, ...] | None:
    """Return all bids of up to `top` dice in rank order, lowest first; None if the rules do not rank all bids.

    In a ladder every later bid beats every earlier one and never the reverse. `ladder_of_few` checks that of all pairs
    of bids on few faces and of few dice, on which nothing else depends. Raises `MalformedError` unless `top` is a whole
    number from 0 to `MAX_QUANTITY`.

    >>> from liarsdice.core.rules.presets import preset
    >>> [str(bid) for bid in ladder(preset("chart").ruleset, 2)][4:8]
    ['1x6', '1x1', '2x2', '2x3']
    """
    _require_max_quantity(top)
    return _ladder(rules.bidding, rules.dice, top)


@lru_cache(maxsize=256)
def _ladder(bidding: Bidding, dice: Dice, top: int) -> tuple[Bid, ...] | None:
    rules = RuleChoices(bidding=bidding, dice=dice)
    if ladder_of_few(RuleChoices(bidding=bidding, dice=_fewer_faces(dice)), min(top, CHECKED_QUANTITY)) is None:
        return None
    is_below = raise_relation(rules)

    def by_rank(one: Bid, other: Bid) -> int:
        return -1 if is_below(one, other) else 1

    return tuple(merge(*_bids_by_kind(rules, top), key=cmp_to_key(by_rank)))


def _fewer_faces(dice: Dice) -> Dice:
    """Return dice with at most `CHECKED_FACES` faces; the special face stays the lowest, the highest, or between."""
    if dice.faces <= CHECKED_FACES:
        return dice
    special = {1: 1, dice.faces: CHECKED_FACES}.get(dice.special_face, CHECKED_FACES // 2 + 1)
    return Dice(faces=CHECKED_FACES, special_face=special)


def _bids_by_kind(rules: RuleChoices, top: int) -> list[list[Bid]]:
    """Return the bids of each kind, lowest quantity first."""
    faces = face_order(rules)
    kinds = [(face, False) for face in faces] + [(face, True) for face in faces if may_be_pure(rules, face)]
    return [[Bid(quantity, *kind) for quantity in range(1, top + 1)] for kind in kinds]


def ladder_of_few(rules: RuleChoices, top: int) -> tuple[Bid, ...] | None:
    """Return `ladder` by comparing each bid with every other, which takes a time that grows with their square."""
    bids = [bid for of_kind in _bids_by_kind(rules, top) for bid in of_kind]
    is_below = raise_relation(rules)
    lower_count = {bid: sum(is_below(other, bid) for other in bids) for bid in bids}
    ordered = sorted(bids, key=lower_count.__getitem__)
    if any(lower_count[bid] != place for place, bid in enumerate(ordered)):
        return None
    if not all(is_below(low, high) for place, high in enumerate(ordered) for low in ordered[:place]):
        return None
    return tuple(ordered)


def minimum_quantities(rules: Ruleset, over: Bid, top: int, *, pure: bool = False) -> dict[int, int]:
    """Return the smallest quantity of each face that beats the bid `over`, in the order of the faces.

    With `pure`, those of bids that are marked as pure, otherwise those of all others. A face is missing if no bid on it
    of at most `top` dice beats `over`. Raises `MalformedError` if `over` is no bid of these rules, or `top` no whole
    number from 0 to `MAX_QUANTITY`.

    >>> from liarsdice.core.rules.presets import preset
    >>> minimum_quantities(preset("mustache").ruleset, Bid(5, 4), 15)
    {4: 6, 5: 5, 6: 5, 1: 3}
    """
    require_bid(rules, over)
    _require_max_quantity(top)
    bids = bid_space(rules)
    quantities: dict[int, int] = {}
    for bid in bids.higher_bids(over, top):
        if bid.pure is pure:
            quantities.setdefault(bid.face, bid.quantity)
    return {face: quantities[face] for face in bids.faces if face in quantities}


def _require_max_quantity(top: int) -> None:
    if type(top) is not int or not 0 <= top <= MAX_QUANTITY:
        raise MalformedError(
            f"the highest quantity of a chart is a whole number from 0 to {MAX_QUANTITY}, not {top!r:.80}"
        )


def chart_max_quantity(rules: Ruleset, dice: int) -> int:
    """Return the highest quantity of a chart for a number of dice on the table, dealt as far as they go in full hands.

    Without a limit on bids, the chart ends at the number of dice.

    >>> from liarsdice.core.rules.presets import preset
    >>> chart_max_quantity(preset("snyd-stairs").ruleset, 15)
    18
    """
    highest = max_quantity(rules, full_hands(rules, dice))
    return dice if highest is None else highest


def full_hands(rules: Ruleset, dice: int) -> tuple[int, ...]:
    """Return a number of dice as sizes of hands: full hands of the starting size, and the rest as a last, smaller one.

    >>> full_hands(Ruleset(), 12)
    (5, 5, 2)
    """
    full_count, rest = divmod(dice, rules.dice.per_player)
    return (rules.dice.per_player,) * full_count + ((rest,) if rest else ())


def chart_rows(rules: Ruleset, ordered: Sequence[Bid]) -> list[list[Bid]]:
    """Split a ladder into the rows of a chart: one quantity a row, with the bids on the special face in their place.

    Where the face ranks first, a row is one face. Bids on a special face that converts end a row.
    """
    converts = rules.bidding.special_rank is SpecialRank.CONVERT
    special = rules.dice.special_face
    rows: list[list[Bid]] = []
    for bid in ordered:
        row = rows[-1] if rows else []
        if not row or (converts and row[-1].face == special):
            belongs = False
        elif converts and bid.face == special:
            belongs = True
        elif len(row) > 1 and row[0].quantity != row[1].quantity:
            belongs = bid.face == row[0].face
        else:
            belongs = bid.quantity == row[0].quantity or (len(row) == 1 and bid.face == row[0].face)
        if belongs:
            row.append(bid)
        else:
            rows.append([bid])
    return rows


def split_special_tail(rules: Ruleset, ordered: Sequence[Bid]) -> tuple[Sequence[Bid], Sequence[Bid]]:
    """Split a ladder in two: the special bids at its end without an ordinary bid between them are the second part."""
    ordinary = [place for place, bid in enumerate(ordered) if bid.face != rules.dice.special_face]
    if rules.bidding.special_rank is not SpecialRank.CONVERT or not ordinary:
        return ordered, ()
    end = ordinary[-1] + 2
    return ordered[:end], ordered[end:]


def chart_data(rules: Ruleset, dice: int, over: Bid | None = None) -> ChartData:
    """Return the chart for a number of dice as plain data: all bids in rank order as [quantity, face].

    A pure bid has a third number, 1. With `over`, only the bids that beat it. If the rules do not rank all bids: the
    minimum quantity by face over the bid `over`, with a mark after the face for pure bids, or without `over` the same
    for every bid that may stand. Raises `MalformedError` if `over` is no bid of these rules.

    >>> from liarsdice.core.rules.presets import preset
    >>> chart_data(preset("mustache").ruleset, 15, Bid(5, 4))
    {'4': 6, '5': 5, '6': 5, '1': 3}
    """
    if over is not None:
        require_bid(rules, over)
    top = chart_max_quantity(rules, dice)
    ordered = ladder(rules, top)
    if ordered is not None:
        higher = [bid for bid in ordered if over is None or beats(rules, over, bid)]
        return [[bid.quantity, bid.face, *((1,) if bid.pure else ())] for bid in higher]
    if over is not None:
        return _by_face(rules, over, top)
    return {str(bid): _by_face(rules, bid, top) for bid in bid_space(rules).all_bids(1, top)}


def _by_face(rules: Ruleset, over: Bid, top: int) -> dict[str, int]:
    most = answer_max_quantity(rules, over, top)
    return {
        f"{face}{PURE_MARK if pure else ''}": quantity
        for pure in (False, True)
        for face, quantity in minimum_quantities(rules, over, most, pure=pure).items()
    }


def answer_max_quantity(rules: Ruleset, over: Bid, top: int) -> int:
    """Return the highest quantity among which the minimum quantities over a bid are found.

    It is at most `top` if the rules set a limit.
    """
    enough = over.quantity * (rules.dice.faces + 1) + 1  # more than the product with the highest rank of a face
    return min(top, enough) if rules.bidding.cap is not None else max(top, enough)


def only_exactly(rules: Ruleset, over: Bid, new: Bid) -> bool:
    """Return whether `new` beats `over`, but one more die of the same face would not."""
    return beats(rules, over, new) and not beats(rules, over, Bid(new.quantity + 1, new.face, new.pure))


class BidRange(msgspec.Struct, frozen=True, array_like=True):
    """The bids on a face with each quantity from `lowest` to `highest`; all of them are pure, or none is."""

    lowest: int
    highest: int
    face: int
    pure: bool


def bid_ranges(bids: Iterable[Bid], kinds: Iterable[tuple[int, bool]] = ()) -> tuple[BidRange, ...]:
    """Return bids as ranges; those of each kind of bid come with the lowest quantity first.

    `kinds`: the order of the ranges, by face and whether bids are pure; by default that of the first bids.

    >>> [*map(str, bids_in(bid_ranges([Bid(1, 4), Bid(2, 3), Bid(2, 4), Bid(4, 3)], [(3, False), (4, False)])))]
    ['1x4', '2x3', '2x4', '4x3']
    """
    runs: dict[tuple[int, bool], list[list[int]]] = {kind: [] for kind in kinds}
    for bid in bids:
        of_kind = runs.setdefault((bid.face, bid.pure), [])
        if of_kind and of_kind[-1][1] == bid.quantity - 1:
            of_kind[-1][1] = bid.quantity
        else:
            of_kind.append([bid.quantity, bid.quantity])
    return tuple(BidRange(run[0], run[1], face, pure) for (face, pure), of_kind in runs.items() for run in of_kind)


def bids_in(ranges: Iterable[BidRange]) -> tuple[Bid, ...]:
    """Return the bids in ranges, lowest quantity first, and bids of one quantity in the order of the ranges."""
    bids = [Bid(quantity, r.face, r.pure) for r in ranges for quantity in range(r.lowest, r.highest + 1)]
    return tuple(sorted(bids, key=attrgetter("quantity")))
