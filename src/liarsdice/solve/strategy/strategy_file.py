"""Solved rounds as a file: compact, versioned, and with a checksum.

A line that says what it is, the SHA-256 digest of the rest, and the rest as MessagePack, the shares in it compressed.
Trees aren't written: whoever reads the file builds them anew from the rules.
"""

from __future__ import annotations

import zlib
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np

from liarsdice.core.engine.view import View
from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import from_plain
from liarsdice.runtime.atomic_files import write_whole
from liarsdice.solve.cfr.method import Bounds
from liarsdice.solve.game.public_tree import tree_of
from liarsdice.solve.game.round_game import MOST_WAYS, round_of, ways_of
from liarsdice.solve.game.round_start import Opening, opening_of
from liarsdice.solve.strategy.strategy import Play, Strategy, alike

FORMAT = 1
MAGIC = b"liarsdice strategy %d\n"
DIGEST = 32
SORTS = {"<f4": np.float32, "<u2": np.uint16}


class Solved(msgspec.Struct, frozen=True):
    """Solved rounds of one ruleset. `match`: whether they are worth matches, or only the dice of one round."""

    rules: Ruleset
    match: bool
    strategies: tuple[Strategy, ...]

    def strategy(self, opening: Opening) -> Strategy:
        """The strategy for a round that begins so. Raises `UnavailableError` where there is none."""
        found = {one.opening: one for one in self.strategies}.get(opening)
        if found is None:
            has = "; ".join(str(one.opening) for one in self.strategies)
            raise UnavailableError(f"there is no strategy for {opening} (there is: {has})")
        return found

    def policy(self, view: View) -> Play:
        """How likely to take each action, for who is on turn and sees so much. Raises what `Strategy.policy` says."""
        if not alike(view.ruleset, self.rules):
            ours, theirs = self.rules.labels.game, view.ruleset.labels.game
            raise UnavailableError(f"these strategies play {ours} by other rules than this table plays {theirs}")
        return self.strategy(opening_of(view)).policy(view)


class _Round(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A strategy as written. `worth`: between what each outcome is worth; `sort`: of which numbers shares are made."""

    opening: Opening
    worth: tuple[tuple[float, ...], tuple[float, ...]]
    iterations: int
    exploitability: float
    low: float
    high: float
    method: str
    sort: str
    shares: bytes


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of a file but its first line and digest. `engine`: the version of the package that wrote it."""

    engine: str
    rules: dict[str, object]
    match: bool
    rounds: tuple[_Round, ...]


def write_solved(path: Path, solved: Solved, engine: str) -> None:
    """Write a file, whole or not at all. Raises `UnavailableError` where it can't be written."""
    write_whole(path, packed(solved, engine))


def packed(solved: Solved, engine: str) -> bytes:
    """What a file holds. `engine`: the version of the package that wrote it."""
    rounds = tuple(_written(one) for one in solved.strategies)
    rest = msgspec.msgpack.encode(_File(engine, msgspec.to_builtins(solved.rules), solved.match, rounds))
    return MAGIC % FORMAT + sha256(rest).digest() + rest


def read_solved(path: Path) -> Solved:
    """Read a file. Raises `UnavailableError` where there is none, and `MalformedError` where it is not whole."""
    start, magic = MAGIC.split(b"%")[0], MAGIC % FORMAT
    try:
        with path.open("rb") as file:
            raw = file.read(len(magic))
            raw += file.read() if raw == magic else b""  # what isn't ours may have no end
    except OSError as error:
        raise UnavailableError(f"cannot read {path}: {error.strerror}") from error
    if not raw.startswith(start):
        raise MalformedError(f"{path} is no strategy file; `liarsdice solve -o FILE` writes one")
    if not raw.startswith(magic):
        raise MalformedError(f"{path} is of another version ({raw[: len(magic)]!r}, not {magic!r}); solve it again")
    rest = raw[len(magic) + DIGEST :]
    if sha256(rest).digest() != raw[len(magic) : len(magic) + DIGEST]:
        raise MalformedError(f"{path} is damaged: its checksum differs; solve it again")
    try:
        held = msgspec.msgpack.decode(rest, type=_File)
        rules = from_plain(held.rules)
        return Solved(rules, held.match, tuple(_read(rules, one) for one in held.rounds))
    except (msgspec.DecodeError, UnicodeDecodeError, LiarsDiceError, zlib.error) as error:
        raise MalformedError(f"{path} does not fit this version of liarsdice ({error}); solve it again") from error


def _written(strategy: Strategy) -> _Round:
    bounds, tree = strategy.bounds, strategy.tree
    sort = next(name for name, kind in SORTS.items() if strategy.shares.dtype == kind)
    return _Round(
        strategy.opening,
        (tuple(tree.low.tolist()), tuple(tree.high.tolist())),
        bounds.iterations,
        bounds.exploitability,
        bounds.low,
        bounds.high,
        strategy.method,
        sort,
        zlib.compress(strategy.shares.astype(sort).tobytes()),
    )


def _read(rules: Ruleset, written: _Round) -> Strategy:
    table = round_of(rules, written.opening)
    low, high = (np.array(worth, np.float64) for worth in written.worth)
    if written.sort not in SORTS or not len(low) == len(high) == len(table.outcomes) or not (low <= high).all():
        raise MalformedError(f"the round {written.opening} has another shape")
    if ways_of(table) > MOST_WAYS:
        raise MalformedError(f"the round {written.opening} is larger than any that can be solved")
    tree = tree_of(table, low, high)
    size = tree.kinds[tree.root].size * np.dtype(written.sort).itemsize
    unpacked = zlib.decompressobj()
    raw = unpacked.decompress(written.shares, size + 1)
    if len(raw) != size:
        raise MalformedError(f"the round {written.opening} has {size} bytes of shares, not {len(raw)}")
    shares = np.frombuffer(raw, written.sort).astype(SORTS[written.sort])
    bounds = Bounds(written.iterations, written.exploitability, written.low, written.high)
    if not (np.isfinite(shares).all() and (shares >= 0).all() and np.isfinite(bounds).all()):
        raise MalformedError(f"the round {written.opening} has numbers that nobody can play by")
    return Strategy(tree, shares, bounds, written.method)
