"""Blueprint files (.ldb): the blueprints of rounds under one ruleset, in few bytes.

A line that names the format, the SHA-256 digest of the rest, and the rest as MessagePack. Graphs are not stored: the
reader builds them from the rules. Only the decisions are stored that a player comes to who follows the blueprint, in
the order of a walk that the reader repeats.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import from_dict
from liarsdice.runtime.atomic_files import write_atomically
from liarsdice.solve.blueprint.blueprint import ActionWeights, Blueprint
from liarsdice.solve.blueprint.recall_graph import RecallGraph, make_recall_graph
from liarsdice.solve.game.round_game import make_round_game
from liarsdice.solve.game.round_start import RoundStart

MAGIC = b"liarsdice blueprint 1\n"
DIGEST_BYTES = 32
NodeWeights = Callable[[int, NDArray[np.bool_]], ActionWeights]
"""`weights(node, hands)`: the weights of a node, uint8 [action, hand], of the hands that are marked (bool [hand])."""


class StoredBlueprint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A blueprint as stored. `values`: what each outcome is worth to seat 0. `weights`: compressed with LZMA."""

    start: RoundStart
    recall: int
    menu: int
    values: tuple[float, ...]
    weights: bytes


class BlueprintFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A blueprint file without its first line and digest. Each round is decoded when `blueprint` asks for it.

    `engine`: the version of the package that wrote it. `rules`: the ruleset as plain values.
    """

    engine: str
    rules: dict[str, object]
    rounds: tuple[StoredBlueprint, ...]

    def ruleset(self) -> Ruleset:
        """Return the rules of all rounds."""
        return from_dict(self.rules)

    def blueprint(self, start: RoundStart) -> Blueprint | None:
        """Return the blueprint of a round, or None. Raises `MalformedError` if it does not fit the rules."""
        stored = next((stored for stored in self.rounds if stored.start == start), None)
        if stored is None:
            return None
        try:
            game = make_round_game(self.ruleset(), stored.start)
            if len(game.outcomes) != len(stored.values):
                raise MalformedError(f"the round {stored.start} has {len(game.outcomes)} outcomes")
            graph = make_recall_graph(game, np.array(stored.values), stored.recall, stored.menu)
            return Blueprint(graph, decode_weights(graph, stored.weights))
        except (lzma.LZMAError, LiarsDiceError) as error:
            raise MalformedError(
                f"the blueprint of {start} does not fit this version of liarsdice ({error})"
            ) from error


def write_blueprints(path: Path, rules: Ruleset, blueprints: Sequence[Blueprint], engine: str) -> None:
    """Write a blueprint file, whole or not at all. `engine`: the version of the package.

    Raises `UnavailableError` if it cannot be written.
    """
    rounds = tuple(
        StoredBlueprint(
            blueprint.start,
            blueprint.graph.recall,
            blueprint.graph.menu,
            tuple(blueprint.graph.values.tolist()),
            encode_weights(blueprint.graph, blueprint.weights),
        )
        for blueprint in blueprints
    )
    body = msgspec.msgpack.encode(BlueprintFile(engine, msgspec.to_builtins(rules), rounds))
    write_atomically(path, MAGIC + sha256(body).digest() + body)


def read_blueprints(path: Path) -> BlueprintFile:
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
        raise MalformedError(f"{path} is no blueprint file; `liarsdice solve blueprint -o FOLDER` writes one")
    body = raw[DIGEST_BYTES:]
    if sha256(body).digest() != raw[:DIGEST_BYTES]:
        raise MalformedError(f"{path} is damaged: its checksum differs")
    try:
        file_content = msgspec.msgpack.decode(body, type=BlueprintFile)
        file_content.ruleset()
    except (msgspec.DecodeError, LiarsDiceError) as error:
        raise MalformedError(f"{path} does not fit this version of liarsdice ({error})") from error
    return file_content


def encode_weights(graph: RecallGraph, weights: ActionWeights) -> bytes:
    """Return the weights (uint8 [row]) of the decisions that players come to, compressed."""
    parts: list[ActionWeights] = []

    def collect(node: int, hands: NDArray[np.bool_]) -> ActionWeights:
        start, end = graph.arrays.first_row[node], graph.arrays.first_row[node + 1]
        kept: ActionWeights = weights[start:end].reshape(-1, len(hands))[:, hands]
        parts.append(kept)
        return kept

    _walk_decisions(graph, collect)
    stream = np.concatenate([part.ravel() for part in parts])
    return lzma.compress(stream.tobytes(), preset=6)


def decode_weights(graph: RecallGraph, compressed: bytes) -> ActionWeights:
    """Return the weights that `encode_weights` wrote, uint8 [row], 0 at decisions that nobody comes to.

    Raises `MalformedError` if they are too few or too many, and `lzma.LZMAError` if they are no such bytes.
    """
    stream = np.frombuffer(lzma.LZMADecompressor().decompress(compressed, graph.row_count + 1), np.uint8)
    position = 0

    def read(node: int, hands: NDArray[np.bool_]) -> ActionWeights:
        nonlocal position
        arrays = graph.arrays
        count = int(arrays.first_row[node + 1] - arrays.first_row[node]) // len(hands) * int(hands.sum())
        start, position = position, position + count
        if position > len(stream):
            raise MalformedError("there are too few weights")
        return stream[start:position].reshape(-1, int(hands.sum())) if count else np.zeros((0, 0), np.uint8)

    weights = _walk_decisions(graph, read)
    if position != len(stream):
        raise MalformedError("there are too many weights")
    return weights


def _walk_decisions(graph: RecallGraph, node_weights: NodeWeights) -> ActionWeights:
    """Visit all nodes in topological order, each with the hands that come to it by their own actions.

    Returns the weights of all rows, uint8 [row].
    """
    arrays = graph.arrays
    weights = np.zeros(graph.row_count, np.uint8)
    held = [np.zeros((len(graph.nodes), count), np.bool_) for count in arrays.hand_counts.tolist()]
    for seat in (0, 1):
        held[seat][0] = True
    for node in np.argsort(arrays.situations, kind="stable").tolist():
        mover = int(arrays.movers[node])
        hands = held[mover][node]
        start, end = arrays.first_row[node], arrays.first_row[node + 1]
        block = weights[start:end].reshape(-1, len(hands))
        if hands.any():
            block[:, hands] = node_weights(node, hands)
        children = arrays.children[arrays.first_child[node] : arrays.first_child[node + 1]]
        held[mover][children] |= block[arrays.calls[node] :] > 0
        held[1 - mover][children] |= held[1 - mover][node]
    return weights
