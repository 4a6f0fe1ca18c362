"""From what a solver has learned to a strategy, and the bounds that the strategy as written keeps to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from liarsdice.solve.cfr import kernel_layout as k
from liarsdice.solve.cfr.method import Bounds
from liarsdice.solve.cfr.solver import Solver
from liarsdice.solve.game.public_tree import Kind, Tree
from liarsdice.solve.strategy.best_response import Response
from liarsdice.solve.strategy.reach import Ints, Nodes, Reals, descend
from liarsdice.solve.strategy.strategy import Shares, Strategy

WHOLE = 65_535
CHUNK = 1_000_000
DEARER = 1.01

Columns = NDArray[np.floating[Any]]


def strategy_of(solver: Solver) -> Strategy:
    """The average play of a solver, written down, with certified bounds."""
    return written(solver.tree, shares_of(solver), solver.iterations, solver.method.value)


def written(tree: Tree, shares: Shares, iterations: int, method: str) -> Strategy:
    """Such play as a strategy: its bounds are those of two exact best responses to the shares as they stand."""
    plain = Strategy(tree, shares, Bounds(iterations, np.inf, -np.inf, np.inf), method)
    high = Response(tree, plain.chances, 0, tree.high).value()
    low = -Response(tree, plain.chances, 1, tree.low).value()
    return Strategy(tree, shares, Bounds(iterations, (high - low) / 2, low, high), method)


def rounded(strategy: Strategy) -> Strategy:
    """The same play in half of the room, with bounds of its own; as it was, where rounding would cost more than 1%."""
    shares = np.empty(strategy.shares.shape, np.uint16)
    for start in range(0, len(shares), CHUNK):
        shares[start : start + CHUNK] = np.rint(WHOLE * strategy.shares[start : start + CHUNK])
    made = written(strategy.tree, shares, strategy.bounds.iterations, strategy.method)
    return made if made.bounds.exploitability <= DEARER * strategy.bounds.exploitability else strategy


def shares_of(solver: Solver) -> NDArray[np.float32]:
    """A solver's play, lanes taken apart, rows depth first."""
    tree, layout, summed = solver.tree, solver.layout, solver.summed
    shares = np.zeros(tree.kinds[tree.root].size, np.float32)
    starts = [np.zeros(count, np.int64) for count in layout.nodes[:, k.LANES]]
    for node, (number, first, lanes) in enumerate(layout.nodes[:, [k.KIND, k.FIRST, k.LANES]].tolist()):
        kind, alone = tree.kinds[number], node < len(layout.links)
        size = kind.rows if alone else kind.size
        rows = summed[first : first + size * lanes].reshape(size, lanes)
        found = _shared(rows, kind, np.zeros(1, np.int64))[0] if alone else _below(tree, number, rows)
        for lane, start in enumerate(starts[node].tolist()):
            shares[start : start + size] = found[:, lane]
        further = kind.rows
        for slot, child in enumerate(kind.children if alone else ()):
            then, lane = layout.links[node, slot]
            starts[then][lane : lane + lanes] = starts[node] + further
            further += tree.kinds[child].size
    return shares


def _below(tree: Tree, number: int, rows: Columns) -> NDArray[np.float32]:
    """Shares of a subtree in all its lanes: [row, lane]."""
    shares = np.zeros(rows.shape, np.float32)
    root = Nodes(np.zeros(1, np.int64), (None, None))
    for passed in descend(tree, _unasked, number, root):
        kind, at = tree.kinds[passed.number], passed.nodes.at
        shares[at[:, np.newaxis] + np.arange(kind.rows)] = _shared(rows, kind, at)
    return shares


def _shared(rows: Columns, kind: Kind, at: Ints) -> NDArray[np.float32]:
    """Shares at nodes of a kind: [node, row, lane]."""
    play = rows[at[:, np.newaxis] + np.arange(kind.rows)].astype(np.float64)
    play = play.reshape(len(at), kind.actions, len(kind.active), rows.shape[1])
    total = play.sum(axis=1, keepdims=True)
    play = np.where(total > 0, play / np.where(total > 0, total, 1), 1 / kind.actions)
    return play.astype(np.float32).reshape(len(at), kind.rows, rows.shape[1])


def _unasked(number: int, at: Ints) -> Reals:
    """Chances of nobody's play."""
    raise AssertionError(number, at)
