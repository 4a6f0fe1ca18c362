"""Bids and calls as text: `5x4`, `liar`, `exact`, `clockwise`; and a whole match on one line."""

from __future__ import annotations

import re
from collections.abc import Iterable

from liarsdice.core.actions import Challenge, Exact, PlayerAction, SetDirection
from liarsdice.core.errors import NotationError
from liarsdice.core.events import (
    BidMade,
    Challenged,
    DiceGained,
    DiceLost,
    DirectionSet,
    Event,
    ExactCalled,
    LivesGained,
    LivesLost,
    MatchEnded,
    MatchStarted,
    Revealed,
    RoundStarted,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction

BID = re.compile(r"\s*([0-9]{1,6})\s*[x×*]\s*([0-9]{1,6})\s*", re.IGNORECASE)
WORDS: dict[str, PlayerAction] = {
    "liar": Challenge(),
    "exact": Exact(),
    **{direction.value: SetDirection(direction) for direction in Direction},
}
MAX_QUOTE_LENGTH = 40


def parse(text: str) -> PlayerAction:
    """Read one bid, call or direction. Raises `NotationError` if the text is none.

    >>> parse("5x4"), parse("liar")
    (Bid(quantity=5, face=4), Challenge())
    """
    action = WORDS.get(text.strip().lower())
    return parse_bid(text) if action is None else action


def parse_bid(text: str) -> Bid:
    """Read a bid such as `5x4`, quantity first. Raises `NotationError` if the text is no bid."""
    match = BID.fullmatch(text)
    if match is None:
        shown = text if len(text) <= MAX_QUOTE_LENGTH else text[:MAX_QUOTE_LENGTH] + "…"
        raise NotationError(f"cannot read {shown!r} (write 5x4 for five fours, or {', '.join(WORDS)})")
    return Bid(int(match[1]), int(match[2]))


def notate(action: PlayerAction) -> str:
    """Return an action as text that `parse` reads back; a penalty is written as its trigger.

    >>> notate(Exact())
    'exact'
    """
    match action:
        case Bid():
            return str(action)
        case SetDirection(direction):
            return direction.value
        case Challenge() | Exact():
            return next(word for word, call in WORDS.items() if call == action)
        case _:
            return action.trigger.value


def notate_match(events: Iterable[Event]) -> str:
    """Return a match on one line: the players, then per round every bid, the call, the count and who lost what.

    ::

        Ann, Bo | 1: Ann 3x4, Bo liar =2, Ann -1 | 2: Ann 1x6, … | Bo wins
    """
    names: tuple[str, ...] = ()
    rounds: list[list[str]] = []
    ending = ""
    for event in events:
        match event:
            case MatchStarted():
                names = event.names
            case RoundStarted():
                rounds.append([])
            case BidMade():
                rounds[-1].append(f"{names[event.seat]} {event.bid}")
            case DirectionSet():
                rounds[-1].append(f"{names[event.seat]} {event.direction}")
            case Challenged():
                rounds[-1].append(f"{names[event.seat]} liar")
            case ExactCalled():
                rounds[-1].append(f"{names[event.seat]} exact")
            case Revealed():
                rounds[-1][-1] += f" ={event.count}"
            case DiceLost() | LivesLost() if rounds:
                rounds[-1].append(f"{names[event.seat]} -{event.amount}")
            case DiceGained() | LivesGained() if rounds:
                rounds[-1].append(f"{names[event.seat]} +{event.amount}")
            case MatchEnded():
                winners = " and ".join(names[seat] for seat in event.winners)
                ending = f"{winners} {'wins' if len(event.winners) == 1 else 'share it'}"
            case _:
                pass
    numbered = [f"{number}: {', '.join(parts)}" for number, parts in enumerate(rounds, start=1)]
    return " | ".join([", ".join(names), *numbered, *([ending] if ending else [])])
