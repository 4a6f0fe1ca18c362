"""The arena: tournaments that measure how strong bots are, deal by deal.

A deal fixes the random results of a match: the first starter, and the dice of every round and seat. In a duplicate
arena the bots play each deal once from every seat, with the same dice each time, which takes out most of the luck.
Deals are independent of each other, and each depends only on the arena's seed and on its number. They are played here
or on a cluster, and kept in a file of JSON Lines: a header, then one deal a line. `summarize` adds them up.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import ceil, isfinite, log2
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.ratings import wilson_interval
from liarsdice.bots.external.line_process import kill_all
from liarsdice.bots.external.user_bots import file_digests, load_bot
from liarsdice.bots.protocol import Bot, MatchLifecycle
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.engine import MAX_SEATS, match_started
from liarsdice.core.engine.view import View
from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError, counted
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.play.match import Dealer, LabelledSource
from liarsdice.play.match_runner import MatchResult, place_shares, play_match
from liarsdice.runtime.atomic_files import append_whole, try_lock
from liarsdice.runtime.processes import map_unordered
from liarsdice.runtime.public_api import data_frame, new_axes
from liarsdice.runtime.ray_cluster import ray_running
from liarsdice.values.features import kind_number
from liarsdice_lab.tournaments.adjustment import (
    AdjustableMatch,
    AdjustedShare,
    adjusted_shares,
    can_play_again,
    match_adjustment,
    playout_adjustment,
    policies_of,
)
from liarsdice_lab.tournaments.simulation import MAX_MATCHES, bot_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

BUCKETS_PER_OCTAVE = 8
"""Buckets between a time and twice that time, so that a quantile is right within 5%."""

TimeHistogram = Mapping[int, int]
"""Number of decisions by bucket. Bucket b holds times of about `2 ** (b / BUCKETS_PER_OCTAVE)` microseconds."""


class TimedBot:
    """A bot whose decision times are measured.

    `times`: a histogram of all calls of `act`, failed ones included; `on_start` and `on_end` are not timed. `clock`:
    returns nanoseconds.
    """

    def __init__(self, bot: Bot, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self.bot = bot
        self._clock = clock
        self.times: dict[int, int] = {}

    def act(self, view: View) -> PlayerAction | None:
        """Let the bot choose, and add the time that it took."""
        started_ns = self._clock()
        try:
            return self.bot.act(view)
        finally:
            bucket = time_bucket((self._clock() - started_ns) / 1_000)
            self.times[bucket] = self.times.get(bucket, 0) + 1

    def on_start(self, view: View) -> None:
        """Pass the start of the match on to a bot that implements `MatchLifecycle`."""
        if isinstance(self.bot, MatchLifecycle):
            self.bot.on_start(view)

    def on_end(self, view: View) -> None:
        """Pass the end of the match on to a bot that implements `MatchLifecycle`."""
        if isinstance(self.bot, MatchLifecycle):
            self.bot.on_end(view)


def time_bucket(time_us: float) -> int:
    """Return the bucket of a time in microseconds; times below 1 count as 1.

    >>> [time_bucket(time_us) for time_us in (0.2, 1, 2, 1000)]
    [0, 0, 8, 80]
    """
    return round(BUCKETS_PER_OCTAVE * log2(max(time_us, 1.0)))


def merge_times(histograms: Iterable[TimeHistogram]) -> dict[int, int]:
    """Return the sum of several histograms."""
    merged: dict[int, int] = {}
    for times in histograms:
        for bucket, count in times.items():
            merged[bucket] = merged.get(bucket, 0) + count
    return merged


def quantile_ms(times: TimeHistogram, share: float) -> float | None:
    """Return the time in milliseconds that this share of the decisions (0..1) did not exceed; None without decisions.

    >>> quantile_ms({0: 98, 80: 2}, 0.5), quantile_ms({0: 98, 80: 2}, 0.99)
    (0.001, 1.024)
    """
    remaining = share * sum(times.values())
    for bucket in sorted(times):
        remaining -= times[bucket]
        if remaining <= 0:
            return 2 ** (bucket / BUCKETS_PER_OCTAVE) / 1_000
    return None


MAX_DEAL_WARNINGS = 3
"""Faults of a deal that are described in words; all of them are counted."""


class Arena(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a tournament; all its matches follow from them.

    `has_subject`: the first bot plays in every match, and the others fill its table. Without a subject the tables are
    drawn from all bots. `seats`: players in each match. `adjusted`: whether chance is measured, see `adjustment`.
    `playouts`: how often bots play each round again for that, see `playout_adjustment`; 0 for values of positions.
    """

    ruleset: Ruleset
    bots: tuple[str, ...]
    has_subject: bool
    seats: int
    seed: int
    duplicate: bool
    adjusted: bool = False
    playouts: int = 0

    @property
    def matches_per_deal(self) -> int:
        """How many matches are played with the dice of one deal."""
        return self.seats if self.duplicate else 1

    def deals_for(self, matches: int) -> int:
        """Return how many deals have at least this many matches."""
        return ceil(matches / self.matches_per_deal)

    def seatings(self, deal_number: int) -> tuple[tuple[int, ...], ...]:
        """Return the seating of each match of a deal: the bot of each seat, as an index into `bots`.

        The table rotates by one seat from match to match of a duplicate deal, otherwise from deal to deal. After a full
        rotation a new table is drawn.
        """
        table = self._table(deal_number if self.duplicate else deal_number // self.seats)
        rotations = range(self.seats) if self.duplicate else (deal_number % self.seats,)
        return tuple(table[start:] + table[:start] for start in rotations)

    def _table(self, number: int) -> tuple[int, ...]:
        """Draw a table: every bot equally often, and the remaining seats by lot."""
        generator = random.Random(f"{self.seed}/table/{number}")
        pool = range(self.has_subject, len(self.bots))
        free_seats = self.seats - self.has_subject
        repeated = [*pool] * (free_seats // len(pool))
        table = [0] * self.has_subject + repeated + generator.sample(pool, free_seats % len(pool))
        generator.shuffle(table)
        return tuple(table)


class ArenaMatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of one match, by seat: bots (as indices into `Arena.bots`), final places and number of faults.

    `adjustment`: what chance gave each seat, as a share of the match; empty in arenas that are not adjusted.
    `playouts`: the copies of each round from which that is known; 0 if it is known from values of positions.
    """

    seating: tuple[int, ...]
    places: tuple[int, ...]
    faults: tuple[int, ...]
    rounds: int
    adjustment: tuple[float, ...] = ()
    playouts: int = 0

    @property
    def win_shares(self) -> list[float]:
        """The part of the win of each seat."""
        return [place_shares(self.places, seat)[0] for seat in range(len(self.places))]


class DealResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The results of a deal's matches.

    `warnings`: sentences about the first faults. `seconds` (wall-clock time) and `times` (of decisions, by bot) differ
    from run to run; everything else follows from the arena and the deal's number.
    """

    number: int
    matches: tuple[ArenaMatch, ...]
    warnings: tuple[str, ...]
    seconds: float
    times: tuple[dict[int, int], ...]


def make_arena(
    ruleset: Ruleset,
    bots: Sequence[str],
    *,
    opponents: Sequence[str] = (),
    seats: int | None = None,
    seed: int = 0,
    duplicate: bool = False,
    adjusted: bool = False,
    playouts: int = 0,
) -> Arena:
    """Return an arena of bots by name. With `opponents`, the one bot of `bots` is the subject that plays them.

    `seats`: by default as many as there are bots, and at least as many as the rules seat. `playouts`: only counts in
    arenas that are adjusted. Raises `MalformedError` or
    `UnavailableError` if a bot cannot be loaded, or bots and seats do not fit the rules.
    """
    specs = tuple(spec.strip() for spec in (*bots, *opponents))
    if opponents and len(bots) != 1:
        raise MalformedError(f"an arena with opponents measures one subject, not {len(bots)}")
    if len(specs) < 2:
        raise MalformedError("an arena needs at least two bots")
    for spec in specs:
        load_bot(spec)
    seat_count = max(len(specs), ruleset.players.min) if seats is None else seats
    if not 2 <= seat_count <= MAX_SEATS:
        raise MalformedError(f"an arena has 2 to {MAX_SEATS} seats, not {seat_count}")
    match_started(ruleset, _seat_names(seat_count))
    return Arena(
        ruleset=ruleset,
        bots=specs,
        has_subject=bool(opponents),
        seats=seat_count,
        seed=seed,
        duplicate=duplicate,
        adjusted=adjusted,
        playouts=playouts if adjusted else 0,
    )


def play_deal(
    arena: Arena,
    deal_number: int,
    *,
    make_bot: Callable[[str, str], Bot] | None = None,
    on_match_end: Callable[[int, Sequence[Bot], MatchResult], None] | None = None,
) -> DealResult:
    """Play all matches of one deal.

    `make_bot` returns a bot from its name and a seed, by default `load_bot`. `on_match_end` is called with the number
    of each match within the deal, its bots by seat and its result.
    """
    started_s = time.perf_counter()
    matches: list[ArenaMatch] = []
    warnings: list[str] = []
    times: list[list[TimeHistogram]] = [[] for _ in arena.bots]
    for match_number, seating in enumerate(arena.seatings(deal_number)):
        deal_seed = f"{arena.seed}/{deal_number}"
        match_seed = f"{deal_seed}/{match_number}"
        bots = _make_bots(arena, seating, match_seed, make_bot)
        players = [TimedBot(bot) for bot in bots]
        dealer = Dealer(source=LabelledSource(deal_seed))
        result = play_match(arena.ruleset, players, _seat_names(arena.seats), dealer=dealer)
        if on_match_end is not None:
            on_match_end(match_number, bots, result)
        for bot, player in zip(seating, players, strict=True):
            times[bot].append(player.times)
        chance: tuple[tuple[float, ...], int] = ((), 0)
        if arena.playouts and can_play_again(bots):
            copies = _make_bots(arena, seating, f"{match_seed}/playouts", make_bot)
            chance = _chance_by_playouts(arena, seating, result, copies, f"{match_seed}/playouts")
        elif arena.adjusted:
            chance = _chance_by_values(arena, seating, result, bots, f"{match_seed}/adjustment")
        matches.append(_arena_match(seating, result, chance))
        warnings += [
            f"deal {deal_number + 1}, match {match_number + 1}: fault of {arena.bots[seating[fault.seat]]} in round "
            f"{fault.round_number}: {fault.reason}"
            for fault in result.faults
        ]
    seconds = round(time.perf_counter() - started_s, 6)
    merged_times = tuple(map(merge_times, times))
    return DealResult(deal_number, tuple(matches), tuple(warnings[:MAX_DEAL_WARNINGS]), seconds, merged_times)


def _seat_names(seats: int) -> list[str]:
    """Return players' names that tell bots nothing about whom they play against."""
    return [f"seat {seat + 1}" for seat in range(seats)]


def _make_bots(
    arena: Arena, seating: Sequence[int], seed: str, make_bot: Callable[[str, str], Bot] | None
) -> list[Bot]:
    return [(make_bot or load_bot)(arena.bots[bot], f"{seed}/{seat}") for seat, bot in enumerate(seating)]


def _chance_by_playouts(
    arena: Arena, seating: Sequence[int], result: MatchResult, copies: Sequence[Bot], seed: str
) -> tuple[tuple[float, ...], int]:
    """Return what chance gave each seat, and the number of playouts. `copies`: bots that play each round again."""
    kinds = [kind_number(arena.bots[bot]) for bot in seating]
    adjustment = playout_adjustment(result.events, copies, Dealer(seed), arena.playouts, kinds)
    return tuple(adjustment.tolist()), arena.playouts


def _chance_by_values(
    arena: Arena, seating: Sequence[int], result: MatchResult, bots: Sequence[Bot], seed: str
) -> tuple[tuple[float, ...], int]:
    """Return what chance gave each seat by the values of positions, and 0, the number of playouts."""
    kinds = [kind_number(arena.bots[bot]) for bot in seating]
    number = random.Random(seed).getrandbits(32)
    return tuple(match_adjustment(result.events, policies_of(bots), number, kinds).tolist()), 0


def _arena_match(seating: tuple[int, ...], result: MatchResult, chance: tuple[tuple[float, ...], int]) -> ArenaMatch:
    """`chance`: what it gave each seat, and the number of playouts."""
    faulty_seats = [fault.seat for fault in result.faults]
    faults = tuple(map(faulty_seats.count, range(len(seating))))
    return ArenaMatch(seating, result.places, faults, result.rounds, *chance)


FORMAT = 1
MAX_DIFFERENCES = 3
"""The most differences to another arena that an error names."""
COUNTS = range(1 << 53)
"""The counts that a file may hold: whole numbers that a float holds exactly."""
TIME_BUCKETS = range(512)
"""The buckets of `timing.TimeHistogram` that a file may hold."""


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="liarsdice_arena", tag_field="record"):
    """The first line: everything that the results depend on.

    `engine`: the version of this package. `files`: the SHA-256 of the files that users' bots consist of, by path.
    """

    format: int
    engine: str
    arena: Arena
    files: dict[str, str]


class ArenaFile:
    """The file of an arena, open and locked until it is closed. `deals`: the results that it holds, by number.

    An incomplete last line, as a kill leaves it, is cut off. Raises `UnavailableError` if the file cannot be read or
    written, another program has it open, or it belongs to another arena, and `MalformedError` if it is no arena file.
    """

    def __init__(self, path: Path, arena: Arena, engine: str) -> None:
        self.path = path
        self.deals: dict[int, DealResult] = {}
        header = Header(FORMAT, engine, arena, file_digests(arena.bots))
        try:
            if path.exists() and not (path.is_file() or path.is_dir()):
                raise UnavailableError(f"cannot keep deals in {path}: it is a device or a pipe, and not a file")
            self._file = path.open("a+b", buffering=0)
            try:
                self._load(header)
            except BaseException:
                self.close()
                raise
        except OSError as error:
            raise UnavailableError(f"cannot keep deals in {path}: {error.strerror or error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, which releases its lock."""
        self._file.close()

    def append(self, deal: DealResult) -> None:
        """Write a deal to the end of the file. Raises `UnavailableError` if that fails; the file is then unchanged."""
        try:
            self._write_line(deal)
        except OSError as error:
            raise UnavailableError(f"cannot write {self.path}: {error.strerror or error}") from error
        self.deals[deal.number] = deal

    def _load(self, header: Header) -> None:
        """Lock the file and read its deals, or write the header of a new one."""
        if not try_lock(self._file.fileno()):
            raise UnavailableError(
                f"another program keeps deals in {self.path} already; wait until it ends, or name another file"
            )
        self._file.seek(0)
        content = self._file.read()
        complete = content.rfind(b"\n") + 1
        if complete:
            self._read_lines(content[:complete].splitlines(), header)
        elif content and not _line(header).startswith(content):
            raise MalformedError(f"{self.path} is not an arena file; it was not changed")
        self._file.truncate(complete)
        if not complete:
            self._write_line(header)

    def _write_line(self, line: Header | DealResult) -> None:
        append_whole(self._file.fileno(), _line(line))

    def _read_lines(self, lines: list[bytes], expected: Header) -> None:
        """Check the header against the expected one, and read the deals."""
        try:
            header = msgspec.json.decode(lines[0], type=Header)
        except (msgspec.DecodeError, UnicodeDecodeError, LiarsDiceError) as error:
            raise MalformedError(f"{self.path} is not an arena file; it was not changed ({error})") from error
        different = [*differences("", msgspec.to_builtins(header), msgspec.to_builtins(expected))]
        if different:
            named = name_differences(different)
            raise UnavailableError(f"{self.path} belongs to another arena: {named} (name another file)")
        for number, line in enumerate(lines[1:], start=2):
            try:
                deal = msgspec.json.decode(line, type=DealResult)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise MalformedError(f"{self.path}, line {number}: {error}") from error
            problem = _deal_problem(expected.arena, deal)
            if problem:
                raise MalformedError(f"{self.path}, line {number}: {problem}")
            self.deals.setdefault(deal.number, deal)


def _line(content: Header | DealResult) -> bytes:
    return msgspec.json.encode(content) + b"\n"


def _deal_problem(arena: Arena, deal: DealResult) -> str | None:
    """Return why a deal cannot be one of this arena, None if it can. `summarize` relies on what is checked here."""
    if deal.number < 0 or tuple(match.seating for match in deal.matches) != arena.seatings(deal.number):
        return f"the bots of deal {deal.number} sat otherwise"
    for match in deal.matches:
        if match.places != tuple(1 + sum(other < place for other in match.places) for place in match.places):
            return f"the places {match.places} are none of a match"
        if not len(match.places) == len(match.faults) == arena.seats:
            return f"a match of {arena.seats} has as many places and numbers of faults"
        if len(match.adjustment) != arena.adjusted * arena.seats or not all(map(isfinite, match.adjustment)):
            return "a match has as many adjustments as seats if the arena is adjusted, and none otherwise"
        if match.playouts not in {0, arena.playouts}:
            return f"rounds are played again {counted(arena.playouts, 'time')}, not {match.playouts}"
        if not match.rounds or not all(count in COUNTS for count in (match.rounds, *match.faults)):
            return "its rounds or faults cannot be so many"
    buckets_and_counts = [item for times in deal.times for item in times.items()]
    if len(deal.times) != len(arena.bots) or not all(
        bucket in TIME_BUCKETS and count in COUNTS for bucket, count in buckets_and_counts
    ):
        return f"the times are not those of {len(arena.bots)} bots"
    return None if deal.seconds > 0 else f"a deal takes longer than {deal.seconds:g} s"


def name_differences(different: Sequence[str]) -> str:
    """Return some of the differences that `differences` yields, and how many more there are."""
    more = len(different) - MAX_DIFFERENCES
    return "; ".join(different[:MAX_DIFFERENCES]) + (f"; and {more} more" if more > 0 else "")


def differences(path: str, theirs: Any, ours: Any) -> Iterator[str]:  # noqa: ANN401  JSON of any shape
    """Yield where two JSON values differ, by the dotted path of their keys."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in ours.keys() | theirs.keys() if theirs.keys() != ours.keys() else ours:
            yield from differences(f"{path}.{key}" if path else str(key), theirs.get(key), ours.get(key))
    elif theirs != ours:
        yield f"{path.removeprefix('contest.')} is {theirs!r} there and {ours!r} here"


LOST_WORKER = (
    "a worker process was killed, by a bot or from outside, perhaps because memory ran out; with -o the finished deals"
    " are saved, and the same command continues"
)


def play_deals(arena: Arena, numbers: Iterable[int], *, jobs: int = 1, ray: bool = False) -> Iterator[DealResult]:
    """Play deals by number and yield each result as it is done, in any order.

    `jobs`: processes of this machine; with `ray` as many as the cluster has processors. Raises `UnavailableError` if
    Ray is not installed, or if a process was killed.
    """
    tasks = ((arena, number) for number in numbers)
    if ray:
        return _play_on_cluster(tasks)
    if jobs > 1:
        return map_unordered(play_deal, tasks, jobs, lost_worker=LOST_WORKER, cleanup=kill_all)
    return (play_deal(*task) for task in tasks)


def _play_on_cluster(tasks: Iterable[tuple[Arena, int]]) -> Iterator[DealResult]:
    with ray_running() as cluster:
        yield from cluster.map_unordered(play_deal, tasks)


Floats: TypeAlias = NDArray[np.float64]

RESAMPLES = 2_000
PERCENTILES_95 = (2.5, 97.5)


class BotSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The results of one bot.

    `seats`: the seats that it had in all matches; it won `wins` of them (a shared win counts as a part). Shares are in
    0..1: `win_share` of its seats with the 95% interval, `fair_share` of a bot as strong as the others, and
    `place_shares` for every place from the first on, where tied seats have equal parts. `mean_place` is 1 at best.
    `adjusted`: the win share after adjustment, None if the arena is not adjusted. Times are of one decision; None
    without decisions.
    """

    bot: str
    seats: int
    wins: float
    win_share: float
    win_share_95: tuple[float, float]
    fair_share: float
    place_shares: tuple[float, ...]
    mean_place: float
    decisions: int
    median_ms: float | None
    p99_ms: float | None
    faults: int
    adjusted: AdjustedShare | None = None


class ArenaSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The results of an arena. `matches_per_s` is the speed of one process; `warnings` describe the first faults."""

    deals: int
    matches: int
    rounds: int
    matches_per_s: float
    standings: tuple[BotSummary, ...]
    warnings: tuple[str, ...]


def summarize(arena: Arena, deals: Sequence[DealResult], max_warnings: int = 20) -> ArenaSummary:
    """Add up one or more deals, in the order of their numbers."""
    ordered = sorted(deals, key=lambda deal: deal.number)
    bot_count = len(arena.bots)
    places = np.zeros((len(ordered), bot_count, arena.seats))  # [deal, bot, place]: share of each place
    for row, deal in enumerate(ordered):
        for match in deal.matches:
            for seat, bot in enumerate(match.seating):
                places[row, bot] += place_shares(match.places, seat)
    match_count = sum(len(deal.matches) for deal in ordered)
    intervals = win_share_intervals(places[:, :, 0], places.sum(axis=2))
    adjusted = _adjusted(arena, ordered)
    return ArenaSummary(
        deals=len(ordered),
        matches=match_count,
        rounds=sum(match.rounds for deal in ordered for match in deal.matches),
        matches_per_s=match_count / sum(deal.seconds for deal in ordered),
        standings=tuple(
            _bot_summary(arena, ordered, bot, places[:, bot].sum(axis=0), intervals[bot], adjusted[bot])
            for bot in range(bot_count)
        ),
        warnings=tuple(warning for deal in ordered for warning in deal.warnings)[:max_warnings],
    )


class ArenaResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a tournament came to. `arena`: its settings; `deals`: every match; `summary`: the results of each bot."""

    arena: Arena
    deals: tuple[DealResult, ...]
    summary: ArenaSummary

    def __repr__(self) -> str:
        bots = (
            f"{bot.bot} {bot.win_share:.1%} ({100 * bot.win_share_95[0]:.1f}-{100 * bot.win_share_95[1]:.1f})"
            for bot in self.summary.standings
        )
        played = counted(self.summary.matches, "match", "matches")
        head = f"{self.arena.ruleset.labels.game}, {self.arena.seats} seats, {played}"
        return f"ArenaResult({head}: {', '.join(bots)})"

    def to_dataframe(self) -> DataFrame:
        """Return a row for each bot, of the fields of `BotSummary`; `low` and `high` are the ends of the 95% interval.

        Raises `UnavailableError` without pandas.
        """
        rows = []
        for bot in self.summary.standings:
            row = msgspec.structs.asdict(bot)
            row["low"], row["high"] = row.pop("win_share_95")
            adjusted = row.pop("adjusted")
            if adjusted is not None:
                row["adjusted_share"] = adjusted.share
                row["adjusted_low"], row["adjusted_high"] = adjusted.share_95
            shares = row.pop("place_shares")
            rows.append(row | {f"place_{place}": share for place, share in enumerate(shares, 1)})
        return data_frame(rows, "bot")

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw the win share of each bot with its 95% interval, and the fair share; return the axes.

        Raises `UnavailableError` without matplotlib.
        """
        standings = self.summary.standings[::-1]
        axes = new_axes(6, 1 + 0.4 * len(standings)) if axes is None else axes
        shares = np.array([bot.win_share for bot in standings])
        ends = np.array([bot.win_share_95 for bot in standings]).T
        axes.errorbar(shares, [bot.bot for bot in standings], xerr=np.abs(ends - shares), fmt="o", capsize=3)
        axes.axvline(1 / self.arena.seats, linestyle=":", color="gray")
        axes.set(xlim=(0, 1), xlabel="share of matches won (95%)", title=self.arena.ruleset.labels.game)
        return axes


def arena(  # noqa: PLR0913  as many as the command has options
    rules: Ruleset | str | Path,
    bots: Sequence[str],
    *,
    matches: int = 1000,
    opponents: Sequence[str] = (),
    seats: int | None = None,
    seed: int = 0,
    duplicate: bool = False,
    adjusted: bool = False,
    playouts: int = 0,
    jobs: int = 1,
) -> ArenaResult:
    """Play a tournament and return its result, which is always the same, but for the times.

    `rules`: a ruleset, or what `find_rules` accepts. `matches`: at least so many, as all of a deal are played. `jobs`:
    processes. The rest as in `make_arena`. Raises as that and `find_rules`, and `MalformedError` for a number of
    matches or of processes that is out of range.

    >>> arena("perudo", ["threshold"], opponents=["random"], seats=3, matches=30, seed=2)
    ArenaResult(Perudo, 3 seats, 30 matches: threshold 100.0% (88.6-100.0), random 0.0% (0.0-11.4))
    """
    if not 1 <= matches <= MAX_MATCHES:
        raise MalformedError(f"a tournament has 1 to {MAX_MATCHES:,} matches, not {matches}")
    if jobs < 1:
        raise MalformedError(f"a tournament runs in one process or more, not {jobs}")
    settings = make_arena(
        rules if isinstance(rules, Ruleset) else find_rules(rules),
        bots,
        opponents=opponents,
        seats=seats,
        seed=seed,
        duplicate=duplicate,
        adjusted=adjusted,
        playouts=playouts,
    )
    numbers = range(settings.deals_for(matches))
    deals = sorted(play_deals(settings, numbers, jobs=jobs), key=lambda deal: deal.number)
    return ArenaResult(arena=settings, deals=tuple(deals), summary=summarize(settings, deals))


def _adjusted(arena: Arena, deals: Sequence[DealResult]) -> tuple[AdjustedShare | None, ...]:
    if not arena.adjusted:
        return (None,) * len(arena.bots)
    matches = [
        AdjustableMatch(deal.number, match.seating, match.win_shares, match.adjustment, match.playouts)
        for deal in deals
        for match in deal.matches
    ]
    return adjusted_shares(matches, len(arena.bots))


def _bot_summary(
    arena: Arena,
    deals: Sequence[DealResult],
    bot: int,
    places: Floats,
    interval: tuple[float, float],
    adjusted: AdjustedShare | None,
) -> BotSummary:
    """Add up one bot's results. `places`: float64 [place], how many seats of the bot came in there."""
    times = merge_times(deal.times[bot] for deal in deals)
    seats = float(places.sum())
    shares = (places / seats if seats else places).tolist()
    faults = (
        seat_faults
        for deal in deals
        for match in deal.matches
        for seated, seat_faults in zip(match.seating, match.faults, strict=True)
        if seated == bot
    )
    return BotSummary(
        bot=bot_labels(arena.bots)[bot],
        seats=round(seats),
        wins=float(places[0]),
        win_share=shares[0],
        win_share_95=interval,
        fair_share=1 / arena.seats,
        place_shares=tuple(shares),
        mean_place=sum(place * share for place, share in enumerate(shares, start=1)),
        decisions=sum(times.values()),
        median_ms=quantile_ms(times, 0.5),
        p99_ms=quantile_ms(times, 0.99),
        faults=sum(faults),
        adjusted=adjusted,
    )


def win_share_intervals(wins: Floats, seats: Floats) -> list[tuple[float, float]]:
    """Return the 95% interval of each bot's win share, by the percentile bootstrap over deals.

    Matches of one deal depend on each other, so whole deals are resampled (cluster bootstrap; Efron and Tibshirani, "An
    Introduction to the Bootstrap", 1993, chapters 8 and 13). Where a bot won all of its seats or none, resampling shows
    no spread; its deals then count as single trials of Wilson's interval. A bot without seats gets 0..1.

    `wins`, `seats`: float64 [deal, bot], the seats that the bot won and had in each deal.
    """
    deals, bots = wins.shape
    generator = np.random.default_rng(deals)
    resampled = np.empty((RESAMPLES, bots))
    for row in range(RESAMPLES):
        weights = np.bincount(generator.integers(deals, size=deals), minlength=deals)
        with np.errstate(invalid="ignore"):  # a bot may have no seat in the deals that were drawn
            resampled[row] = (weights @ wins) / (weights @ seats)
    return [_interval(wins[:, bot], seats[:, bot], resampled[:, bot]) for bot in range(bots)]


def _interval(wins: Floats, seats: Floats, resampled: Floats) -> tuple[float, float]:
    """Return the interval of one bot, from float64 [deal], [deal] and [resample]."""
    deals_played = int(np.count_nonzero(seats))
    if wins.sum() in (0, seats.sum()):
        return wilson_interval(deals_played if wins.any() else 0, deals_played)
    low, high = np.nanpercentile(resampled, PERCENTILES_95)
    return float(low), float(high)
