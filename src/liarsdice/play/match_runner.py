"""Plays whole matches between bots, under any rules, and ranks the players of a finished match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from liarsdice.bots.protocol import Bot
from liarsdice.bots.registry import make_bot
from liarsdice.core.engine.state import PublicState
from liarsdice.core.engine.view import EventView
from liarsdice.core.errors import MalformedError, counted
from liarsdice.core.events import Eliminated, Event, RoundStarted
from liarsdice.core.rules.meaning import sheds
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.match import Dealer, Match
from liarsdice.play.referee import Fault, Referee


def elimination_rounds(events: Iterable[Event | EventView]) -> dict[int, int]:
    """Return the round in which each eliminated seat went out, by seat."""
    rounds = dict[int, int]()
    round_number = 0
    for event in events:
        if isinstance(event, RoundStarted):
            round_number = event.number
        elif isinstance(event, Eliminated):
            rounds[event.seat] = round_number
    return rounds


def final_places(state: PublicState, eliminated_in: Mapping[int, int]) -> tuple[int, ...]:
    """Return the place of each seat of a match that is over, 1 for the winners.

    Seats share a place, as in 1, 2, 2, 4, if they win together, survive with equally many dice or lives, or go out at
    the same time. Where players shed, those are first who are safe first, and of those with dice, who have fewest.
    `eliminated_in`: when each eliminated seat went out, as a round number or any number that grows with time.
    """
    ranks = [_rank(state, seat, eliminated_in) for seat in range(len(state.names))]
    return tuple(1 + sum(other > rank for other in ranks) for rank in ranks)


def _rank(state: PublicState, seat: int, eliminated_in: Mapping[int, int]) -> tuple[int, int]:
    """Return a key that is higher for the better place."""
    if seat in state.winners:
        return 3, 0
    for safe, number in state.safe:
        if safe == seat:
            return 2, -number
    if seat in eliminated_in:
        return 0, eliminated_in[seat]
    return 1, -state.stakes[seat] if sheds(state.ruleset) else state.stakes[seat]


def seats_by_place(places: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the seats of each place that is taken, the first place first.

    >>> seats_by_place((2, 1, 4, 2))
    [(1,), (0, 3), (2,)]
    """
    return [tuple(seat for seat, other in enumerate(places) if other == place) for place in sorted(set(places))]


def place_shares(places: Sequence[int], seat: int) -> tuple[float, ...]:
    """Return a seat's share of each place, from the first place on. Seats that share places have equal parts of them.

    >>> place_shares((1, 2, 2, 4), 1)
    (0.0, 0.5, 0.5, 0.0)
    """
    place = places[seat]
    sharing = places.count(place)
    return tuple(1 / sharing if place <= number < place + sharing else 0.0 for number in range(1, len(places) + 1))


class MatchResult:
    """A match between bots that is over.

    `match`: the match with its events and final state, all dice included. `faults`: the faults of the bots in order.
    `fault_texts`: a sentence about each of them.
    """

    def __init__(self, referee: Referee) -> None:
        self.match: Match = referee.match
        self.faults: tuple[Fault, ...] = tuple(referee.faults)
        self.fault_texts: tuple[str, ...] = tuple(map(referee.fault_text, referee.faults))

    def __repr__(self) -> str:
        return f"<MatchResult: {counted(self.rounds, 'round')}, places {self.places}>"

    @property
    def events(self) -> Sequence[Event]:
        """The log of the match, which `write_record` writes to a file."""
        return self.match.events

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won."""
        return self.match.state.winners

    @property
    def places(self) -> tuple[int, ...]:
        """The place of each seat, 1 for the winners; see `final_places`."""
        return final_places(self.match.state, elimination_rounds(self.match.events))

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        return self.match.state.round_number


def play_match(
    rules: Ruleset,
    bots: Sequence[Bot | str],
    names: Sequence[str] | None = None,
    seed: int | str | None = None,
    *,
    dealer: Dealer | None = None,
) -> MatchResult:
    """Play a match between bots to its end and return the result.

    The dealer rolls all dice and finds the first starter as the rules say. Bots that may call out of turn are asked
    after each bid. After a fault, the bot has to challenge or to make the lowest bid; the result lists the fault.

    `bots`: for each seat a bot or the name of a built-in one, such as `threshold:0.3` (see `make_bot`). `names`: the
    players' names, `Player 1` and so on unless given. The same seed gives the same match if the bots are named or
    deterministic; None is a new match each time. `dealer` replaces the dealer that the seed would make.

    Raises `MalformedError` or `UnavailableError` if a bot's name is not known or the rules do not seat this many
    players.

    >>> from liarsdice.core.rules.presets import preset
    >>> for name in ("perudo", "official", "openspiel"):
    ...     result = play_match(preset(name).ruleset, ["threshold", "greedy", "random"], seed=7)
    ...     print(name, result.rounds, result.places)
    perudo 12 (1, 2, 3)
    official 11 (1, 2, 3)
    openspiel 1 (1, 1, 3)
    """
    names = [f"Player {seat + 1}" for seat in range(len(bots))] if names is None else names
    if len(names) != len(bots):
        raise MalformedError(f"each of {counted(len(bots), 'bot')} needs a name; {len(names)} came")
    match = Match(rules, names, dealer or Dealer(seed))
    players = {
        seat: make_bot(bot, None if seed is None else f"{seed}/{seat}") if isinstance(bot, str) else bot
        for seat, bot in enumerate(bots)
    }
    with Referee(match, players) as referee:
        referee.play()
    return MatchResult(referee)
