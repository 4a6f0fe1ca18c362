"""Simulations: bots play many matches against each other from one seed, and each bot's results are added up."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import msgspec

from liarsdice.analysis.ratings import wilson_interval
from liarsdice.bots.external.user_bots import load_bot
from liarsdice.core.arguments import check_fields
from liarsdice.core.engine.engine import MAX_SEATS, match_started
from liarsdice.core.errors import MalformedError
from liarsdice.core.events import BidMade, Challenged, DirectionSet, Event, ExactCalled, Revealed
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.match import Dealer
from liarsdice.play.match_runner import play_match
from liarsdice.runtime.public_api import checked

MAX_WARNINGS = 20
"""Faults of a simulation that are described in words; all of them are counted."""

MAX_MATCHES = 10_000_000
"""The limit of `--matches`, so that a typing error does not run for years."""


class BotScore(msgspec.Struct, frozen=True):
    """What one bot did, added up over matches. A shared win counts as an equal part of one."""

    matches: int = 0
    wins: float = 0.0
    decisions: int = 0
    calls: int = 0
    calls_right: int = 0
    exact_calls: int = 0
    exact_calls_right: int = 0
    faults: int = 0

    def __add__(self, other: BotScore) -> BotScore:
        return BotScore(*(getattr(self, field) + getattr(other, field) for field in self.__struct_fields__))

    @property
    def win_share(self) -> float:
        """Wins per match, in 0..1."""
        return self.wins / self.matches if self.matches else 0.0

    @property
    def win_share_95(self) -> tuple[float, float]:
        """The 95% interval of `win_share` (Wilson's)."""
        return wilson_interval(self.wins, self.matches)


class SimulationResult(msgspec.Struct, frozen=True):
    """The results of one or more matches. `scores` are in the order of `Simulation.bots`."""

    scores: tuple[BotScore, ...]
    matches: int = 0
    rounds: int = 0
    warnings: tuple[str, ...] = ()

    def __add__(self, other: SimulationResult) -> SimulationResult:
        return SimulationResult(
            tuple(mine + theirs for mine, theirs in zip(self.scores, other.scores, strict=True)),
            self.matches + other.matches,
            self.rounds + other.rounds,
            (self.warnings + other.warnings)[:MAX_WARNINGS],
        )


class Simulation(msgspec.Struct, frozen=True):
    """The settings of a simulation. Match number n depends only on the settings and on n."""

    ruleset: Ruleset
    bots: tuple[str, ...]
    seed: int

    def __post_init__(self) -> None:
        check_fields(self)

    def empty_result(self) -> SimulationResult:
        """Return the result of no matches, to add results to."""
        return SimulationResult(tuple(BotScore() for _ in self.bots))

    @checked
    def seating(self, match_number: int) -> tuple[int, ...]:
        """Return the bot of each seat in a match, as an index into `bots`.

        In as many matches as there are seats, the table rotates so that each bot has every seat once. Then a new order
        is drawn, so that neighbours change. Raises `MalformedError` for a negative number.

        >>> from liarsdice.core.rules.presets import preset
        >>> [Simulation(preset("basic").ruleset, ("random", "greedy"), 7).seating(number) for number in (0, 1)]
        [(0, 1), (1, 0)]
        """
        if match_number < 0:
            raise MalformedError(f"matches are numbered from 0, not {match_number}")
        block, start = divmod(match_number, len(self.bots))
        order = list(range(len(self.bots)))
        random.Random(f"{self.seed}/seats/{block}").shuffle(order)
        return tuple(order[start:] + order[:start])

    @checked
    def play(self, match_number: int) -> SimulationResult:
        """Play one match and return its result. Raises as `seating`, and what a bot raises that is loaded."""
        seating = self.seating(match_number)
        players = [load_bot(self.bots[bot], f"{self.seed}/{match_number}/{bot}") for bot in seating]
        names = [f"bot {bot + 1}" for bot in seating]
        result = play_match(self.ruleset, players, names, dealer=Dealer(f"{self.seed}/{match_number}"))
        score_by_seat = _scores(result.events, len(seating))
        scores = {
            bot: msgspec.structs.replace(
                score_by_seat[seat],
                matches=1,
                wins=1 / len(result.winners) if seat in result.winners else 0.0,
                faults=sum(fault.seat == seat for fault in result.faults),
            )
            for seat, bot in enumerate(seating)
        }
        return SimulationResult(
            tuple(scores[bot] for bot in range(len(seating))),
            1,
            result.rounds,
            tuple(f"match {match_number + 1}: {text}" for text in result.fault_texts),
        )


def make_simulation(ruleset: Ruleset, bots: Iterable[str], *, seats: int | None = None, seed: int = 0) -> Simulation:
    """Return a simulation of bots by name, repeated in their order until all seats are taken.

    `seats`: by default as many as there are bots, and at least as many as the rules seat. Raises `MalformedError` or
    `UnavailableError` if a bot cannot be loaded, or bots and seats do not fit the rules.
    """
    specs = tuple(spec.strip() for spec in bots)
    if not specs:
        raise MalformedError("a simulation needs at least one bot")
    for spec in specs:
        load_bot(spec)
    seat_count = max(len(specs), ruleset.players.min) if seats is None else seats
    if seat_count < len(specs):
        raise MalformedError(f"{len(specs)} bots do not fit in {seat_count} seats")
    if seat_count > MAX_SEATS:
        raise MalformedError(f"a simulation has at most {MAX_SEATS} seats, not {seat_count}")
    match_started(ruleset, [str(seat) for seat in range(seat_count)])
    return Simulation(ruleset, tuple(specs[seat % len(specs)] for seat in range(seat_count)), seed)


def bot_labels(specs: Sequence[str]) -> tuple[str, ...]:
    """Return the bots' names, numbered where a name comes more than once.

    >>> bot_labels(["greedy", "random", "greedy"])
    ('greedy #1', 'random', 'greedy #2')
    """
    return tuple(
        f"{name} #{specs[: index + 1].count(name)}" if specs.count(name) > 1 else name
        for index, name in enumerate(specs)
    )


def _scores(events: Iterable[Event], seats: int) -> list[BotScore]:
    """Count each seat's decisions and calls in the log of a match; matches, wins and faults stay 0."""
    counts = [dict.fromkeys(BotScore.__struct_fields__, 0) for _ in range(seats)]
    call: Challenged | ExactCalled | None = None
    for event in events:
        match event:
            case BidMade() | DirectionSet():
                counts[event.seat]["decisions"] += 1
            case Challenged() | ExactCalled():
                call = event
                counts[event.seat]["decisions"] += 1
            case Revealed() if isinstance(call, Challenged):
                counts[call.seat]["calls"] += 1
                counts[call.seat]["calls_right"] += not event.bid_true
            case Revealed() if call is not None:
                counts[call.seat]["exact_calls"] += 1
                counts[call.seat]["exact_calls_right"] += event.count == event.bid.quantity
            case _:
                pass
    return [BotScore(**seat_counts) for seat_counts in counts]
