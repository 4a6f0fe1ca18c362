"""How a tree lies in memory: what the kernel reads, and in which order it walks.

The stem is the kinds after the lowest bids, each with as many lanes as ways lead to it. A kind after the stem is the
root of a subtree, which is walked in all its lanes.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.solve.cfr.kernel_layout import DOWN, FIELDS, FIRST, FRAME, UP
from liarsdice.solve.game.public_tree import Tree

Ints = NDArray[np.int64]
LANES = 128
WORTH_A_THREAD = 500_000
"""Rows that take a thread longer to walk than it takes to wake one."""
TOGETHER = 16
"""Numbers that blocks are filled up to, so that vectors begin where memory's lines do."""


class Layout(msgspec.Struct, frozen=True):
    """A tree as the kernel reads it.

    `kinds`: int64[kind, field]. `lists`: the lists that fields point into. `payoffs`: float64, what calls are worth to
    their caller. `nodes`: int64[node, field], frames of the stem, parents first, and of the subtrees that hang from it.
    `links`: int64[node of the stem, child, 2], where a child is among `nodes`, and in which of its lanes the ways from
    there begin. `rows`: all rows times their lanes. `widest`: what the largest block has room for. `actions`: the most
    that a node has.
    """

    kinds: Ints
    lists: Ints
    payoffs: NDArray[np.float64]
    nodes: Ints
    links: Ints
    rows: int
    widest: int
    depth: int
    actions: int


def layout_of(tree: Tree, lanes: int | None = None) -> Layout:
    """Lay a tree out. `lanes`: about how many nodes are to be walked together."""
    kinds, lists, payoffs = _written(tree)
    stem = _stem(tree, lanes or LANES)
    ways = _ways(tree, stem)
    numbers = {kind: number for number, kind in enumerate(ways)}
    nodes = np.zeros((len(ways), FRAME), np.int64)
    links = np.zeros((len(stem), max(len(tree.kinds[number].children) for number in stem), 2), np.int64)
    rows, met = 0, dict.fromkeys(ways, 0)
    for (kind, count), number in zip(ways.items(), numbers.values(), strict=True):
        nodes[number] = kind, rows, count, -1, -1, number, number
        rows += (tree.kinds[kind].rows if number < len(stem) else tree.kinds[kind].size) * count
        rows += -rows % TOGETHER
        for slot, child in enumerate(tree.kinds[kind].children if number < len(stem) else ()):
            links[number, slot] = numbers[child], met[child]
            met[child] += count
    widest = max(len(held) for held in tree.round.hands) * max(ways.values())
    return Layout(
        kinds=kinds,
        lists=lists,
        payoffs=payoffs,
        nodes=nodes,
        links=links,
        rows=rows,
        widest=widest + -widest % TOGETHER,
        depth=_depth(tree),
        actions=max(kind.actions for kind in tree.kinds),
    )


def stages_of(layout: Layout, threads: int) -> list[list[Ints]]:
    """What is walked after each other, and in each stage at the same time: int64[walk, 2], node and direction.

    The stem is walked down, then the subtrees, of which threads take parts of about one size, and then the stem up. One
    thread takes them all where more are not worth the while.
    """
    stem = len(layout.links)
    sizes = np.diff(np.append(layout.nodes[:, FIRST], layout.rows))[stem:]
    if layout.rows < threads * WORTH_A_THREAD:
        threads = 1
    parts: list[list[int]] = [[] for _ in range(threads)]
    filled = [0] * threads
    for branch in np.argsort(-sizes, kind="stable").tolist():
        least = filled.index(min(filled))
        parts[least].append(stem + branch)
        filled[least] += int(sizes[branch])
    down, up = _walks(range(stem), DOWN), _walks(reversed(range(stem)), UP)
    return [[down], [_walks(sorted(part), DOWN | UP) for part in parts], [up]]


def _walks(nodes: Iterable[int], direction: int) -> Ints:
    return np.array([(node, direction) for node in nodes], np.int64).reshape(-1, 2)


def _stem(tree: Tree, lanes: int) -> list[int]:
    """The kinds after the lowest bids that about twice so many ways as there are to be lanes go through."""
    found = [tree.root]
    for limit in range(2, len(tree.round.situations)):
        wider = _lowest(tree, limit)
        ways = _ways(tree, wider)
        if sum(ways[number] for number in wider) > 2 * lanes or any(_restricts(tree, number) for number in wider):
            break
        found = wider
    return found


def _lowest(tree: Tree, limit: int) -> list[int]:
    """The kinds that the first so many situations lead to, parents first."""
    found = [tree.root]
    for number in found:
        for child in tree.kinds[number].children:
            if tree.kinds[child].situation < limit and child not in found:
                found.append(child)
    return sorted(found, key=lambda number: tree.kinds[number].situation)


def _ways(tree: Tree, stem: list[int]) -> dict[int, int]:
    """How many ways lead to each kind of the stem, and then to each kind after it."""
    ways = dict.fromkeys(stem, 0)
    ways[tree.root] = 1
    for number in stem:
        for child in tree.kinds[number].children:
            ways[child] = ways.get(child, 0) + ways[number]
    return ways


def _restricts(tree: Tree, number: int) -> bool:
    kind = tree.kinds[number]
    return len(kind.active) < len(kind.mine)


def _depth(tree: Tree) -> int:
    depths: list[int] = []
    for kind in tree.kinds:
        depths.append(1 + max((depths[child] for child in kind.children), default=0))
    return depths[tree.root]


def _written(tree: Tree) -> tuple[Ints, Ints, NDArray[np.float64]]:
    fields = np.zeros((len(tree.kinds), FIELDS), np.int64)
    lists: list[int] = []
    payoffs: list[float] = []
    at: dict[int, int] = {}
    for number, kind in enumerate(tree.kinds):
        situation = tree.round.situations[kind.situation]
        mover, other = situation.mover, 1 - situation.mover
        if kind.situation not in at:
            at[kind.situation] = len(payoffs)
            for worth in tree.payoffs(situation, tree.worth):
                payoffs += worth.ravel().tolist()
        shape = situation.calls[0].outcomes.shape if situation.calls else (1, 1)
        silent = [place for place in range(len(kind.mine)) if place not in kind.active]
        starts = []
        below = 0
        steps = []
        for child in kind.children:
            steps += [child, below]
            below += tree.kinds[child].size
        for values in (
            situation.classes[mover][list(kind.mine)].tolist(),
            situation.classes[other][list(kind.theirs)].tolist(),
            [*kind.active, *(int(situation.classes[mover][kind.mine[place]]) for place in kind.active)],
            silent,
            steps,
        ):
            starts.append(len(lists))
            lists += values
        fields[number] = (
            mover,
            len(kind.mine),
            len(kind.theirs),
            len(kind.active),
            len(kind.children),
            len(situation.calls),
            starts[0],
            starts[1],
            starts[2],
            starts[3],
            len(silent),
            starts[4],
            *shape,
            at[kind.situation],
        )
    return fields, np.array(lists or [0], np.int64), np.array(payoffs or [0.0])
