"""The arena: contests that measure strength honestly, deal by deal.

A deal is a match's dice from one chance: the first starter, and the dice of every round and seat. Played in duplicate,
the bots play it again from every seat, each on the same dice as the others, so that luck has less of a say. Deals are
independent of each other, and each depends on the seed and on its number alone.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from math import ceil

import msgspec

from liarsdice.analysis.timing import Timed, Times, together
from liarsdice.bots.external.user_bots import any_bot
from liarsdice.core.engine.engine import MOST_SEATS, seated
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.dealer import Dealer, Labelled
from liarsdice.play.match import Match
from liarsdice.play.placings import places
from liarsdice.play.referee import Referee

KEPT_FAULTS = 3
"""So many faults of a deal are told in words; all of them are counted."""


class Arena(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A contest: all that its matches follow from.

    `subject`: the first bot sits at every table, among some of the others; else the tables are mixed from all bots.
    """

    ruleset: Ruleset
    bots: tuple[str, ...]
    subject: bool
    seats: int
    seed: int
    duplicate: bool

    @property
    def matches_per_deal(self) -> int:
        """How often the dice of one deal are played."""
        return self.seats if self.duplicate else 1

    def deals(self, matches: int) -> int:
        """How many deals it takes to play so many matches, or a few more to finish the last deal."""
        return ceil(matches / self.matches_per_deal)

    def seatings(self, number: int) -> tuple[tuple[int, ...], ...]:
        """Who sits where in the matches of a deal: for each match the bots by seat, as places in `bots`.

        In duplicate the table moves on by a seat from match to match of the deal; else from deal to deal. After a whole
        turn another table sits down.
        """
        table = self._table(number if self.duplicate else number // self.seats)
        turns = range(self.seats) if self.duplicate else (number % self.seats,)
        return tuple(table[turn:] + table[:turn] for turn in turns)

    def _table(self, number: int) -> tuple[int, ...]:
        source = random.Random(f"{self.seed}/table/{number}")
        pool = range(self.subject, len(self.bots))
        free = self.seats - self.subject
        table = [0] * self.subject + [*pool] * (free // len(pool)) + source.sample(pool, free % len(pool))
        source.shuffle(table)
        return tuple(table)


class Played(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One match: its bots (as places in `Arena.bots`), how they came in, and how often they misplayed, by seat."""

    seating: tuple[int, ...]
    places: tuple[int, ...]
    faults: tuple[int, ...]
    rounds: int


class Deal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The matches of a deal; what the clock said of them, `seconds` and each bot's `times`, repeats with no seed."""

    number: int
    matches: tuple[Played, ...]
    told: tuple[str, ...]
    seconds: float
    times: tuple[dict[int, int], ...]


def arena(
    ruleset: Ruleset,
    bots: Sequence[str],
    *,
    field: Sequence[str] = (),
    seats: int | None = None,
    seed: int = 0,
    duplicate: bool = False,
) -> Arena:
    """A contest of bots by name; with a `field` one bot is its subject, and the field's bots sit around it.

    Without `seats` there are as many as bots, but at least as many as the rules seat. Raises `MalformedError` and
    `UnavailableError` where bots or seats do not fit.
    """
    named = tuple(spec.strip() for spec in (*bots, *field))
    if field and len(bots) != 1:
        raise MalformedError(f"a field is measured against one subject, not {len(bots)}")
    if len(named) < 2:
        raise MalformedError("a contest needs the names of two bots")
    for spec in named:
        any_bot(spec)
    count = max(len(named), ruleset.players.min) if seats is None else seats
    if not 2 <= count <= MOST_SEATS:
        raise MalformedError(f"a contest has 2 to {MOST_SEATS} seats, not {count}")
    seated(ruleset, [str(place) for place in range(count)])
    return Arena(ruleset=ruleset, bots=named, subject=bool(field), seats=count, seed=seed, duplicate=duplicate)


def play_deal(contest: Arena, number: int) -> Deal:
    """Play all matches of one deal out."""
    began_s = time.perf_counter()
    matches: list[Played] = []
    told: list[str] = []
    times: list[list[Times]] = [[] for _ in contest.bots]
    for turn, seating in enumerate(contest.seatings(number)):
        referee, timed = _play(contest, seating, f"{contest.seed}/{number}", turn)
        for bot, watched in zip(seating, timed, strict=True):
            times[bot].append(watched.times)
        matches.append(_played(seating, referee))
        told += [
            f"deal {number + 1}, match {turn + 1}: {contest.bots[seating[fault.seat]]} misplayed in round "
            f"{fault.round_number}: {fault.reason}"
            for fault in referee.faults
        ]
    seconds = round(time.perf_counter() - began_s, 6)
    return Deal(number, tuple(matches), tuple(told[:KEPT_FAULTS]), seconds, tuple(map(together, times)))


def _play(contest: Arena, seating: tuple[int, ...], chance: str, turn: int) -> tuple[Referee, list[Timed]]:
    """Play a match out. The bots are told seats and no names, so that none knows whom it plays against."""
    timed = [Timed(any_bot(contest.bots[bot], f"{chance}/{turn}/{seat}")) for seat, bot in enumerate(seating)]
    names = [f"seat {seat + 1}" for seat in range(contest.seats)]
    match = Match(contest.ruleset, names, Dealer(chance=Labelled(chance)))
    with Referee(match, dict(enumerate(timed))) as referee:
        while referee.step() is not None:
            pass
    return referee, timed


def _played(seating: tuple[int, ...], referee: Referee) -> Played:
    match, faults = referee.match, [fault.seat for fault in referee.faults]
    came = places(match.events, match.state)
    return Played(seating, came, tuple(map(faults.count, range(len(seating)))), match.state.round_number)
