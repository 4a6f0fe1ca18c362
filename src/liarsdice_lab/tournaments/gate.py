"""The gate of a level: a bot at all tables of a matrix of rules, seats and opponents, and where it falls short.

A cell of the matrix is played in duplicate deals until its result is clear, so that most take few matches.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from liarsdice.bots.external.line_process import kill_all
from liarsdice.bots.neural.champion import CHAMPION_NAME
from liarsdice.bots.neural.features import is_observable
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.presets import preset_names
from liarsdice.core.rules.presets.games import SHEETS
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.core.sources import source_bytes
from liarsdice.runtime.atomic_files import check_writable, write_atomically
from liarsdice.runtime.processes import map_unordered
from liarsdice.solve.strategy.strategy import canonical_rules
from liarsdice_lab.tournaments.arena import LOST_WORKER, make_arena, play_deals, summarize

SEATS = (2, 3, 4, 6)
MIXED = "mixed"
"""In place of an opponent: those of `OPPONENTS` by lot, drawn anew for each deal."""
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
"""The share of matches that is asked for among bots of a kind of `SIMPLE`, by seats, if a match has more rounds than
one; elsewhere it is the fair share.
"""
FIRST_MATCHES = 60
CLEAR = 1.5
"""A result is clear if it is further from what is asked than so many halves of its 95% interval: by chance alone, one
table of several hundred is clearly on the wrong side.
"""


class Cell(msgspec.Struct, frozen=True):
    """A table of the matrix: rules by name, the number of seats, and who sits at the other seats."""

    rules: str
    seats: int
    opponent: str

    @property
    def asked(self) -> float:
        """The share of matches (0..1) that the subject must not fall short of."""
        has_floor = self.opponent in SIMPLE and find_rules(self.rules).guards.max_rounds != 1
        return FLOORS.get(self.seats, 1 / self.seats) if has_floor else 1 / self.seats


class CellResult(msgspec.Struct, frozen=True):
    """The share of matches that the subject won at a table (0..1), with its 95% interval, and its faults."""

    cell: Cell
    matches: int
    share: float
    low: float
    high: float
    p99_ms: float
    faults: int

    @property
    def falls_short(self) -> bool:
        """Whether the share is clearly below what is asked."""
        return self.is_clear and self.share < self.cell.asked

    @property
    def is_clear(self) -> bool:
        """Whether the share is clearly above or below what is asked."""
        return abs(self.share - self.cell.asked) > CLEAR * (self.high - self.low) / 2


class GateFile(msgspec.Struct, frozen=True):
    """The stored results of one bot and one version of the package, and the seed of their deals."""

    subject: str
    engine: str
    seed: int
    results: tuple[CellResult, ...] = ()


def rules_names() -> tuple[str, ...]:
    """Return the presets whose views a network can observe, and the five printed sheets with each option by itself.

    Of rules that are played alike, the first are named.
    """
    names = [*preset_names()]
    for sheet in SHEETS:
        names += [f"{sheet.name}+{option}" for option in sheet.options]
    rules = {name: find_rules(name) for name in names}
    alike: dict[Ruleset, str] = {}
    for name in filter(lambda name: is_observable(rules[name]), names):
        alike.setdefault(canonical_rules(rules[name]), name)
    return tuple(alike.values())


def make_cells(rules: Sequence[str], seats: Sequence[int], opponents: Sequence[str]) -> list[Cell]:
    """Return the cells of a matrix, each once, without numbers of seats that the rules do not allow.

    Raises `MalformedError` if there are none.
    """
    cells: dict[Cell, None] = {}
    for name in rules:
        players = find_rules(name).players
        for count in seats:
            if max(players.min, 2) <= count <= (players.max or count):
                cells |= dict.fromkeys(Cell(name, count, opponent) for opponent in opponents)
    if not cells:
        raise MalformedError(f"no table has {seats} seats under {rules} and opponents {opponents}")
    return [*cells]


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
        p99_ms = round(standing.p99_ms or 0.0, 2)
        result = CellResult(cell, summary.matches, share, low, high, p99_ms, standing.faults)
        if result.is_clear or len(deals) >= last:
            return result
        deals += play_deals(arena, range(len(deals), min(2 * len(deals), last)))


def play_gate(
    cells: Sequence[Cell], subject: str, path: Path, engine: str, *, most: int = 600, seed: int = 0, jobs: int = 1
) -> Iterator[CellResult]:
    """Yield the result of each cell: first those that the file holds, then the others as they are played.

    A stored result that is not clear is played again if `most` allows more matches. Every result is stored when it is
    known. Raises `MalformedError` if the file is not a gate file, or one of another bot, version or seed, and
    `UnavailableError` if it cannot be written or a process was killed.
    """
    check_writable(path)
    subject = CHAMPION_NAME if subject == "champion" else subject
    stored = read_gate(path) if path.exists() else GateFile(subject, engine, seed)
    if (stored.subject, stored.engine, stored.seed) != (subject, engine, seed):
        text = f"{path} holds results of {stored.subject} {stored.engine} with seed {stored.seed}"
        raise MalformedError(f"{text}, not of {subject} {engine} with seed {seed}; choose another file")
    known = {result.cell: result for result in stored.results}
    done = {cell for cell, result in known.items() if result.is_clear or result.matches >= most}
    yield from (known[cell] for cell in cells if cell in done)
    tasks = ((cell, subject, most, seed) for cell in cells if cell not in done)
    for result in map_unordered(measure, tasks, jobs, lost_worker=LOST_WORKER, cleanup=kill_all):
        known[result.cell] = result
        write_atomically(path, _encoded(GateFile(subject, engine, seed, (*known.values(),))))
        yield result


def _encoded(gate: GateFile) -> bytes:
    """Return results as JSON, each on a line of its own."""
    head = msgspec.json.encode(msgspec.structs.replace(gate, results=())).removesuffix(b"]}")
    return head + b"\n" + b",\n".join(map(msgspec.json.encode, gate.results)) + b"\n]}\n"


MAX_FILE_BYTES = 64 * 1024 * 1024


def read_gate(path: Path) -> GateFile:
    """Read stored results.

    Raises `MalformedError` if the file is not a gate file, and `UnavailableError` if it cannot be read.
    """
    try:
        return msgspec.json.decode(source_bytes(path, MAX_FILE_BYTES, content="the results"), type=GateFile)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise MalformedError(f"{path} holds no results of liarsdice arena gate ({error})") from error
