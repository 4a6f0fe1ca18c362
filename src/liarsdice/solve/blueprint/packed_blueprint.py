"""A blueprint as stored, and its file: what a decision needs is unpacked when it is asked for."""

import lzma
import pathlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.bids.odds import enumerate_hands
from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import from_dict
from liarsdice.runtime.atomic_files import write_atomically
from liarsdice.solve.blueprint.blueprint import (
    MAX_WEIGHT,
    ActionWeights,
    Blueprint,
    BlueprintPlay,
    RoundLayout,
    layout_of,
    nearest,
    padded,
)
from liarsdice.solve.blueprint.recall_graph import FloatArray, Path, RecallGraph, make_recall_graph
from liarsdice.solve.round_game import RoundGame, RoundStart, make_round_game

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


MAX_LAYOUT_BYTES = 50_000_000
"""A layout that unpacks to more is refused."""


class StoredBlueprint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A blueprint as stored.

    `menu`: as in `make_recall_graph`. `values`: what each outcome is worth to seat 0. Packed by LZMA are `layout`, a
    `RoundLayout` as MessagePack, and `best_answers`: uint8, by situation the best answer of each hand of its mover.
    """

    menu: int
    values: tuple[float, ...]
    layout: bytes
    best_answers: bytes
    blocks: tuple[PackedBlock, ...]


class PackedBlueprint(BlueprintPlay):
    """The blueprint of a stored round. It unpacks the block of a situation when a decision is asked for.

    Raises `MalformedError` when it is made, or asked, and finds that its parts do not fit together.
    """

    def __init__(self, rules: Ruleset, start: RoundStart, stored: StoredBlueprint) -> None:
        try:
            layout = msgspec.msgpack.decode(_unpacked(stored.layout, MAX_LAYOUT_BYTES), type=RoundLayout)
        except (lzma.LZMAError, msgspec.DecodeError) as error:
            raise MalformedError(f"the layout of {start} cannot be read ({error})") from error
        first, second = (enumerate_hands(rules.dice.faces, count)[0] for count in start.dice)
        if layout.hand_counts != (len(first), len(second)):
            raise MalformedError(f"the layout of {start} has other hands")
        super().__init__(start, (first, second), layout)
        self._rules = rules
        self._stored = stored
        self._first_situations = [block.first for block in stored.blocks]
        self._opened: dict[int, OpenedBlock] = {}

    def weights_after(self, path: Path) -> ActionWeights:
        """Return the weights after the bids of a path, or the nearest that were learned, uint8 [action, hand]."""
        situation = self.layout.situations[path[-1]]
        block, node = self._node_after(path)
        if node is None:
            return np.zeros((situation.action_count, self.layout.hand_counts[situation.mover]), np.uint8)
        return block.node_weights(node, situation.action_count)

    def hand_weights_after(self, path: Path, hand: int) -> ActionWeights:
        """Return the weights of one hand of the player on turn, by its place in `hands`, uint8 [action]."""
        action_count = self.layout.situations[path[-1]].action_count
        block, node = self._node_after(path)
        return np.zeros(action_count, np.uint8) if node is None else block.hand_weights(node, hand, action_count)

    def best_answers(self, index: int) -> NDArray[np.intp]:
        """Return the action that is worth most to each hand of the mover in a situation, int [hand]."""
        return self._answers[index]

    @cached_property
    def game(self) -> RoundGame:
        """The round itself: what calls lead to. Raises `MalformedError` if the blueprint does not fit the rules."""
        try:
            game = make_round_game(self._rules, self.start)
            if len(game.outcomes) != len(self._stored.values):
                raise MalformedError(f"it has {len(game.outcomes)} outcomes")
            if layout_of(game, self._menus, self.layout.recall) != self.layout:
                raise MalformedError("its bids differ")
        except LiarsDiceError as error:
            raise self._misfit(error) from error
        return game

    @property
    def outcome_values(self) -> FloatArray:
        """What each outcome of the round is worth to seat 0, float64 [outcome]."""
        return np.array(self._stored.values)

    @cached_property
    def unpacked(self) -> Blueprint:
        """The whole blueprint in memory, with its graph, which takes up to a second.

        Raises `MalformedError` if it does not fit the rules.
        """
        game, recall, menu = self.game, self.layout.recall, self._stored.menu
        try:
            graph = make_recall_graph(game, self.outcome_values, recall, menu, menus=self._menus)
            return Blueprint(graph, self._graph_weights(graph))
        except LiarsDiceError as error:
            raise self._misfit(error) from error

    @property
    def _menus(self) -> list[tuple[int, ...]]:
        return [situation.menu for situation in self.layout.situations]

    def _misfit(self, error: LiarsDiceError) -> MalformedError:
        return MalformedError(f"the blueprint of {self.start} does not fit the rules ({error})")

    def _graph_weights(self, graph: RecallGraph) -> ActionWeights:
        nodes = {padded(path, graph.recall): node for path, node in graph.nodes.items()}
        weights = np.zeros(graph.row_count, np.uint8)
        for place in range(len(self._stored.blocks)):
            for path, node_weights in every_node(self._open(place), self.layout):
                if path not in nodes:
                    raise MalformedError("it has an unknown decision")
                row = graph.arrays.first_row[nodes[path]]
                weights[row : row + node_weights.size] = node_weights.ravel()
        return weights

    def _node_after(self, path: Path) -> tuple[OpenedBlock, int | None]:
        """Return the block of a situation, and in it the node of a path or the nearest one; None without any."""
        block = self._block_of(path[-1])
        nodes = block.nodes_of(path[-1])
        return block, nodes[nearest(path, block.paths[nodes.start : nodes.stop])] if nodes else None

    def _block_of(self, index: int) -> OpenedBlock:
        """Return the block of a situation."""
        place = bisect_right(self._first_situations, index) - 1
        if place < 0 or index >= self._first_situations[place] + len(self._stored.blocks[place].node_counts):
            raise MalformedError(f"the blueprint of {self.start} has no decisions for a bid")
        return self._open(place)

    def _open(self, place: int) -> OpenedBlock:
        if place not in self._opened:
            self._opened[place] = open_block(self._stored.blocks[place], self.layout)
        return self._opened[place]

    @cached_property
    def _answers(self) -> list[NDArray[np.intp]]:
        """The best answers of all hands of the mover, by situation."""
        sizes = [self.layout.hand_counts[situation.mover] for situation in self.layout.situations]
        try:
            answers = np.frombuffer(_unpacked(self._stored.best_answers, sum(sizes)), np.uint8)
        except lzma.LZMAError as error:
            raise MalformedError(f"the answers of {self.start} cannot be read ({error})") from error
        limits = np.repeat([situation.action_count for situation in self.layout.situations], sizes)
        if len(answers) != len(limits) or (answers >= limits).any():
            raise MalformedError(f"the answers of {self.start} do not fit its bids")
        return np.split(answers.astype(np.intp), np.cumsum(sizes)[:-1])


def stored_blueprint(blueprint: Blueprint) -> StoredBlueprint:
    """Return a blueprint to store, without the decisions that its players never come to."""
    graph, layout = blueprint.graph, blueprint.layout
    kept = Blueprint(graph, reached_weights(graph, blueprint.weights))
    answers = np.concatenate([kept.best_answers(index) for index in range(len(layout.situations))])
    return StoredBlueprint(
        graph.menu,
        tuple(graph.values.tolist()),
        lzma.compress(msgspec.msgpack.encode(layout)),
        lzma.compress(answers.astype(np.uint8).tobytes()),
        pack_blocks(_learned_situations(kept)),
    )


def _learned_situations(blueprint: Blueprint) -> list[SituationWeights]:
    graph = blueprint.graph
    nodes: list[list[int]] = [[] for _ in graph.game.situations]
    for node in np.flatnonzero(blueprint.is_learned).tolist():
        nodes[int(graph.arrays.situations[node])].append(node)
    return [
        (
            np.array([padded(blueprint.paths[node], graph.recall) for node in known], np.int64).reshape(
                len(known), graph.recall
            ),
            [blueprint.node_weights(node) for node in known],
        )
        for known in nodes
    ]


def reached_weights(graph: RecallGraph, weights: ActionWeights) -> ActionWeights:
    """Return the weights of all rows, uint8 [row], 0 for hands that never come to a node by their own actions."""
    arrays = graph.arrays
    kept = np.zeros_like(weights)
    held = [np.zeros((len(graph.nodes), count), np.bool_) for count in arrays.hand_counts.tolist()]
    for seat in (0, 1):
        held[seat][0] = True
    for node in np.argsort(arrays.situations, kind="stable").tolist():  # parents first
        mover = int(arrays.movers[node])
        hands = held[mover][node]
        rows, children = graph.rows_of(node), graph.children_of(node)
        block = kept[rows].reshape(-1, len(hands))
        block[:, hands] = weights[rows].reshape(-1, len(hands))[:, hands]
        held[mover][children] |= block[arrays.calls[node] :] > 0
        held[1 - mover][children] |= held[1 - mover][node]
    return kept


def _unpacked(packed: bytes, most: int) -> bytes:
    """Return packed bytes, at most so many and one. Raises `lzma.LZMAError`."""
    return lzma.LZMADecompressor().decompress(packed, most + 1)


MAGIC = b"liarsdice blueprint 1\n"
DIGEST_BYTES = 32


class StoredRound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A round of a file. `recall`: the number of bids that the play depends on. `content`: a `StoredBlueprint`."""

    start: RoundStart
    recall: int
    content: msgspec.Raw


class BlueprintFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A blueprint file without its first line and digest. Each round is decoded when `blueprint` asks for it.

    `engine`: the version of the package that wrote it. `rules`: the ruleset as plain values.
    """

    engine: str
    rules: dict[str, object]
    rounds: tuple[StoredRound, ...]

    def ruleset(self) -> Ruleset:
        """Return the rules of all rounds."""
        return from_dict(self.rules)

    def blueprint(self, start: RoundStart) -> PackedBlueprint | None:
        """Return the blueprint of a round, or None. Raises `MalformedError` if it does not fit the rules."""
        stored = next((stored for stored in self.rounds if stored.start == start), None)
        if stored is None:
            return None
        try:
            content = msgspec.msgpack.decode(stored.content, type=StoredBlueprint)
        except msgspec.DecodeError as error:
            raise MalformedError(
                f"the blueprint of {start} does not fit this version of liarsdice ({error})"
            ) from error
        return PackedBlueprint(self.ruleset(), start, content)


def write_blueprints(path: pathlib.Path, rules: Ruleset, blueprints: Sequence[Blueprint], engine: str) -> None:
    """Write a blueprint file, whole or not at all. `engine`: the version of the package.

    Raises `UnavailableError` if it cannot be written.
    """
    rounds = tuple(
        StoredRound(
            blueprint.start,
            blueprint.layout.recall,
            msgspec.Raw(msgspec.msgpack.encode(stored_blueprint(blueprint))),
        )
        for blueprint in blueprints
    )
    body = msgspec.msgpack.encode(BlueprintFile(engine, msgspec.to_builtins(rules), rounds))
    write_atomically(path, MAGIC + sha256(body).digest() + body)


def read_blueprints(path: pathlib.Path) -> BlueprintFile:
    """Read a blueprint file.

    Raises `UnavailableError` if it cannot be read, and `MalformedError` if it is no blueprint file or damaged.
    """
    try:
        with path.open("rb") as file:
            magic = file.read(len(MAGIC))
            raw = file.read() if magic == MAGIC else b""  # a file of another kind may have no end
    except OSError as error:
        raise UnavailableError(f"cannot read {path}: {error.strerror}") from error
    if magic != MAGIC:
        raise MalformedError(f"{path} is no blueprint file; `liarsdice train blueprint -o FOLDER` writes one")
    body = memoryview(raw)[DIGEST_BYTES:]  # a copy would take as long as the digest
    if sha256(body).digest() != raw[:DIGEST_BYTES]:
        raise MalformedError(f"{path} is damaged: its checksum differs")
    try:
        file_content = msgspec.msgpack.decode(body, type=BlueprintFile)
        file_content.ruleset()
    except (msgspec.DecodeError, LiarsDiceError) as error:
        raise MalformedError(f"{path} does not fit this version of liarsdice ({error})") from error
    return file_content
