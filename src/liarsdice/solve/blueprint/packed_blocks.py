"""The weights of a blueprint in blocks, each of which is unpacked alone: what a decision needs is there at once.

A block has the decisions of some situations that follow each other. Per hand it has the number of actions with a
weight, then the actions, the likeliest first, then the weights of all but the likeliest, whose weight is always the
largest. Nearly all numbers are small or follow from the hand before, so that LZMA packs each kind well.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.errors import MalformedError
from liarsdice.solve.blueprint.blueprint_play import MAX_WEIGHT, ActionWeights
from liarsdice.solve.blueprint.round_layout import RoundLayout

BLOCK_WEIGHTS = 60_000
"""A block ends with the situation in which it comes to so many weights."""
LZMA_FILTERS: list[dict[str, Any]] = [{"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 3, "lp": 0, "pb": 0}]
PATH_TYPE = "<i2"
"""The type of a situation in a stored path; a round has far fewer situations than that."""

Int64Array = NDArray[np.int64]
SituationWeights = tuple[Int64Array, Sequence[ActionWeights]]
"""The learned nodes of a situation: their paths (int64 [node, situation], padded), and the weights of each."""


class PackedBlock(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The decisions of some situations, packed.

    `first`: the first situation. `node_counts`: how many nodes were learned in each, from the first on. The others are
    packed bytes, node after node: `paths` int16 [node, situation but the last one], `counts` uint8 [node, hand],
    `actions` uint8, `weights` uint8, those below the largest.
    """

    first: int
    node_counts: tuple[int, ...]
    paths: bytes
    counts: bytes
    actions: bytes
    weights: bytes


def pack_blocks(situations: Sequence[SituationWeights]) -> tuple[PackedBlock, ...]:
    """Return the blocks of the learned nodes of all situations, in their order."""
    blocks: list[PackedBlock] = []
    first = weight_count = 0
    for index, (_, weights) in enumerate(situations):
        weight_count += sum(int(np.count_nonzero(node)) for node in weights)
        if weight_count >= BLOCK_WEIGHTS or index + 1 == len(situations):
            blocks.append(_packed(first, situations[first : index + 1]))
            first, weight_count = index + 1, 0
    return tuple(blocks)


def _packed(first: int, situations: Sequence[SituationWeights]) -> PackedBlock:
    paths, counts, actions, smaller = [], [], [], []
    for known, nodes in situations:
        paths.append(known[:, :-1].ravel())
        for weights in nodes:
            by_hand = weights.T
            likeliest = by_hand.argmax(axis=1)
            hands, taken = np.nonzero(by_hand)
            is_smaller = taken != likeliest[hands]
            order = np.lexsort((taken, is_smaller, hands))
            actions.append(taken[order])
            smaller.append(by_hand[hands, taken][order][is_smaller[order]])
            counts.append(np.count_nonzero(by_hand, axis=1))
    return PackedBlock(
        first,
        tuple(len(nodes) for _, nodes in situations),
        _compressed(paths, PATH_TYPE),
        _compressed(counts),
        _compressed(actions),
        _compressed(smaller),
    )


class OpenedBlock(NamedTuple):
    """A block as it is kept in memory. `first_node`: int64, by situation from `first` on, with one entry more.

    `paths`: int64 [node, situation]. `counts`: uint8, by node and hand. `first_count` and `first_action`: int64 [node],
    where the counts and the actions of a node begin, with one entry more than nodes. `actions` and `weights`: uint8.
    """

    first: int
    first_node: Int64Array
    paths: Int64Array
    counts: NDArray[np.uint8]
    first_count: Int64Array
    actions: NDArray[np.uint8]
    weights: ActionWeights
    first_action: Int64Array

    def nodes_of(self, index: int) -> range:
        """Return the nodes of a situation."""
        place = index - self.first
        return range(int(self.first_node[place]), int(self.first_node[place + 1]))

    def node_weights(self, node: int, action_count: int) -> ActionWeights:
        """Return the weights of a node, uint8 [action, hand]. Raises `MalformedError` for an action out of range."""
        counts = self.counts[self.first_count[node] : self.first_count[node + 1]]
        taken = slice(self.first_action[node], self.first_action[node + 1])
        weights = np.zeros((action_count, len(counts)), np.uint8)
        weights[self._actions(taken, action_count), np.repeat(np.arange(len(counts)), counts)] = self.weights[taken]
        return weights

    def hand_weights(self, node: int, hand: int, action_count: int) -> ActionWeights:
        """Return the weights of one hand at a node, uint8 [action]. Raises as `node_weights`."""
        first = int(self.first_count[node])
        start = int(self.first_action[node]) + int(self.counts[first : first + hand].sum())
        taken = slice(start, start + int(self.counts[first + hand]))
        weights = np.zeros(action_count, np.uint8)
        weights[self._actions(taken, action_count)] = self.weights[taken]
        return weights

    def _actions(self, taken: slice, action_count: int) -> NDArray[np.uint8]:
        actions = self.actions[taken]
        if actions.size and actions.max() >= action_count:
            raise MalformedError("a weight is of an unknown action")
        return actions


def open_block(block: PackedBlock, layout: RoundLayout) -> OpenedBlock:
    """Return a block to read. Raises `MalformedError` if its parts do not fit together or the layout."""
    indices = np.arange(block.first, block.first + len(block.node_counts))
    known = range(len(layout.situations))
    if any(index not in known for index in indices.tolist()) or min(block.node_counts, default=0) < 0:
        raise MalformedError("a block has unknown situations")
    hands = np.array([layout.hand_counts[layout.situations[index].mover] for index in indices.tolist()], np.int64)
    of_node = np.repeat(np.arange(len(indices)), block.node_counts)
    first_count = _starts(hands[of_node])
    earlier = _decompressed(block.paths, len(of_node) * (layout.recall - 1), PATH_TYPE)
    paths = np.column_stack([earlier.reshape(len(of_node), layout.recall - 1).astype(np.int64), indices[of_node]])
    counts = _decompressed(block.counts, int(first_count[-1]))
    totals = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
    actions = _decompressed(block.actions, int(totals[-1]))
    is_likeliest = np.zeros(len(actions), np.bool_)
    is_likeliest[totals[:-1][counts > 0]] = True
    weights = np.full(len(actions), MAX_WEIGHT, np.uint8)
    weights[~is_likeliest] = _decompressed(block.weights, len(actions) - int(is_likeliest.sum()))
    return OpenedBlock(
        block.first,
        _starts(np.array(block.node_counts, np.int64)),
        paths,
        counts,
        first_count,
        actions,
        weights,
        totals[first_count],
    )


def _starts(sizes: Int64Array) -> Int64Array:
    """Return where each of some parts begins, and the end of the last, int64."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def _compressed(parts: Sequence[NDArray[Any]], dtype: str = "u1") -> bytes:
    joined = np.concatenate([*parts, np.zeros(0, np.int64)])
    return lzma.compress(joined.astype(dtype).tobytes(), lzma.FORMAT_RAW, filters=LZMA_FILTERS)


def _decompressed(packed: bytes, count: int, dtype: str = "u1") -> NDArray[Any]:
    """Return so many numbers. Raises `MalformedError` if there are fewer or more."""
    wanted = count * np.dtype(dtype).itemsize
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=LZMA_FILTERS)
    try:
        content = unpacker.decompress(packed, wanted + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise MalformedError(f"the numbers cannot be unpacked ({error})") from error
    if len(content) != wanted:
        raise MalformedError(f"there are {len(content):,} bytes of numbers, not {wanted:,}")
    return np.frombuffer(content, dtype)


def every_node(block: OpenedBlock, layout: RoundLayout) -> Iterator[tuple[tuple[int, ...], ActionWeights]]:
    """Yield the padded path of each node of a block, and its weights, uint8 [action, hand]."""
    for place in range(len(block.first_node) - 1):
        index = block.first + place
        for node in block.nodes_of(index):
            path = tuple(block.paths[node].tolist())
            yield path, block.node_weights(node, layout.situations[index].action_count)
