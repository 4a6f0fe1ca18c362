"""The best response to written-down play, in double precision and in plain array steps: what certifies bounds.

It shares nothing with the compiled walk but the tree.
"""

from __future__ import annotations

import numpy as np

from liarsdice.solve.game.public_tree import Tree
from liarsdice.solve.strategy.reach import MOST_NODES, Chances, Nodes, Passed, Reals, descend, root, step


class Response:
    """A seat's best response to the other one's `chances`, where outcomes are `worth` so much to seat 0."""

    def __init__(self, tree: Tree, chances: Chances, seat: int, worth: Reals) -> None:
        self._tree = tree
        self._chances = chances
        self._seat = seat
        self._worth = worth

    def value(self) -> float:
        """The most that the seat can win on average."""
        won = self._won(self._tree.root, root(self._tree, (1 - self._seat,)))
        return float(won[0] @ self._tree.round.weights[self._seat])

    def _won(self, number: int, nodes: Nodes) -> Reals:
        """What each hand of the seat wins at nodes of a kind: [node, hand]."""
        if self._tree.kinds[number].nodes > MOST_NODES:
            passed = step(self._tree, self._chances, number, nodes)
            return self._at(passed, [self._won(*one) for one in passed.below])
        found: dict[int, Reals] = {}
        for passed in reversed(list(descend(self._tree, self._chances, number, nodes))):
            parts = zip(passed.below, passed.starts, strict=True)
            below = [found[child][start : start + len(passed.nodes.at)] for (child, _), start in parts]
            found[passed.number] = self._at(passed, below)
        return found[number]

    def _at(self, passed: Passed, below: list[Reals]) -> Reals:
        kind, come = self._tree.kinds[passed.number], passed.nodes.arriving(1 - self._seat)
        situation = self._tree.round.situations[kind.situation]
        mine = situation.classes[situation.mover][list(kind.mine)]
        theirs = situation.classes[1 - situation.mover][list(kind.theirs)]
        calls = [payoff[np.ix_(mine, theirs)] for payoff in self._tree.payoffs(situation, self._worth)]
        active = list(kind.active)
        if situation.mover == self._seat:
            value = come @ calls[0].T if calls else np.zeros((len(come), len(mine)))
            if active:
                value[:, active] = np.max([*((come @ call[active].T) for call in calls), *below], axis=0)
            return value
        silent = [place for place in range(len(mine)) if place not in kind.active]
        value = -come[:, silent] @ calls[0][silent] if silent else np.zeros((len(come), len(theirs)))
        if passed.played is not None:
            for action, call in enumerate(calls):
                value -= passed.played[:, action] @ call[active]
        for won in below:
            value += won
        return value
