"""The arena: tournaments that measure how strong bots are, deal by deal.

A deal fixes the random results of a match: the first starter, and the dice of every round and seat. In a duplicate
arena the bots play each deal once from every seat, with the same dice each time, which takes out most of the luck.
Deals are independent of each other, and each depends only on the arena's seed and on its number.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from math import ceil

import msgspec

from liarsdice.analysis.adjustment import match_adjustment, policies_of
from liarsdice.analysis.playout_adjustment import can_play_again, playout_adjustment
from liarsdice.analysis.timing import TimedBot, TimeHistogram, merge_times
from liarsdice.bots.external.user_bots import load_bot
from liarsdice.bots.protocol import Bot
from liarsdice.core.engine.engine import MAX_SEATS, match_started
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.dealer import Dealer, LabelledSource
from liarsdice.play.match_runner import MatchResult, play_match
from liarsdice.values.player_kinds import kind_number

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
