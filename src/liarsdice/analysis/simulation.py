"""Bots against bots: many matches from one seed, and what came of them for each bot."""

from __future__ import annotations

import random
from collections.abc import Iterable
from math import sqrt

import msgspec

from liarsdice.bots.external.user_bots import any_bot
from liarsdice.core.engine.engine import MOST_SEATS, seated
from liarsdice.core.errors import MalformedError
from liarsdice.core.events import BidMade, Challenged, DirectionSet, Event, ExactCalled, Revealed
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.dealer import Dealer
from liarsdice.play.match import Match
from liarsdice.play.referee import Referee

Z_95 = 1.959964
"""Standard deviations to either side that hold 95% of a normal distribution."""

KEPT_WARNINGS = 20

MOST_MATCHES = 10_000_000
"""Far more than any question needs; it bounds what a slip of the hand can cost."""


class Score(msgspec.Struct, frozen=True):
    """What one bot did, added up over matches. A shared win counts as its share of one."""

    matches: int = 0
    wins: float = 0.0
    decisions: int = 0
    calls: int = 0
    calls_right: int = 0
    exact_calls: int = 0
    exact_calls_right: int = 0
    faults: int = 0

    def plus(self, other: Score) -> Score:
        """Both together."""
        return Score(*(getattr(self, field) + getattr(other, field) for field in self.__struct_fields__))

    @property
    def win_share(self) -> float:
        """Wins a match, in 0..1."""
        return self.wins / self.matches if self.matches else 0.0

    @property
    def win_share_95(self) -> tuple[float, float]:
        """The 95% interval of `win_share`."""
        return wilson(self.wins, self.matches)


class Standings(msgspec.Struct, frozen=True):
    """The scores of all bots in the order in which they were named, after one match or many."""

    scores: tuple[Score, ...]
    matches: int = 0
    rounds: int = 0
    warnings: tuple[str, ...] = ()

    def plus(self, other: Standings) -> Standings:
        """Both together; the first warnings are kept."""
        return Standings(
            tuple(mine.plus(theirs) for mine, theirs in zip(self.scores, other.scores, strict=True)),
            self.matches + other.matches,
            self.rounds + other.rounds,
            (self.warnings + other.warnings)[:KEPT_WARNINGS],
        )


class Contest(msgspec.Struct, frozen=True):
    """Bots that play each other under one ruleset. Match number n depends on the seed and on n alone."""

    ruleset: Ruleset
    specs: tuple[str, ...]
    seed: int

    def nothing_yet(self) -> Standings:
        """The standings before the first match."""
        return Standings(tuple(Score() for _ in self.specs))

    def seating(self, number: int) -> tuple[int, ...]:
        """Which bot, as a place in `specs`, sits in each seat of a match.

        Each bot sits in every seat once in as many matches as there are seats; after these they sit down in another
        order, so that nobody has the same neighbours throughout.

        >>> from liarsdice.core.rules.presets import preset
        >>> [Contest(preset("basic").ruleset, ("random", "greedy"), 7).seating(number) for number in (0, 1)]
        [(0, 1), (1, 0)]
        """
        block, turn = divmod(number, len(self.specs))
        order = list(range(len(self.specs)))
        random.Random(f"{self.seed}/seats/{block}").shuffle(order)
        return tuple(order[turn:] + order[:turn])

    def play(self, number: int) -> Standings:
        """Play one match out."""
        at = self.seating(number)
        bots = {seat: any_bot(self.specs[bot], f"{self.seed}/{number}/{bot}") for seat, bot in enumerate(at)}
        match = Match(self.ruleset, [f"bot {bot + 1}" for bot in at], Dealer(f"{self.seed}/{number}"))
        with Referee(match, bots) as referee:
            while referee.step() is not None:
                pass
        by_seat = _scores(match.events, len(at))
        winners = match.state.winners
        scores = {
            bot: msgspec.structs.replace(
                by_seat[seat],
                matches=1,
                wins=1 / len(winners) if seat in winners else 0.0,
                faults=sum(fault.seat == seat for fault in referee.faults),
            )
            for seat, bot in enumerate(at)
        }
        return Standings(
            tuple(scores[bot] for bot in range(len(at))),
            1,
            match.state.round_number,
            tuple(f"match {number + 1}: {referee.fault_text(fault)}" for fault in referee.faults),
        )


def contest(ruleset: Ruleset, bots: Iterable[str], *, seats: int | None = None, seed: int = 0) -> Contest:
    """A contest of bots by name, repeated in their order until all seats are taken.

    Without `seats` there are as many as bots, but at least as many as the rules seat. Raises `MalformedError` and
    `UnavailableError` where bots or seats do not fit.
    """
    named = tuple(spec.strip() for spec in bots)
    if not named:
        raise MalformedError("a contest needs the name of a bot")
    for spec in named:
        any_bot(spec)
    count = max(len(named), ruleset.players.min) if seats is None else seats
    if count < len(named):
        raise MalformedError(f"{len(named)} bots do not fit in {count} seats")
    if count > MOST_SEATS:
        raise MalformedError(f"a contest has at most {MOST_SEATS} seats, not {count}")
    specs = tuple(named[place % len(named)] for place in range(count))
    seated(ruleset, [str(place) for place in range(count)])
    return Contest(ruleset, specs, seed)


def labels(specs: Iterable[str]) -> tuple[str, ...]:
    """The bots' names, numbered where a name comes twice.

    >>> labels(["greedy", "random", "greedy"])
    ('greedy #1', 'random', 'greedy #2')
    """
    names = tuple(specs)
    return tuple(
        f"{name} #{names[: place + 1].count(name)}" if names.count(name) > 1 else name
        for place, name in enumerate(names)
    )


def wilson(wins: float, matches: int) -> tuple[float, float]:
    """The 95% interval of a share of independent matches (Wilson's score interval); all of 0..1 without matches.

    >>> [round(end, 4) for end in wilson(50, 100)]
    [0.4038, 0.5962]
    """
    if not matches:
        return 0.0, 1.0
    share, z2 = wins / matches, Z_95**2 / matches
    middle = (share + z2 / 2) / (1 + z2)
    reach = Z_95 * sqrt(share * (1 - share) / matches + z2 / (4 * matches)) / (1 + z2)
    return max(middle - reach, 0.0), min(middle + reach, 1.0)


def _scores(events: Iterable[Event], seats: int) -> list[Score]:
    """What each seat did, without who won."""
    done = [dict.fromkeys(Score.__struct_fields__, 0) for _ in range(seats)]
    call: Challenged | ExactCalled | None = None
    for event in events:
        match event:
            case BidMade() | DirectionSet():
                done[event.seat]["decisions"] += 1
            case Challenged() | ExactCalled():
                call = event
                done[event.seat]["decisions"] += 1
            case Revealed() if isinstance(call, Challenged):
                done[call.seat]["calls"] += 1
                done[call.seat]["calls_right"] += not event.bid_true
            case Revealed() if call is not None:
                done[call.seat]["exact_calls"] += 1
                done[call.seat]["exact_calls_right"] += event.count == event.bid.quantity
            case _:
                pass
    return [Score(**deeds) for deeds in done]
