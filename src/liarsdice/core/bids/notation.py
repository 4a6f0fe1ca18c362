"""Bids and calls as text: `5x4`, `5x4!` for a pure bid, `liar`, `exact`, `clockwise`."""

from __future__ import annotations

import re

from liarsdice.core.actions import Challenge, Exact, PlayerAction, SetDirection
from liarsdice.core.errors import NotationError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction

BID = re.compile(r"\s*([0-9]{1,6})\s*[x×*]\s*([0-9]{1,6})\s*(!|pure|zhai)?\s*", re.IGNORECASE)
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
    """Read a bid such as `5x4`, quantity first; a pure bid ends in `!`, `pure` or `zhai`.

    Raises `NotationError` if the text is no bid.
    """
    match = BID.fullmatch(text)
    if match is None:
        shown = text if len(text) <= MAX_QUOTE_LENGTH else text[:MAX_QUOTE_LENGTH] + "…"
        raise NotationError(f"cannot read {shown!r} (write 5x4 for five fours, or {', '.join(WORDS)})")
    return Bid(int(match[1]), int(match[2]), pure=match[3] is not None)


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
