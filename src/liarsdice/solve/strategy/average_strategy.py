"""The average strategy of a solver, and the certified bounds of a strategy.

`Solver.bounds` are estimates in single precision, computed while the solver learns. The bounds that the program prints
at the end and stores are certified (`certify`): two exact best responses to the stored weights, in double precision.
"""

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.solve.cfr import kernel_layout as layout
from liarsdice.solve.cfr.method import Bounds
from liarsdice.solve.cfr.solver import Solver
from liarsdice.solve.round_game import PublicTree, SubtreeType
from liarsdice.solve.strategy.reach import BestResponse, FloatArray, Int64Array, Nodes, iter_nodes_by_type
from liarsdice.solve.strategy.strategy import ActionWeights, Strategy
from liarsdice.solve.strategy.strategy_file import PrunedWeights, walk_decisions

UINT16_MAX = 65_535
PRUNED_MAX = 4_095
"""The weight of the likeliest action of a decision in a pruned strategy."""
CHUNK = 1_000_000
MAX_EXPLOITABILITY_RATIO = 1.01
"""A strategy may be rounded if that multiplies its exploitability by no more than this."""
CERTIFY_S_PER_ROW = 2.5e-7
"""Seconds of certifying for each row of the tree, on a common processor."""

LearnedRows = NDArray[np.floating[Any]]
"""Strategy sums as the solver stores them: float32 or float64 [row, lane]."""


def average_strategy(solver: Solver) -> Strategy:
    """Return the average strategy of a solver, with certified bounds."""
    return certify(solver.tree, average_weights(solver), solver.iterations, solver.method.value)


def certify(tree: PublicTree, weights: ActionWeights, iterations: int, method: str) -> Strategy:
    """Return a strategy of these action weights, with bounds from exact best responses to the weights as they are.

    `weights`: float32 or uint16 [row], in the order of `Strategy.action_weights`.
    """
    unbounded = Strategy(tree, weights, Bounds(iterations, np.inf, -np.inf, np.inf), method)
    high = BestResponse(tree, unbounded.node_probs, 0, tree.high).value()
    low = -BestResponse(tree, unbounded.node_probs, 1, tree.low).value()
    return Strategy(tree, weights, Bounds(iterations, (high - low) / 2, low, high), method)


def certification_s(tree: PublicTree) -> float:
    """Return about how many seconds `average_strategy` takes, to plan for."""
    return CERTIFY_S_PER_ROW * tree.subtree_types[tree.root].subtree_rows


def quantized(strategy: Strategy) -> Strategy:
    """Return the strategy with uint16 weights, half the size, and newly certified bounds.

    Returns the strategy unchanged if rounding makes it more exploitable by a factor over `MAX_EXPLOITABILITY_RATIO`.
    """
    weights = np.empty(strategy.action_weights.shape, np.uint16)
    for start in range(0, len(weights), CHUNK):
        weights[start : start + CHUNK] = np.rint(UINT16_MAX * strategy.action_weights[start : start + CHUNK])
    smaller = certify(strategy.tree, weights, strategy.bounds.iterations, strategy.method)
    good = smaller.bounds.exploitability <= MAX_EXPLOITABILITY_RATIO * strategy.bounds.exploitability
    return smaller if good else strategy


def pruned(strategy: Strategy, min_prob: float) -> Strategy:
    """Return a strategy without the actions below a probability, and without what it never comes to then.

    The weights are uint16, and the bounds are certified anew. `min_prob`: 0..1; the likeliest action always stays.
    """

    def rounded(type_id: int, first_rows: Int64Array, hands: Int64Array) -> PrunedWeights:
        probs = strategy.node_probs(type_id, first_rows)[np.arange(len(hands)), :, hands]
        return _rounded(probs, min_prob)

    weights = walk_decisions(strategy.tree, rounded)
    certified = certify(strategy.tree, weights, strategy.bounds.iterations, strategy.method)
    return msgspec.structs.replace(certified, pruned=True)


def _rounded(probs: FloatArray, min_prob: float) -> PrunedWeights:
    """Return probabilities, float64 [decision, action], as weights, uint16 of the same shape."""
    highest = probs.max(axis=1, keepdims=True)
    weights = np.rint(PRUNED_MAX * probs / highest)
    kept: PrunedWeights = np.where(probs >= np.minimum(min_prob, highest), weights, 0).astype(np.uint16)
    return kept


def average_weights(solver: Solver) -> NDArray[np.float32]:
    """Return a solver's average strategy in the row order of the tree, depth first, by lane: float32 [row]."""
    tree, tree_layout, strategy_sum = solver.tree, solver.layout, solver.strategy_sum
    weights = np.zeros(tree.subtree_types[tree.root].subtree_rows, np.float32)
    first_rows = [np.zeros(count, np.int64) for count in tree_layout.nodes[:, layout.LANES]]
    columns = [layout.TYPE, layout.FIRST_ROW, layout.LANES]
    for node, (type_id, first, lanes) in enumerate(tree_layout.nodes[:, columns].tolist()):
        subtree, in_stem = tree.subtree_types[type_id], node < len(tree_layout.links)
        size = subtree.row_count if in_stem else subtree.subtree_rows
        rows = strategy_sum[first : first + size * lanes].reshape(size, lanes)
        normalized = (
            _normalized(rows, subtree, np.zeros(1, np.int64))[0] if in_stem else _subtree_weights(tree, type_id, rows)
        )
        for lane, start in enumerate(first_rows[node].tolist()):
            weights[start : start + size] = normalized[:, lane]
        for slot, offset in enumerate(subtree.child_offsets if in_stem else ()):
            target, lane = tree_layout.links[node, slot]
            first_rows[target][lane : lane + lanes] = first_rows[node] + offset
    return weights


def _subtree_weights(tree: PublicTree, type_id: int, rows: LearnedRows) -> NDArray[np.float32]:
    """Return the weights of a subtree in all its lanes: float32 [row, lane]."""
    weights = np.zeros(rows.shape, np.float32)
    root = Nodes(np.zeros(1, np.int64), (None, None))
    for visited in iter_nodes_by_type(tree, _no_probs, type_id, root):
        subtree, first_rows = tree.subtree_types[visited.type_id], visited.nodes.first_rows
        normalized = _normalized(rows, subtree, first_rows)
        weights[first_rows[:, np.newaxis] + np.arange(subtree.row_count)] = normalized
    return weights


def _normalized(rows: LearnedRows, subtree: SubtreeType, first_rows: Int64Array) -> NDArray[np.float32]:
    """Return probabilities at nodes of a type, uniform where nothing was learned: float32 [node, row, lane]."""
    sums = rows[first_rows[:, np.newaxis] + np.arange(subtree.row_count)].astype(np.float64)
    sums = sums.reshape(len(first_rows), subtree.action_count, len(subtree.deciding), rows.shape[1])
    total = sums.sum(axis=1, keepdims=True)
    probs = np.where(total > 0, sums / np.where(total > 0, total, 1), 1 / subtree.action_count)
    return probs.astype(np.float32).reshape(len(first_rows), subtree.row_count, rows.shape[1])


def _no_probs(type_id: int, first_rows: Int64Array) -> FloatArray:
    """Stands in for the probabilities of a walk on which no seat's strategy matters."""
    raise AssertionError(type_id, first_rows)
