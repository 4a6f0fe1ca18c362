"""Loops in the relation between bids: bids each of which beats the one before, back to the first.

Raise rules are not compared with a list of known good ones. The relation itself is searched, so that every new rule or
conversion is checked, and the loop found is part of the message.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache

from liarsdice.core.rules.bids import Bid, face_order, may_be_pure, raise_relation
from liarsdice.core.rules.parts import Bidding, Dice, RuleChoices

CHECKED_QUANTITY = 10
"""Loops are searched for among bids of up to this many dice.

Every known loop needs at most so many: converting to the special face and back loses at most the rounding of one
halving, and every face order that turns this into a loop does so with at most seven dice. Pure bids let the product of
a bid fall twice by the ratio of two faces before the price doubles it, which with faces 2 and 3 takes ten dice.
"""

SHORTEST_LOOP = 4
"""The length of a loop of three bids, with the first repeated; pairs that beat each other are searched for before."""


def raise_loop(bidding: Bidding, dice: Dice) -> tuple[Bid, ...]:
    """Return the shortest loop of bids each of which beats the one before; empty if the relation has no loop.

    The first bid is repeated at the end.
    """
    # only the fields that the relation depends on, so that the cache serves all other choices
    names = ("raise_", "special_rank", "to_special", "from_special", "to_pure", "from_pure")
    ranks = {name: getattr(bidding, name) for name in names}
    relation = RuleChoices(
        bidding=Bidding(**ranks),
        dice=Dice(faces=dice.faces, special_face=dice.special_face),
    )
    return _find_loop(relation)


@lru_cache(maxsize=1024)
def _find_loop(relation: RuleChoices) -> tuple[Bid, ...]:
    quantities, faces = range(1, CHECKED_QUANTITY + 1), face_order(relation)
    bids = [Bid(quantity, face) for quantity in quantities for face in faces]
    bids += [Bid(quantity, face, pure=True) for quantity in quantities for face in faces if may_be_pure(relation, face)]
    beats = raise_relation(relation)
    above = {old: [new for new in bids if beats(old, new)] for old in bids}
    higher_sets = {old: frozenset(higher) for old, higher in above.items()}
    for old, higher in above.items():
        for new in higher:
            if old in higher_sets[new]:
                return old, new, old
    shortest: tuple[Bid, ...] = ()
    for start in _bids_on_cycles(above):
        loop = _shortest_loop_from(start, above)
        if loop and (not shortest or len(loop) < len(shortest)):
            shortest = loop
        if len(shortest) == SHORTEST_LOOP:
            break
    return shortest


def _bids_on_cycles(above: dict[Bid, list[Bid]]) -> list[Bid]:
    """Return the bids that remain after removing, again and again, those that no other beats: none without a loop."""
    below: dict[Bid, list[Bid]] = {bid: [] for bid in above}
    for old, higher in above.items():
        for new in higher:
            below[new].append(old)
    higher_count = {bid: len(higher) for bid, higher in above.items()}
    unbeaten = deque(bid for bid, count in higher_count.items() if count == 0)
    while unbeaten:
        bid = unbeaten.popleft()
        del higher_count[bid]
        for old in below[bid]:
            higher_count[old] -= 1
            if higher_count[old] == 0:
                unbeaten.append(old)
    return list(higher_count)


def _shortest_loop_from(start: Bid, above: dict[Bid, list[Bid]]) -> tuple[Bid, ...]:
    """Return the shortest way from a bid back to itself; empty if there is none."""
    previous: dict[Bid, Bid] = {}
    queue = deque([start])
    while queue:
        old = queue.popleft()
        for new in above[old]:
            if new == start:
                path = [start, old]
                while old != start:
                    old = previous[old]
                    path.append(old)
                return tuple(reversed(path))
            if new not in previous:
                previous[new] = old
                queue.append(new)
    return ()
