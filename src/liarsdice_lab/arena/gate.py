"""The gate of a level: a bot at all tables of a matrix of rules, seats and opponents, and where it falls short.

A cell of the matrix is played in duplicate deals until its result is clear, so that most take few matches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from liarsdice.bots.neural.features import is_observable
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.presets import preset_names
from liarsdice.core.rules.presets.games import SHEETS
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.runtime.atomic_files import write_atomically
from liarsdice.runtime.processes import map_unordered
from liarsdice_lab.arena.arena import LOST_WORKER, make_arena, play_deals
from liarsdice_lab.arena.summary import summarize

SEATS = (2, 3, 4, 6)
MIXED = "mixed"
"""In place of an opponent: one of each kind, by lot."""
OPPONENTS = (
    "champion@5",
    "champion@7",
    "sharp",
    "regular",
    "novice",
    "greedy",
    "inference",
    "threshold:0.3",
    "threshold:0.4",
    "threshold:0.5",
    "threshold:0.55",
    MIXED,
)
SIMPLE = ("inference", "threshold:0.4")
FLOORS = {2: 0.62, 4: 0.45}
"""The share of matches that is asked for among bots of a kind of `SIMPLE`, by seats; elsewhere it is the fair share."""
FIRST_MATCHES = 60
CLEAR = 1.5
"""A result is clear if its distance from what is asked is so many times the half of its 95% interval."""


class Cell(msgspec.Struct, frozen=True):
    """A table of the matrix: rules by name, the number of seats, and who sits at the other seats."""

    rules: str
    seats: int
    opponent: str

    @property
    def asked(self) -> float:
        """The share of matches (0..1) that the subject must not fall short of."""
        return FLOORS.get(self.seats, 1 / self.seats) if self.opponent in SIMPLE else 1 / self.seats


class CellResult(msgspec.Struct, frozen=True):
    """The share of matches that the subject won at a table (0..1), with its 95% interval."""

    cell: Cell
    matches: int
    share: float
    low: float
    high: float
    p99_ms: float

    @property
    def falls_short(self) -> bool:
        """Whether the whole interval lies below what is asked."""
        return self.high < self.cell.asked

    @property
    def is_clear(self) -> bool:
        """Whether more matches would hardly change on which side of what is asked the share lies."""
        return abs(self.share - self.cell.asked) > CLEAR * (self.high - self.low) / 2


class GateFile(msgspec.Struct, frozen=True):
    """The results of a bot, as stored: those of a version of the package."""

    subject: str
    engine: str
    results: tuple[CellResult, ...] = ()


def sheet_names() -> tuple[str, ...]:
    """Return the presets whose views a network can observe, and the five printed sheets with each option by itself."""
    names = [*preset_names()]
    for sheet in SHEETS:
        names += [f"{sheet.name}+{option}" for option in sheet.options]
    return tuple(name for name in names if is_observable(find_rules(name)))


def make_cells(rules: Sequence[str], seats: Sequence[int], opponents: Sequence[str]) -> list[Cell]:
    """Return the cells of a matrix, without numbers of seats that the rules do not allow."""
    cells = []
    for name in rules:
        players = find_rules(name).players
        for count in seats:
            if players.min <= count <= (players.max or count):
                cells += [Cell(name, count, opponent) for opponent in opponents]
    return cells


def measure(cell: Cell, subject: str, most: int, seed: int) -> CellResult:
    """Play at a table until the result is clear, or `most` matches or a few more are played."""
    opponents = [name for name in OPPONENTS if name != MIXED] if cell.opponent == MIXED else [cell.opponent]
    arena = make_arena(
        find_rules(cell.rules), [subject], opponents=opponents, seats=cell.seats, seed=seed, duplicate=True
    )
    deals, last = list(play_deals(arena, range(arena.deals_for(min(FIRST_MATCHES, most))))), arena.deals_for(most)
    while True:
        summary = summarize(arena, deals)
        standing = summary.standings[0]
        share, low, high = (round(value, 4) for value in (standing.win_share, *standing.win_share_95))
        result = CellResult(cell, summary.matches, share, low, high, round(standing.p99_ms or 0.0, 2))
        if result.is_clear or len(deals) >= last:
            return result
        deals += play_deals(arena, range(len(deals), min(2 * len(deals), last)))


def play_gate(
    cells: Sequence[Cell], subject: str, path: Path, engine: str, *, most: int = 600, seed: int = 0, jobs: int = 1
) -> Iterator[CellResult]:
    """Yield the result of each cell: first those that the file holds, then the others as they are played.

    Every result is stored when it is known. Raises `MalformedError` if the file is none of these, or of another bot or
    version, and `UnavailableError` if it cannot be written or a process was killed.
    """
    stored = read_gate(path) if path.exists() else GateFile(subject, engine)
    if (stored.subject, stored.engine) != (subject, engine):
        raise MalformedError(f"{path} holds results of {stored.subject} {stored.engine}; choose another file")
    known = {result.cell: result for result in stored.results}
    yield from (known[cell] for cell in cells if cell in known)
    tasks = ((cell, subject, most, seed) for cell in cells if cell not in known)
    for result in map_unordered(measure, tasks, jobs, lost_worker=LOST_WORKER):
        known[result.cell] = result
        write_atomically(path, _encoded(GateFile(subject, engine, (*known.values(),))))
        yield result


def _encoded(gate: GateFile) -> bytes:
    """Return results as JSON, each on a line of its own."""
    head = msgspec.json.encode(msgspec.structs.replace(gate, results=())).removesuffix(b"]}")
    return head + b"\n" + b",\n".join(map(msgspec.json.encode, gate.results)) + b"\n]}\n"


def read_gate(path: Path) -> GateFile:
    """Read stored results. Raises `MalformedError` if the file holds none, and `UnavailableError` if it is not read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=GateFile)
    except OSError as error:
        raise UnavailableError(f"cannot read {path}: {error.strerror or error}") from error
    except msgspec.DecodeError as error:
        raise MalformedError(f"{path} holds no results of liarsdice arena gate ({error})") from error
