"""The claim chart: every bid in order where the rules make one ladder, else the least quantity of each face."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from liarsdice.core.bids import Bid, beats
from liarsdice.core.choices import SpecialRank
from liarsdice.core.menu import menu
from liarsdice.core.ruleset import Ruleset


@lru_cache(maxsize=256)
def ladder(rules: Ruleset, top: int) -> tuple[Bid, ...] | None:
    """All bids of up to `top` dice, lowest first, where every later one beats every earlier one and never the reverse.

    None where the rules have no such order. The quadratic check is the definition; it asks the relation itself.

    >>> from liarsdice.core.presets import preset
    >>> [str(bid) for bid in ladder(preset("chart").ruleset, 2)][4:8]
    ['1x6', '1x1', '2x2', '2x3']
    """
    bids = menu(rules).all(1, top)
    lower = {bid: sum(beats(rules, other, bid) for other in bids) for bid in bids}
    ordered = sorted(bids, key=lower.__getitem__)
    if any(lower[bid] != place for place, bid in enumerate(ordered)):
        return None
    if not all(beats(rules, low, high) for place, high in enumerate(ordered) for low in ordered[:place]):
        return None
    return tuple(ordered)


def least(rules: Ruleset, over: Bid, top: int) -> dict[int, int]:
    """The smallest quantity of each face over a bid, of at most `top` dice; faces that can't be bid are missing.

    >>> from liarsdice.core.presets import preset
    >>> least(preset("mustache").ruleset, Bid(5, 4), 15)
    {4: 6, 5: 5, 6: 5, 1: 3}
    """
    found: dict[int, int] = {}
    for bid in menu(rules).over(over, top):
        found.setdefault(bid.face, bid.quantity)
    return {face: found[face] for face in menu(rules).faces if face in found}


def rows(rules: Ruleset, ordered: Sequence[Bid]) -> list[list[Bid]]:
    """A ladder broken into lines of a chart: one quantity a line, and bids on the special face where they stand.

    Where special dice are counted differently, those above the last ordinary bid follow alone, one a line.
    """
    converts = rules.bidding.special_rank is SpecialRank.CONVERT
    special = rules.dice.special_face
    lines: list[list[Bid]] = []
    for bid in ordered:
        last = lines[-1][-1] if lines else None
        stays = last is not None and (
            (converts and bid.face == special and last.face != special)
            or (bid.quantity == last.quantity and not (converts and last.face == special))
        )
        if stays:
            lines[-1].append(bid)
        else:
            lines.append([bid])
    return lines
