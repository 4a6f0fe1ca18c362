"""How a public tree is laid out in memory: the arrays that the kernel reads, and the order in which it walks.

The stem is made of the subtree types after the lowest bids, each with as many lanes as bid sequences lead to it. A type
below the stem is the root of a subtree, which is walked in all its lanes.
"""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.solve.cfr import kernel_layout as layout
from liarsdice.solve.cfr.kernel_layout import Int64Array
from liarsdice.solve.round_game import PublicTree, SubtreeType

DEFAULT_LANES = 128
MIN_ROWS_PER_THREAD = 500_000
"""With fewer rows, waking a thread takes longer than walking them."""
ALIGNMENT = 16
"""Blocks are padded to multiples of so many numbers, so that vectors begin at cache lines."""


class TreeLayout(msgspec.Struct, frozen=True):
    """A public tree as the kernel reads it.

    `types`: int64 [subtree type, field]. `lists`: int64, the lists that fields point into. `payoffs`: float64, what
    calls are worth to their caller. `nodes`: int64 [node, frame field], the stem's nodes, parents first, then the roots
    of the subtrees below. `links`: int64 [stem node, child, 2], the index of a child in `nodes`, and the first of its
    lanes that belongs to this parent. `rows`: all rows times their lanes. `block_size`: numbers in the largest block.
    `depth`: nodes on the longest way down. `max_actions`: the most actions of a node.
    """

    types: Int64Array
    lists: Int64Array
    payoffs: NDArray[np.float64]
    nodes: Int64Array
    links: Int64Array
    rows: int
    block_size: int
    depth: int
    max_actions: int


def make_tree_layout(tree: PublicTree, lanes: int | None = None) -> TreeLayout:
    """Lay out a tree. `lanes`: about how many nodes are to be walked together."""
    types, lists, payoffs = _encode_types(tree)
    stem = _stem_types(tree, lanes or DEFAULT_LANES)
    lane_counts = _lane_counts(tree, stem)
    indices = {type_id: index for index, type_id in enumerate(lane_counts)}
    nodes = np.zeros((len(lane_counts), layout.FRAME_FIELDS), np.int64)
    max_children = max(len(tree.subtree_types[type_id].children) for type_id in stem)
    links = np.zeros((len(stem), max_children, 2), np.int64)
    rows, lanes_used = 0, dict.fromkeys(lane_counts, 0)
    for (type_id, lane_count), index in zip(lane_counts.items(), indices.values(), strict=True):
        subtree, in_stem = tree.subtree_types[type_id], index < len(stem)
        nodes[index] = type_id, rows, lane_count, -1, -1, index, index
        rows += (subtree.row_count if in_stem else subtree.subtree_rows) * lane_count
        rows += -rows % ALIGNMENT
        for slot, child in enumerate(subtree.children if in_stem else ()):
            links[index, slot] = indices[child], lanes_used[child]
            lanes_used[child] += lane_count
    block_size = max(len(hands) for hands in tree.game.hands) * max(lane_counts.values())
    return TreeLayout(
        types=types,
        lists=lists,
        payoffs=payoffs,
        nodes=nodes,
        links=links,
        rows=rows,
        block_size=block_size + -block_size % ALIGNMENT,
        depth=_depth(tree),
        max_actions=max(subtree.action_count for subtree in tree.subtree_types),
    )


def make_walk_stages(tree_layout: TreeLayout, threads: int) -> list[list[Int64Array]]:
    """Return the stages of a traversal in order; the walks of a stage (one per thread) run at the same time.

    A walk is int64 [step, 2]: a node and a direction. The stem is walked down, then the subtrees, divided into parts of
    about equal size, then the stem up. One thread takes all subtrees if dividing them does not pay.
    """
    stem = len(tree_layout.links)
    sizes = np.diff(np.append(tree_layout.nodes[:, layout.FIRST_ROW], tree_layout.rows))[stem:]
    if tree_layout.rows < threads * MIN_ROWS_PER_THREAD:
        threads = 1
    parts: list[list[int]] = [[] for _ in range(threads)]
    part_rows = [0] * threads
    for branch in np.argsort(-sizes, kind="stable").tolist():
        smallest = part_rows.index(min(part_rows))
        parts[smallest].append(stem + branch)
        part_rows[smallest] += int(sizes[branch])
    down, up = _walk(range(stem), layout.DOWN), _walk(reversed(range(stem)), layout.UP)
    return [[down], [_walk(sorted(part), layout.DOWN | layout.UP) for part in parts], [up]]


def _walk(nodes: Iterable[int], direction: int) -> Int64Array:
    return np.array([(node, direction) for node in nodes], np.int64).reshape(-1, 2)


def _stem_types(tree: PublicTree, lanes: int) -> list[int]:
    """Return the types of the stem: the most situations, lowest bids first, with at most about twice `lanes` lanes.

    The stem ends before the first type at which some hands surely call.
    """
    stem = [tree.root]
    for limit in range(2, len(tree.game.situations)):
        wider = _lowest_types(tree, limit)
        lane_counts = _lane_counts(tree, wider)
        too_wide = sum(lane_counts[type_id] for type_id in wider) > 2 * lanes
        if too_wide or any(_has_sure_callers(tree.subtree_types[type_id]) for type_id in wider):
            break
        stem = wider
    return stem


def _lowest_types(tree: PublicTree, limit: int) -> list[int]:
    """Return the types that the first `limit` situations lead to, parents first."""
    roots = [tree.root]
    for type_id in roots:
        for child in tree.subtree_types[type_id].children:
            if tree.subtree_types[child].situation < limit and child not in roots:
                roots.append(child)
    return sorted(roots, key=lambda type_id: tree.subtree_types[type_id].situation)


def _lane_counts(tree: PublicTree, stem: list[int]) -> dict[int, int]:
    """Return the number of bid sequences that lead to each type of the stem, then to each type just below it."""
    counts = dict.fromkeys(stem, 0)
    counts[tree.root] = 1
    for type_id in stem:
        for child in tree.subtree_types[type_id].children:
            counts[child] = counts.get(child, 0) + counts[type_id]
    return counts


def _has_sure_callers(subtree: SubtreeType) -> bool:
    return len(subtree.deciding) < len(subtree.mover_hands)


def _depth(tree: PublicTree) -> int:
    depths: list[int] = []
    for subtree in tree.subtree_types:
        depths.append(1 + max((depths[child] for child in subtree.children), default=0))
    return depths[tree.root]


def _encode_types(tree: PublicTree) -> tuple[Int64Array, Int64Array, NDArray[np.float64]]:
    """`TreeLayout.types`, `lists` and `payoffs`."""
    fields = np.zeros((len(tree.subtree_types), layout.TYPE_FIELDS), np.int64)
    lists: list[int] = []
    payoffs: list[float] = []
    payoffs_at: dict[bytes, int] = {}
    known: dict[bytes, _CallArrays] = {}
    for type_id, subtree in enumerate(tree.subtree_types):
        situation = tree.game.situations[subtree.situation]
        sure_callers = [place for place in range(len(subtree.mover_hands)) if place not in subtree.deciding]
        calls = _call_arrays(tree, subtree, known)
        key = calls.payoffs.tobytes()
        if key not in payoffs_at:
            payoffs_at[key] = len(payoffs)
            payoffs += calls.payoffs.ravel().tolist()
        lists_at = []
        for entries in (
            calls.mover_buckets.tolist(),
            calls.bidder_buckets.tolist(),
            [*subtree.deciding, *calls.mover_buckets[list(subtree.deciding)].tolist()],
            sure_callers,
            _children_and_offsets(subtree),
        ):
            lists_at.append(len(lists))
            lists += entries
        row = fields[type_id]
        row[layout.MOVER] = situation.mover
        row[layout.MOVER_HANDS], row[layout.BIDDER_HANDS] = len(subtree.mover_hands), len(subtree.bidder_hands)
        row[layout.DECIDING], row[layout.SURE_CALLERS] = len(subtree.deciding), len(sure_callers)
        row[layout.CHILDREN], row[layout.CALLS] = len(subtree.children), len(situation.calls)
        row[layout.MOVER_BUCKETS_AT], row[layout.BIDDER_BUCKETS_AT] = lists_at[0], lists_at[1]
        row[layout.DECIDING_AT], row[layout.SURE_CALLERS_AT], row[layout.CHILDREN_AT] = lists_at[2:]
        row[layout.MOVER_BUCKETS], row[layout.BIDDER_BUCKETS] = calls.payoffs.shape[1:]
        row[layout.PAYOFFS_AT] = payoffs_at[key]
    return fields, np.array(lists or [0], np.int64), np.array(payoffs or [0.0])


class _CallArrays(NamedTuple):
    """What the calls at nodes of a type are worth, by buckets that no call can tell apart.

    `payoffs`: float64 [call, mover bucket, bidder bucket], to the caller. `mover_buckets`, `bidder_buckets`: int64, the
    bucket of each hand that the mover and the bidder may still hold.
    """

    payoffs: NDArray[np.float64]
    mover_buckets: Int64Array
    bidder_buckets: Int64Array


def _call_arrays(tree: PublicTree, subtree: SubtreeType, known: dict[bytes, _CallArrays]) -> _CallArrays:
    """Return the arrays of the calls at nodes of a type. `known`: those of earlier types, by their payoffs by hand."""
    situation = tree.game.situations[subtree.situation]
    mover_buckets = situation.hand_buckets[situation.mover][list(subtree.mover_hands)]
    bidder_buckets = situation.hand_buckets[1 - situation.mover][list(subtree.bidder_hands)]
    if not situation.calls:
        return _CallArrays(np.zeros((0, 1, 1)), np.zeros_like(mover_buckets), np.zeros_like(bidder_buckets))
    payoffs = np.stack(situation.payoffs(tree.outcome_values))
    by_hand = payoffs[:, mover_buckets][:, :, bidder_buckets]
    key = str(by_hand.shape).encode() + by_hand.tobytes()
    if key not in known:
        by_mover, merged_mover = np.unique(by_hand, axis=1, return_inverse=True)
        by_both, merged_bidder = np.unique(by_mover, axis=2, return_inverse=True)
        known[key] = _CallArrays(by_both, merged_mover, merged_bidder)
    return known[key]


def _children_and_offsets(subtree: SubtreeType) -> list[int]:
    """For each child its type and the offset of its rows after those of the node itself."""
    pairs = zip(subtree.children, subtree.child_offsets, strict=True)
    return [value for child, offset in pairs for value in (child, offset - subtree.row_count)]
