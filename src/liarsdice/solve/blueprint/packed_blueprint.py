"""A blueprint as stored: what a decision needs is unpacked when it is asked for."""

from __future__ import annotations

import lzma
from bisect import bisect_right
from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.bids.hands import enumerate_hands
from liarsdice.core.errors import LiarsDiceError, MalformedError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.blueprint_play import ActionWeights, BlueprintPlay, nearest, padded
from liarsdice.solve.blueprint.packed_blocks import (
    OpenedBlock,
    PackedBlock,
    SituationWeights,
    every_node,
    open_block,
    pack_blocks,
)
from liarsdice.solve.blueprint.recall_graph import FloatArray, Path, RecallGraph, make_recall_graph
from liarsdice.solve.blueprint.round_layout import RoundLayout, layout_of
from liarsdice.solve.game.round_game import RoundGame, make_round_game
from liarsdice.solve.game.round_start import RoundStart

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
        start, end = arrays.first_row[node], arrays.first_row[node + 1]
        block = kept[start:end].reshape(-1, len(hands))
        block[:, hands] = weights[start:end].reshape(-1, len(hands))[:, hands]
        children = arrays.children[arrays.first_child[node] : arrays.first_child[node + 1]]
        held[mover][children] |= block[arrays.calls[node] :] > 0
        held[1 - mover][children] |= held[1 - mover][node]
    return kept


def _unpacked(packed: bytes, most: int) -> bytes:
    """Return packed bytes, at most so many and one. Raises `lzma.LZMAError`."""
    return lzma.LZMADecompressor().decompress(packed, most + 1)
