"""Final places of a match: winners, then survivors by their dice or lives, then the others by when they went out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from liarsdice.core.engine.state import PublicState
from liarsdice.core.engine.view import EventView
from liarsdice.core.events import Eliminated, Event, RoundStarted


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
    the same time. `eliminated_in`: when each eliminated seat went out, as a round number or any number that grows with
    time.
    """
    ranks = [_rank(state, seat, eliminated_in) for seat in range(len(state.names))]
    return tuple(1 + sum(other > rank for other in ranks) for rank in ranks)


def _rank(state: PublicState, seat: int, eliminated_in: Mapping[int, int]) -> tuple[int, int]:
    """Return a key that is higher for the better place."""
    if seat in state.winners:
        return 2, 0
    return (0, eliminated_in[seat]) if seat in eliminated_in else (1, state.stakes[seat])


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
