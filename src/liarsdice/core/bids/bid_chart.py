"""The claim chart: every bid in order where the rules make one ladder, else the least quantity of each face."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from liarsdice.core.rules.bid_space import menu
from liarsdice.core.rules.bids import Bid, beats, biddable_faces, highest_quantity, outranks
from liarsdice.core.rules.choices import SpecialRank
from liarsdice.core.rules.ruleset import Bidding, Dice, Ruleset

Claims = list[list[int]] | dict[str, int] | dict[str, dict[str, int]]
"""A chart as data: a ladder, the least quantities over one bid, or those over every bid."""


def ladder(rules: Ruleset, top: int) -> tuple[Bid, ...] | None:
    """All bids of up to `top` dice, lowest first, where every later one beats every earlier one and never the reverse.

    None where the rules have no such order. The quadratic check is the definition; it asks the relation itself.

    >>> from liarsdice.core.rules.presets import preset
    >>> [str(bid) for bid in ladder(preset("chart").ruleset, 2)][4:8]
    ['1x6', '1x1', '2x2', '2x3']
    """
    return _ladder(rules.bidding, rules.dice, top)


@lru_cache(maxsize=256)
def _ladder(bidding: Bidding, dice: Dice, top: int) -> tuple[Bid, ...] | None:
    faces = biddable_faces(bidding, dice)
    bids = [Bid(quantity, face) for quantity in range(1, top + 1) for face in faces]
    lower = {bid: sum(outranks(bidding, dice, other, bid) for other in bids) for bid in bids}
    ordered = sorted(bids, key=lower.__getitem__)
    if any(lower[bid] != place for place, bid in enumerate(ordered)):
        return None
    if not all(outranks(bidding, dice, low, high) for place, high in enumerate(ordered) for low in ordered[:place]):
        return None
    return tuple(ordered)


def least(rules: Ruleset, over: Bid, top: int) -> dict[int, int]:
    """The smallest quantity of each face over a bid, of at most `top` dice; faces that can't be bid are missing.

    >>> from liarsdice.core.rules.presets import preset
    >>> least(preset("mustache").ruleset, Bid(5, 4), 15)
    {4: 6, 5: 5, 6: 5, 1: 3}
    """
    found: dict[int, int] = {}
    for bid in menu(rules).over(over, top):
        found.setdefault(bid.face, bid.quantity)
    return {face: found[face] for face in menu(rules).faces if face in found}


def chart_top(rules: Ruleset, dice: int) -> int:
    """The highest quantity of a chart for so many dice, dealt out as far as they go in full hands.

    Where there is no limit, the chart ends at the number of dice.

    >>> from liarsdice.core.rules.presets import preset
    >>> chart_top(preset("snyd-stairs").ruleset, 15)
    18
    """
    highest = highest_quantity(rules, full_hands(rules, dice))
    return dice if highest is None else highest


def full_hands(rules: Ruleset, dice: int) -> tuple[int, ...]:
    """So many dice as hands of the starting size, and what is left over as a last, smaller one.

    >>> full_hands(Ruleset(), 12)
    (5, 5, 2)
    """
    full, left = divmod(dice, rules.dice.per_player)
    return (rules.dice.per_player,) * full + ((left,) if left else ())


def rows(rules: Ruleset, ordered: Sequence[Bid]) -> list[list[Bid]]:
    """A ladder broken into lines of a chart: one quantity a line, and bids on the special face where they stand.

    Where the face counts first, it is one face a line. Special dice that are counted differently end a line.
    """
    converts = rules.bidding.special_rank is SpecialRank.CONVERT
    special = rules.dice.special_face
    lines: list[list[Bid]] = []
    for bid in ordered:
        line = lines[-1] if lines else []
        if not line or (converts and line[-1].face == special):
            stays = False
        elif converts and bid.face == special:
            stays = True
        elif len(line) > 1 and line[0].quantity != line[1].quantity:
            stays = bid.face == line[0].face
        else:
            stays = bid.quantity == line[0].quantity or (len(line) == 1 and bid.face == line[0].face)
        if stays:
            line.append(bid)
        else:
            lines.append([bid])
    return lines


def without_tail(rules: Ruleset, ordered: Sequence[Bid]) -> tuple[Sequence[Bid], Sequence[Bid]]:
    """A ladder without the special dice at its end that have no ordinary bid between them, and those by themselves."""
    ordinary = [place for place, bid in enumerate(ordered) if bid.face != rules.dice.special_face]
    if rules.bidding.special_rank is not SpecialRank.CONVERT or not ordinary:
        return ordered, ()
    end = ordinary[-1] + 2
    return ordered[:end], ordered[end:]


def claims(rules: Ruleset, dice: int, over: Bid | None = None) -> Claims:
    """The chart as plain data: all bids in ascending order as [quantity, face], only those above `over` if it is given.

    Where the rules make no ladder: the least quantity by face over the bid `over`, faces that cannot be bid missing;
    without it, the same for every standing bid.

    >>> from liarsdice.core.rules.presets import preset
    >>> claims(preset("mustache").ruleset, 15, Bid(5, 4))
    {'4': 6, '5': 5, '6': 5, '1': 3}
    """
    top = chart_top(rules, dice)
    ordered = ladder(rules, top)
    if ordered is not None:
        return [[bid.quantity, bid.face] for bid in ordered if over is None or beats(rules, over, bid)]
    if over is not None:
        return _by_face(rules, over, top)
    return {str(bid): _by_face(rules, bid, top) for bid in menu(rules).all(1, top)}


def _by_face(rules: Ruleset, over: Bid, top: int) -> dict[str, int]:
    return {str(face): quantity for face, quantity in least(rules, over, reach(rules, over, top)).items()}


def reach(rules: Ruleset, over: Bid, top: int) -> int:
    """The highest quantity among which the least ones over a bid are found: `top`, or more where there is no limit."""
    return top if rules.bidding.cap is not None else max(top, over.quantity * (rules.dice.faces + 1) + 1)


def exactly(rules: Ruleset, over: Bid, new: Bid) -> bool:
    """Whether `new` beats `over`, but one more die of the same face would not."""
    return beats(rules, over, new) and not beats(rules, over, Bid(new.quantity + 1, new.face))
