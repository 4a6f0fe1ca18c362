"""A puzzle, its file format, and the puzzles of the package: one for each date.

A file of puzzles is JSON Lines: a header, then one puzzle a line.
"""

from collections.abc import Sequence
from datetime import date
from functools import cache
from hashlib import sha256
from importlib.resources import files

import msgspec

from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Choice
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.core.text.narration import MoveReason

PUZZLES_FORMAT = 1
MAX_FILE_BYTES = 64 * 1024 * 1024
FIRST_DAY = date(2026, 1, 1)
"""The date of the first puzzle of a file; those after the last one begin again."""


class Theme(Choice):
    """What a puzzle is about: its best move, or the round in which it has to be found.

    `EXACT`: an exact call is best. `SPECIAL`: a special round. `OPENING`: there is no bid yet. `CHALLENGE`: a challenge
    is best. `BLUFF`: a bid is best although it is probably false, going by the bids. `RAISE`: a bid is best that is
    probably true.
    """

    CHALLENGE = "challenge"
    RAISE = "raise"
    BLUFF = "bluff"
    EXACT = "exact"
    SPECIAL = "special"
    OPENING = "opening"


class Certificate(Choice):
    """How the values of a puzzle are known: from a solved strategy, or from playouts with fresh random numbers."""

    SOLVED = "solved"
    PLAYOUTS = "playouts"


class OfferedMove(msgspec.Struct, frozen=True):
    """A move that a puzzle offers.

    `value`: the share of the match (0..1) that it wins. `behind`: how much less that is than with the best move, with
    `error` as half of its 95% interval; both are 0 for the best move. `p_right`: the probability that a bid is true or
    a call right, going by the bids.
    """

    move: Bid | Challenge | Exact
    value: float
    behind: float
    error: float
    p_right: float


class HeldCounts(msgspec.Struct, frozen=True):
    """How many dice of a seat count for the standing bid: the probability of each count, before and after its bids."""

    seat: int
    before: tuple[float, ...]
    after: tuple[float, ...]


class Puzzle(msgspec.Struct, frozen=True, kw_only=True):
    """A decision with one best move.

    `rules`: the name of a preset. `seed`, `match`, `decision`: where it comes from. `dice`: how many each seat holds.
    `seat`: who has to decide, with `hand`. `bids`: the bids of the round so far, each with its bidder. `wilds_count`:
    whether the special face is wild. `special_seat`: whose special round it is, None in ordinary rounds.

    `moves`: the moves that are offered, the best one first. `counts`: what the others may hold of the standing bid,
    empty without one. `reason`: why the first move is better than another one that is offered, None until the puzzle is
    explained. `deals`: the number of deals of the playouts, 0 where it is solved. `missed`: how many bots do not find
    the best move, and how many bots were asked; the more miss it, the harder it is.
    """

    rules: str
    seed: int
    match: int
    decision: int
    theme: Theme
    certificate: Certificate
    deals: int
    missed: tuple[int, int]
    dice: tuple[int, ...]
    seat: int
    hand: Hand
    bids: tuple[tuple[int, Bid], ...]
    wilds_count: bool
    special_seat: int | None
    moves: tuple[OfferedMove, ...]
    counts: tuple[HeldCounts, ...] = ()
    reason: MoveReason | None = None

    @property
    def key(self) -> str:
        """The name of the puzzle among all, which other files of puzzles keep."""
        return f"{self.rules}/{self.seed}/{self.match}/{self.decision}"

    @property
    def situation(self) -> tuple[object, ...]:
        """What a player sees of the puzzle, with seats counted from the player: two matches may lead to the same."""
        count = len(self.dice)
        places = [(self.seat + step) % count for step in range(count) if self.dice[(self.seat + step) % count]]
        bids = tuple((places.index(bidder), bid) for bidder, bid in self.bids)
        special = None if self.special_seat is None else places.index(self.special_seat)
        return self.rules, tuple(self.dice[seat] for seat in places), tuple(sorted(self.hand)), bids, special

    @property
    def choices(self) -> tuple[OfferedMove, ...]:
        """The moves in the order in which they are offered: calls first, then bids from low to high."""
        return tuple(sorted(self.moves, key=_offered_place))


class PuzzleHeader(msgspec.Struct, frozen=True, tag="liarsdice_puzzles", tag_field="record"):
    """The first line of a file of puzzles: the version of the format, who judged them, and the rules by name."""

    format: int
    judge: str
    rules: dict[str, Ruleset] = {}


class PuzzleFile(msgspec.Struct, frozen=True):
    """The header and the puzzles of a file."""

    header: PuzzleHeader
    puzzles: tuple[Puzzle, ...]


def _offered_place(offered: OfferedMove) -> tuple[int, int, int]:
    match offered.move:
        case Challenge():
            return 0, 0, 0
        case Exact():
            return 1, 0, 0
        case Bid(quantity, face):
            return 2, quantity, face


def write_puzzle_line(line: PuzzleHeader | Puzzle) -> bytes:
    """Return a line of a file of puzzles."""
    return msgspec.json.encode(line) + b"\n"


def read_puzzles(raw: bytes) -> PuzzleFile:
    """Return the puzzles of a file. Raises `MalformedError`, which names the line, if it is none of this format."""
    lines = raw.splitlines()
    number = 1
    try:
        header = msgspec.json.decode(lines[0] if lines else b"", type=PuzzleHeader)
        puzzles = []
        for line in lines[1:]:
            number += 1
            puzzles.append(msgspec.json.decode(line, type=Puzzle))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedError(f"line {number}: this is no file of puzzles: {error}") from error
    if header.format != PUZZLES_FORMAT:
        raise MalformedError(f"the puzzles have format {header.format}, this program reads format {PUZZLES_FORMAT}")
    return PuzzleFile(header, tuple(puzzles))


def merge_puzzles(parts: Sequence[PuzzleFile]) -> PuzzleFile:
    """Return one file with the puzzles of all parts, those that look alike only once.

    The order depends on the puzzles alone, and mixes themes and rules. Raises `UnavailableError` if the parts have
    different judges, or different rules under the same name.
    """
    judges = {part.header.judge for part in parts}
    if len(judges) != 1:
        raise UnavailableError(f"the files have different judges: {', '.join(sorted(judges))}")
    rules: dict[str, Ruleset] = {}
    puzzles: dict[tuple[object, ...], Puzzle] = {}
    for part in parts:
        for name, ruleset in part.header.rules.items():
            if rules.setdefault(name, ruleset) != ruleset:
                raise UnavailableError(f"the files have different rules called {name}")
        for puzzle in part.puzzles:
            puzzles.setdefault(puzzle.situation, puzzle)
    used = {puzzle.rules for puzzle in puzzles.values()}
    header = PuzzleHeader(PUZZLES_FORMAT, judges.pop(), {name: rules[name] for name in sorted(used & set(rules))})
    ordered = sorted(puzzles.values(), key=lambda puzzle: sha256(puzzle.key.encode()).digest())
    return PuzzleFile(header, tuple(ordered))


def write_puzzles(file: PuzzleFile) -> bytes:
    """Return a file of puzzles, which `read_puzzles` reads."""
    return b"".join([write_puzzle_line(file.header), *map(write_puzzle_line, file.puzzles)])


@cache
def packaged_puzzles() -> tuple[Puzzle, ...]:
    """Return the puzzles of the package, read once per process."""
    return read_puzzles((files("liarsdice.analysis.puzzles") / "puzzles.jsonl").read_bytes()).puzzles


def daily_number(day: date, count: int) -> int:
    """Return the number (from 0) of the puzzle of a date among `count` puzzles.

    >>> daily_number(date(2026, 1, 1), 500), daily_number(date(2027, 5, 17), 500)
    (0, 1)
    """
    return (day - FIRST_DAY).days % count


def filter_puzzles(puzzles: Sequence[Puzzle], theme: Theme | None, rules: str | None) -> list[Puzzle]:
    """Return the puzzles of a theme and of a preset; None stands for all."""
    return [puzzle for puzzle in puzzles if theme in (None, puzzle.theme) and rules in (None, puzzle.rules)]
