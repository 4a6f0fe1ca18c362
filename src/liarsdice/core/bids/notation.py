"""Bids, calls and answers as text.

`5x4`, `5x4!` for a pure bid, `sum7` for a bid on the sum of the dice, `5x4+441` to show dice with a bid, `liar`,
`exact`, `pass`; `accept`, `redouble`, `fold`.
"""

from __future__ import annotations

import re

from liarsdice.core.actions import (
    AnswerDouble,
    BidAndShow,
    Challenge,
    ChallengePass,
    ChooseKind,
    DeclareSpecial,
    Exact,
    Pass,
    PlayerAction,
    SetDirection,
)
from liarsdice.core.errors import NotationError
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import Answer, Direction, RoundKind
from liarsdice.core.rules.tally import Hand

BID = re.compile(r"\s*([0-9]{1,6})\s*[x×*]\s*([0-9]{1,6})\s*(!|pure|zhai)?\s*", re.IGNORECASE)
SUM_BID = re.compile(r"\s*(?:sum|suma)\s*([0-9]{1,6})\s*", re.IGNORECASE)
WORDS: dict[str, PlayerAction] = {
    "liar": Challenge(),
    "double": Challenge(double=True),
    "exact": Exact(),
    "pass": Pass(),
    "doubt": ChallengePass(),
    **{answer.value: AnswerDouble(answer) for answer in Answer},
    **{direction.value: SetDirection(direction) for direction in Direction},
    "special": DeclareSpecial(),
    **{kind.value: ChooseKind(kind) for kind in RoundKind},
}
SHOWN = re.compile(r"(?P<bid>.*?)(?:\+|\bshow\b)(?P<dice>[0-9. ]{1,200})", re.IGNORECASE)
MAX_QUOTE_LENGTH = 40


def parse(text: str) -> PlayerAction:
    """Read one bid, call, direction or declaration. Raises `NotationError` if the text is none.

    Dice that are shown with a bid follow a plus or the word "show", as faces in a row, or apart by dots or spaces.

    >>> parse("5x4"), parse("liar")
    (Bid(quantity=5, face=4), Challenge())
    """
    action = WORDS.get(text.strip().lower())
    if action is not None:
        return action
    showing = SHOWN.fullmatch(text)
    return parse_bid(text) if showing is None else BidAndShow(parse_bid(showing["bid"]), parse_dice(showing["dice"]))


def parse_bid(text: str) -> Bid:
    """Read a bid such as `5x4`, quantity first; a pure bid ends in `!`, `pure` or `zhai`. `sum7` is a bid on the sum.

    Raises `NotationError` if the text is no bid.
    """
    total = SUM_BID.fullmatch(text)
    if total is not None:
        return Bid(int(total[1]), SUM_FACE)
    match = BID.fullmatch(text)
    if match is None:
        shown = text if len(text) <= MAX_QUOTE_LENGTH else text[:MAX_QUOTE_LENGTH] + "…"
        raise NotationError(f"cannot read {shown!r} (write 5x4 for five fours, or {', '.join(WORDS)})")
    if int(match[2]) == SUM_FACE:
        raise NotationError(f"no die has the face 0 of {text.strip()!r} (write 5x4 for five fours)")
    return Bid(int(match[1]), int(match[2]), pure=match[3] is not None)


def parse_dice(text: str) -> Hand:
    """Read faces of dice: one digit each in a row, or numbers apart by dots or spaces.

    Raises `NotationError` if there are none.

    >>> parse_dice("441"), parse_dice("10.12"), parse_dice("4 1")
    ((4, 4, 1), (10, 12), (4, 1))
    """
    written = text.strip()
    faces = written.replace(".", " ").split() if {".", " "} & set(written) else list(written)
    if not faces:
        raise NotationError(f"cannot read the dice {text[:MAX_QUOTE_LENGTH]!r} (write 441 for two fours and a one)")
    return tuple(int(face) for face in faces)


def notate_dice(dice: Hand) -> str:
    """Return faces of dice as text that `parse_dice` reads back: digits in a row, or numbers with dots between them.

    >>> notate_dice((4, 4, 1)), notate_dice((10, 12)), notate_dice((12,))
    ('441', '10.12', '12.')
    """
    if max(dice, default=0) <= len("123456789"):
        return "".join(map(str, dice))
    return ".".join(map(str, dice)) + ("." if len(dice) == 1 else "")


def notate(action: PlayerAction) -> str:
    """Return an action as text that `parse` reads back; a penalty is written as its trigger.

    >>> notate(Exact())
    'exact'
    """
    match action:
        case Bid():
            return str(action)
        case BidAndShow(bid, shown):
            return f"{bid}+{notate_dice(shown)}"
        case SetDirection(direction):
            return direction.value
        case Challenge() | AnswerDouble() | Exact() | Pass() | ChallengePass() | DeclareSpecial() | ChooseKind():
            return next(word for word, call in WORDS.items() if call == action)
        case _:
            return action.trigger.value
