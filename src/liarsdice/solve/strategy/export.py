"""Strategies for other programs: tables of information sets as CSV, JSON and Parquet."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import msgspec

from liarsdice.core.bids.notation import notate
from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.atomic_files import replace_atomically
from liarsdice.runtime.optional_dependencies import import_optional
from liarsdice.solve.strategy.information_sets import iter_information_sets
from liarsdice.solve.strategy.strategy import Strategy

COLUMNS = ("seat", "hand", "bids", "action", "probability")
ROW_GROUP = 100_000
"""How many rows a Parquet file stores together, and how many are in memory at the same time."""

Row = tuple[int, str, str, str, float]


def export_strategy(strategy: Strategy, path: Path) -> None:
    """Write every information set of a strategy to a file; its suffix says how: `.csv`, `.json` or `.parquet`.

    CSV and Parquet have a row for each action that is taken, with the columns `COLUMNS`: hands such as `2 5`, bids such
    as `1x5 2x5`, actions such as `3x5`, `liar` and `exact`. JSON has an object with the rules, the bounds and the
    information sets. Raises `UnavailableError` for another suffix, without pyarrow for Parquet, or if the file cannot
    be written.
    """
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        raise UnavailableError(f"a strategy is exported to a file that ends in {', '.join(WRITERS)}, not {path.name!r}")
    try:
        with replace_atomically(path) as temporary:
            writer(strategy, temporary)
    except OSError as error:
        raise UnavailableError(f"cannot write {path}: {error.strerror}") from error


def rows(strategy: Strategy) -> Iterator[Row]:
    """Yield a row for each action that a hand takes: seat, hand, bids, action, probability."""
    for node in iter_information_sets(strategy):
        hand, bids = " ".join(map(str, node.hand)), " ".join(map(notate, node.bids))
        for action, probability in node.probs.items():
            yield node.seat, hand, bids, notate(action), probability


def _write_csv(strategy: Strategy, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows(strategy))


def _write_json(strategy: Strategy, path: Path) -> None:
    bounds = strategy.bounds
    heading = {
        "rules": strategy.tree.game.rules,
        "dice": strategy.start.dice,
        "value": strategy.value,
        "value_bounds": (bounds.low, bounds.high),
        "exploitability": bounds.exploitability,
    }
    with path.open("wb") as file:
        file.write(msgspec.json.encode(heading)[:-1] + b',"information_sets":[')
        for number, node in enumerate(iter_information_sets(strategy)):
            actions = {notate(action): probability for action, probability in node.probs.items()}
            plain = {"seat": node.seat, "hand": node.hand, "bids": [*map(notate, node.bids)], "actions": actions}
            file.write((b",\n" if number else b"\n") + msgspec.json.encode(plain))
        file.write(b"\n]}\n")


def _write_parquet(strategy: Strategy, path: Path) -> None:
    pyarrow = import_optional("pyarrow", "research", "Parquet needs pyarrow")
    parquet = import_optional("pyarrow.parquet", "research", "Parquet needs pyarrow")
    types = (pyarrow.int8(), pyarrow.string(), pyarrow.string(), pyarrow.string(), pyarrow.float64())
    schema = pyarrow.schema(zip(COLUMNS, types, strict=True))
    remaining = rows(strategy)
    with parquet.ParquetWriter(path, schema) as writer:
        while group := list(islice(remaining, ROW_GROUP)):
            writer.write_table(pyarrow.table(list(zip(*group, strict=True)), schema=schema))


WRITERS: dict[str, Callable[[Strategy, Path], None]] = {
    ".csv": _write_csv,
    ".json": _write_json,
    ".parquet": _write_parquet,
}
