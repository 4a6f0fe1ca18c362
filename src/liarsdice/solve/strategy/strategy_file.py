"""Strategy files (.lds): solved rounds in a compact, versioned format with a checksum.

A line that names the format, the SHA-256 digest of the rest, and the rest as MessagePack with compressed action
weights. Trees are not stored: the reader builds them from the rules.
"""

import zlib
from collections import defaultdict
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.arguments import check_fields
from liarsdice.core.engine.view import View
from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import from_dict
from liarsdice.runtime.atomic_files import error_reason, write_atomically
from liarsdice.runtime.public_api import checked
from liarsdice.solve.cfr.method import Bounds
from liarsdice.solve.round_game import (
    MAX_BID_SEQUENCES,
    PublicTree,
    RoundStart,
    SubtreeType,
    count_bid_sequences,
    make_public_tree,
    make_round_game,
    round_start_of,
)
from liarsdice.solve.strategy.reach import Int64Array
from liarsdice.solve.strategy.strategy import ActionProbs, ActionWeights, Strategy, same_round_rules

PrunedWeights = NDArray[np.uint16]
DecisionWeights = Callable[[int, Int64Array, Int64Array], PrunedWeights]
"""`weights(type_id, first_rows, hands)`: the weights at decisions, uint16 [decision, action]. `first_rows`, `hands`:
int64 [decision], where the rows of the node begin, and the position among its deciding hands."""


class _Held(NamedTuple):
    """Nodes of one type, and which hands of a seat may come to each.

    `first_rows`: int64 [node]. `hands`: bool [node, hand of the seat in the order of the type].
    """

    first_rows: Int64Array
    hands: NDArray[np.bool_]


def encode_decisions(tree: PublicTree, weights: PrunedWeights) -> bytes:
    """Return the weights of a pruned strategy, uint16 [row], as compressed bytes."""
    parts: list[PrunedWeights] = []

    def collect(type_id: int, first_rows: Int64Array, hands: Int64Array) -> PrunedWeights:
        found = _decision_weights(tree.subtree_types[type_id], weights, first_rows, hands)
        parts.append(found.ravel())
        return found

    walk_decisions(tree, collect)
    stream = np.concatenate(parts).astype("<u2")
    return zlib.compress(stream.view(np.uint8).reshape(-1, 2).T.tobytes(), 9)  # all low bytes, then all high bytes


def decode_decisions(tree: PublicTree, compressed: bytes) -> PrunedWeights:
    """Return the weights that `encode_decisions` wrote, uint16 [row].

    Raises `MalformedError` if they are too few or too many for the tree, and `zlib.error` if they are no such bytes.
    """
    limit = 2 * tree.subtree_types[tree.root].subtree_rows
    raw = np.frombuffer(zlib.decompressobj().decompress(compressed, limit + 2), np.uint8)
    if len(raw) % 2:
        raise MalformedError("half an action weight is missing")
    stream = np.ascontiguousarray(raw.reshape(2, -1).T).view("<u2").ravel().astype(np.uint16)
    position = 0

    def read(type_id: int, _: Int64Array, hands: Int64Array) -> PrunedWeights:
        nonlocal position
        shape = len(hands), tree.subtree_types[type_id].action_count
        start, position = position, position + shape[0] * shape[1]
        if position > len(stream):
            raise MalformedError("there are too few action weights for this tree")
        found: PrunedWeights = stream[start:position].reshape(shape)
        if not found.any(axis=1).all():
            raise MalformedError("there is a decision without any action")
        return found

    weights = walk_decisions(tree, read)
    if position != len(stream):
        raise MalformedError("there are too many action weights for this tree")
    return weights


def walk_decisions(tree: PublicTree, decision_weights: DecisionWeights) -> PrunedWeights:
    """Visit all decisions that a player comes to who takes only actions with a weight, seat after seat.

    Returns the weights in the row order of the tree, uint16 [row]; zero where no player comes.
    """
    weights = np.zeros(tree.subtree_types[tree.root].subtree_rows, np.uint16)
    for seat in (0, 1):
        everything = np.ones((1, len(tree.game.hands[seat])), np.bool_)
        waiting: dict[int, list[_Held]] = defaultdict(list, {tree.root: [_Held(np.zeros(1, np.int64), everything)]})
        for type_id in range(tree.root, -1, -1):  # children have lower indices
            parts = waiting.pop(type_id, [])
            subtree = tree.subtree_types[type_id]
            if not parts or not subtree.deciding:
                continue
            held = _Held(
                np.concatenate([part.first_rows for part in parts]), np.concatenate([part.hands for part in parts])
            )
            is_mover = tree.game.situations[subtree.situation].mover == seat
            for child, below in (
                _own_children(tree, type_id, held, decision_weights, weights) if is_mover else _children(subtree, held)
            ):
                waiting[child].append(below)
    return weights


def _own_children(
    tree: PublicTree, type_id: int, held: _Held, decision_weights: DecisionWeights, weights: PrunedWeights
) -> list[tuple[int, _Held]]:
    """Write the weights of the mover's decisions, and return the nodes below with the hands that come to them."""
    subtree = tree.subtree_types[type_id]
    nodes, hands = np.nonzero(held.hands[:, list(subtree.deciding)])
    by_node = np.zeros((len(held.first_rows), subtree.action_count, len(subtree.deciding)), np.uint16)
    by_node[nodes, :, hands] = decision_weights(type_id, held.first_rows[nodes], hands)
    rows = held.first_rows[:, np.newaxis] + np.arange(subtree.row_count)
    weights[rows] = by_node.reshape(len(rows), subtree.row_count)
    first_bid = subtree.action_count - len(subtree.children)
    below = []
    for place, (child, nodes_below) in enumerate(_children(subtree, held)):
        raising = by_node[:, first_bid + place] > 0
        some = raising.any(axis=1)
        if some.any():
            below.append((child, _Held(nodes_below.first_rows[some], raising[some])))
    return below


def _children(subtree: SubtreeType, held: _Held) -> list[tuple[int, _Held]]:
    """Return the nodes after each raise, with the same hands."""
    children = zip(subtree.children, subtree.child_offsets, strict=True)
    return [(child, _Held(held.first_rows + offset, held.hands)) for child, offset in children]


def _decision_weights(
    subtree: SubtreeType, weights: PrunedWeights, first_rows: Int64Array, hands: Int64Array
) -> PrunedWeights:
    """Return the weights of decisions, uint16 [decision, action], from those of all rows."""
    actions = np.arange(subtree.action_count) * len(subtree.deciding)
    found: PrunedWeights = weights[first_rows[:, np.newaxis] + actions + hands[:, np.newaxis]]
    return found


MAGIC_START = b"liarsdice strategy "
MAGIC = MAGIC_START + b"1\n"
DIGEST_BYTES = 32
DTYPES = {"<f4": np.float32, "<u2": np.uint16}
PRUNED = "pruned"
"""In place of a dtype: weights as `pruning.encode_decisions` writes them."""


class StrategySet(msgspec.Struct, frozen=True):
    """Strategies for rounds under one ruleset.

    `match`: whether their values are those of whole matches, or only of the dice of one round.
    """

    rules: Ruleset
    match: bool
    strategies: tuple[Strategy, ...]

    def __post_init__(self) -> None:
        check_fields(self)

    @checked
    def strategy(self, round_start: RoundStart) -> Strategy:
        """Return the strategy for a round that starts like this. Raises `UnavailableError` if there is none."""
        by_start = {strategy.start: strategy for strategy in self.strategies}
        if round_start not in by_start:
            known = "; ".join(map(str, by_start))
            raise UnavailableError(f"there is no strategy for {round_start} (there is: {known})")
        return by_start[round_start]

    @checked
    def policy(self, view: View) -> ActionProbs:
        """Return how likely to take each action, for the player on turn with this view.

        Raises `UnavailableError` if there is no strategy for the view's rules or round, and what `Strategy.policy`
        raises.
        """
        if not same_round_rules(view.ruleset, self.rules):
            ours, theirs = self.rules.labels.game, view.ruleset.labels.game
            raise UnavailableError(f"these strategies play {ours} by other rules than this table plays {theirs}")
        return self.strategy(round_start_of(view)).policy(view)


class _StoredRound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A strategy as stored.

    `outcome_values`: lower and upper bounds of what each outcome is worth to seat 0. `dtype`: of the weights, a key of
    `DTYPES`, or `PRUNED`. `action_weights`: compressed with zlib.
    """

    start: RoundStart
    outcome_values: tuple[tuple[float, ...], tuple[float, ...]]
    iterations: int
    exploitability: float
    low: float
    high: float
    method: str
    dtype: str
    action_weights: bytes


class _StoredFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file without its first line and digest. `engine`: the version of the package that wrote it."""

    engine: str
    rules: dict[str, object]
    match: bool
    rounds: tuple[_StoredRound, ...]


def write_strategies(path: Path, strategies: StrategySet, engine: str) -> None:
    """Write a strategy file, whole or not at all. `engine`: the version of the package.

    Raises `UnavailableError` if it cannot be written.
    """
    write_atomically(path, encode_strategies(strategies, engine))


def encode_strategies(strategies: StrategySet, engine: str) -> bytes:
    """Return the content of a strategy file. `engine`: the version of the package that writes it."""
    rounds = tuple(_to_stored(strategy) for strategy in strategies.strategies)
    file = _StoredFile(engine, msgspec.to_builtins(strategies.rules), strategies.match, rounds)
    body = msgspec.msgpack.encode(file)
    return MAGIC + sha256(body).digest() + body


def read_strategies(path: Path) -> StrategySet:
    """Read a strategy file.

    Raises `UnavailableError` if it cannot be read, and `MalformedError` if it is no strategy file, of another version,
    or damaged.
    """
    try:
        with path.open("rb") as file:
            magic = file.read(len(MAGIC))
            raw = file.read() if magic == MAGIC else b""  # a file of another kind may have no end
    except (OSError, ValueError) as error:
        raise UnavailableError(f"cannot read {path}: {error_reason(error)}") from error
    if not magic.startswith(MAGIC_START):
        raise MalformedError(f"{path} is no strategy file; `liarsdice solve -o FILE` writes one")
    if magic != MAGIC:
        raise MalformedError(f"{path} is of another version ({magic!r}, not {MAGIC!r}); solve it again")
    body = raw[DIGEST_BYTES:]
    if sha256(body).digest() != raw[:DIGEST_BYTES]:
        raise MalformedError(f"{path} is damaged: its checksum differs; solve it again")
    try:
        stored = msgspec.msgpack.decode(body, type=_StoredFile)
        rules = from_dict(stored.rules)
        return StrategySet(rules, stored.match, tuple(_from_stored(rules, round_) for round_ in stored.rounds))
    except (msgspec.DecodeError, UnicodeDecodeError, LiarsDiceError, zlib.error) as error:
        raise MalformedError(f"{path} does not fit this version of liarsdice ({error}); solve it again") from error


def _to_stored(strategy: Strategy) -> _StoredRound:
    bounds, tree, weights = strategy.bounds, strategy.tree, strategy.action_weights
    if strategy.pruned:
        dtype_name, compressed = PRUNED, encode_decisions(tree, weights.astype(np.uint16, copy=False))
    else:
        dtype_name = next(name for name, dtype in DTYPES.items() if weights.dtype == dtype)
        compressed = zlib.compress(weights.astype(dtype_name).tobytes())
    return _StoredRound(
        strategy.start,
        (tuple(tree.low.tolist()), tuple(tree.high.tolist())),
        bounds.iterations,
        bounds.exploitability,
        bounds.low,
        bounds.high,
        strategy.method,
        dtype_name,
        compressed,
    )


def _from_stored(rules: Ruleset, stored: _StoredRound) -> Strategy:
    game = make_round_game(rules, stored.start)
    low, high = (np.array(values, np.float64) for values in stored.outcome_values)
    if (
        stored.dtype not in {*DTYPES, PRUNED}
        or not len(low) == len(high) == len(game.outcomes)
        or not (low <= high).all()
    ):
        raise MalformedError(f"the round {stored.start} has another shape")
    if count_bid_sequences(game) > MAX_BID_SEQUENCES:
        raise MalformedError(f"the round {stored.start} is larger than any that can be solved")
    tree = make_public_tree(game, low, high)
    weights = _weights_from_stored(tree, stored)
    bounds = Bounds(stored.iterations, stored.exploitability, stored.low, stored.high)
    if not (np.isfinite(weights).all() and (weights >= 0).all() and np.isfinite(bounds).all()):
        raise MalformedError(f"the round {stored.start} has invalid action weights or bounds")
    return Strategy(tree, weights, bounds, stored.method, stored.dtype == PRUNED)


def _weights_from_stored(tree: PublicTree, stored: _StoredRound) -> ActionWeights:
    """Return the action weights of a stored round. Raises `MalformedError` if they do not fit the tree."""
    if stored.dtype == PRUNED:
        return decode_decisions(tree, stored.action_weights)
    size = tree.subtree_types[tree.root].subtree_rows * np.dtype(stored.dtype).itemsize
    raw = zlib.decompressobj().decompress(stored.action_weights, size + 1)
    if len(raw) != size:
        raise MalformedError(f"the round {stored.start} has {size} bytes of shares, not {len(raw)}")
    return np.frombuffer(raw, stored.dtype).astype(DTYPES[stored.dtype])
