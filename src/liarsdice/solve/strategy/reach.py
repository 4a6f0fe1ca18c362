"""The way down a tree under written-down play: how likely hands come to each node, nodes of one kind taken together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.solve.game.public_tree import Tree

Reals = NDArray[np.float64]
Ints = NDArray[np.int64]
Chances = Callable[[int, Ints], Reals]
"""How likely actions are at nodes of a kind, by where the rows of each begin: [node, action, deciding hand]."""
MOST_NODES = 2_000_000
"""Larger trees are taken apart at the root, for the sake of memory."""


class Nodes(NamedTuple):
    """Nodes of one kind: where their rows begin, and how likely hands come there, by seat: [node, hand].

    None for a seat whose play does not matter.
    """

    at: Ints
    come: tuple[Reals | None, Reals | None]

    def arriving(self, seat: int) -> Reals:
        """How likely the hands of a seat come there, whose play matters."""
        come = self.come[seat]
        assert come is not None
        return come


class Passed(NamedTuple):
    """Nodes that were passed on the way down.

    `played`: how likely the mover's hands come there and take each action, where that seat's play matters and a hand
    decides: [node, action, deciding hand]. `below`: the kinds and nodes after each bid. `starts`: where those stand
    among all nodes of their kind.
    """

    number: int
    nodes: Nodes
    played: Reals | None
    below: list[tuple[int, Nodes]]
    starts: list[int]


def root(tree: Tree, seats: tuple[int, ...]) -> Nodes:
    """Where the way down begins, for seats whose play matters."""
    first, second = (tree.round.weights[seat][np.newaxis] if seat in seats else None for seat in (0, 1))
    return Nodes(np.zeros(1, np.int64), (first, second))


def step(tree: Tree, chances: Chances, number: int, nodes: Nodes) -> Passed:
    """Pass some nodes of one kind."""
    kind = tree.kinds[number]
    mover = tree.round.situations[kind.situation].mover
    mine, theirs = nodes.come[mover], nodes.come[1 - mover]
    played = None
    if mine is not None and kind.active:
        played = chances(number, nodes.at) * mine[:, np.newaxis, list(kind.active)]
    below: list[tuple[int, Nodes]] = []
    further = kind.rows
    for action, child in enumerate(kind.children, kind.actions - len(kind.children)):
        on = None if played is None else played[:, action]
        below.append((child, Nodes(nodes.at + further, (on, theirs) if mover == 0 else (theirs, on))))
        further += tree.kinds[child].size
    return Passed(number, nodes, played, below, [])


def descend(tree: Tree, chances: Chances, number: int, nodes: Nodes) -> Iterator[Passed]:
    """Pass all nodes below some of one kind, all of a kind at once, parents first."""
    waiting: dict[int, list[Nodes]] = defaultdict(list, {number: [nodes]})
    filled: dict[int, int] = defaultdict(int)
    for one in range(number, -1, -1):  # children have lower numbers
        parts = waiting.pop(one, [])
        if not parts:
            continue
        passed = step(tree, chances, one, _joined(parts))
        for child, part in passed.below:
            passed.starts.append(filled[child])
            filled[child] += len(part.at)
            waiting[child].append(part)
        yield passed


def everywhere(tree: Tree, chances: Chances, number: int, nodes: Nodes) -> Iterator[Passed]:
    """The same for trees of any size, and in no order."""
    if tree.kinds[number].nodes <= MOST_NODES:
        yield from descend(tree, chances, number, nodes)
        return
    passed = step(tree, chances, number, nodes)
    yield passed
    for child, part in passed.below:
        yield from everywhere(tree, chances, child, part)


def _joined(parts: list[Nodes]) -> Nodes:
    if len(parts) == 1:
        return parts[0]
    first, second = (
        None if parts[0].come[seat] is None else np.concatenate([part.arriving(seat) for part in parts])
        for seat in (0, 1)
    )
    return Nodes(np.concatenate([part.at for part in parts]), (first, second))
