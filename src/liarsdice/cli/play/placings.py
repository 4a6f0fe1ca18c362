"""How a match ended: who came where."""

from __future__ import annotations

from collections.abc import Iterable

from liarsdice.core.engine.view import SeenEvent, View
from liarsdice.core.events import Eliminated, Event, RoundStarted
from liarsdice.core.text.narration import Voice
from liarsdice.core.text.rulebook.english import listed

Rank = tuple[int, int]
"""Winners before survivors before those who are out; then by dice held, or by the round that put a player out."""


def placings(view: View, events: Iterable[SeenEvent | Event]) -> list[tuple[int, ...]]:
    """The seats from first to last place; seats that went out in one round share a place."""
    out, number = dict[int, int](), 0
    for event in events:
        match event:
            case RoundStarted():
                number = event.number
            case Eliminated(seat):
                out[seat] = number
            case _:
                pass
    ranks: dict[Rank, list[int]] = {}
    for seat, held in enumerate(view.dice):
        rank = (2, 0) if seat in view.winners else (0, out[seat]) if seat in out else (1, held)
        ranks.setdefault(rank, []).append(seat)
    return [tuple(ranks[rank]) for rank in sorted(ranks, reverse=True)]


def placings_text(places: Iterable[tuple[int, ...]], voice: Voice) -> str:
    """The placings on one line: "1. Ann  2. Bo and You  4. Cy"."""
    told, place = list[str](), 1
    for seats in places:
        told.append(f"{place}. {listed(map(voice.label, seats))}")
        place += len(seats)
    return "  ".join(told)
