"""What a strategy does most of the time: how often each hand calls a bid that stands, over all ways to it."""

from __future__ import annotations

import msgspec
import numpy as np

from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.strategy.reach import Passed, Reals, everywhere, root
from liarsdice.solve.strategy.strategy import Strategy


class Habit(msgspec.Struct, frozen=True):
    """How a seat's hands answer a bid, when both play by the strategy.

    `stands`: how likely the bid comes to the seat, by hand; `called`: how likely it is then called, nan for a hand that
    it never comes to.
    """

    bid: Bid
    seat: int
    hands: tuple[Hand, ...]
    stands: Reals
    called: Reals


def habits(strategy: Strategy) -> list[Habit]:
    """How often bids come to each seat and are called, lowest bids first."""
    tree = strategy.tree
    stands: dict[int, Reals] = {}
    called: dict[int, Reals] = {}
    for passed in everywhere(tree, strategy.chances, tree.root, root(tree, (0, 1))):
        kind = tree.kinds[passed.number]
        situation = tree.round.situations[kind.situation]
        if situation.calls:
            empty = np.zeros(len(tree.round.hands[situation.mover]))
            mine = list(kind.mine)
            come, calls = _answered(strategy, passed)
            stands.setdefault(kind.situation, empty.copy())[mine] += come
            called.setdefault(kind.situation, empty.copy())[mine] += calls
    found = []
    for number in sorted(stands):
        situation = tree.round.situations[number]
        assert situation.bid is not None
        seat = situation.mover
        comes, calls = stands[number], called[number]
        share = np.divide(calls, comes, out=np.full(len(comes), np.nan), where=comes > 0)
        chance = comes / tree.round.weights[seat]
        found.append(Habit(situation.bid, seat, tree.round.hands[seat], chance, share))
    return found


def _answered(strategy: Strategy, passed: Passed) -> tuple[Reals, Reals]:
    """How likely the mover's hands come to nodes, and how likely they call there."""
    kind = strategy.tree.kinds[passed.number]
    mover = strategy.tree.round.situations[kind.situation].mover
    there = passed.nodes.arriving(1 - mover).sum(axis=1)
    come = there @ passed.nodes.arriving(mover)
    calls = come.copy()
    if passed.played is not None:
        count = kind.actions - len(kind.children)
        calls[list(kind.active)] = there @ passed.played[:, :count].sum(axis=1)
    return come, calls
