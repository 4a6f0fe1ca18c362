"""Who came where in a match: the winner first, and the others in the reverse order in which they went out."""

from __future__ import annotations

from collections.abc import Sequence

from liarsdice.core.engine.state import State
from liarsdice.core.events import Eliminated, Event, RoundStarted


def places(events: Sequence[Event], state: State) -> tuple[int, ...]:
    """The place of each seat in a match that is over, 1 for the winners.

    Who goes out in the same round, or holds as many dice when the last round is over, shares a place: 1, 2, 2, 4.
    """
    rounds, out = 0, dict.fromkeys(range(len(state.names)), 0)
    for event in events:
        if isinstance(event, RoundStarted):
            rounds += 1
        elif isinstance(event, Eliminated):
            out[event.seat] = rounds
    standing = [(seat in state.winners, state.dice[seat], out[seat]) for seat in out]
    return tuple(1 + sum(other > mine for other in standing) for mine in standing)


def shares(places: Sequence[int], seat: int) -> tuple[float, ...]:
    """How much of each place, the first one first, a seat has: who shares places has an equal part of each.

    >>> shares((1, 2, 2, 4), 1)
    (0.0, 0.5, 0.5, 0.0)
    """
    mine = places[seat]
    together = places.count(mine)
    return tuple(1 / together if mine <= place < mine + together else 0.0 for place in range(1, len(places) + 1))
