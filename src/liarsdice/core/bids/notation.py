"""Bids, calls and answers as text, and whole matches in this notation.

`5x4`, `5x4!` for a pure bid, `sum7` for a bid on the sum of the dice, `5x4+441` to show dice with a bid, `liar`,
`exact`, `claim`, `pass`; `accept`, `redouble`, `fold`.
"""

import re
from collections.abc import Iterable, Iterator

import msgspec
from msgspec import UNSET

from liarsdice.core.actions import (
    AnswerDouble,
    BidAndShow,
    Challenge,
    ChallengePass,
    ChooseKind,
    ClaimExact,
    DeclareSpecial,
    Exact,
    Pass,
    Penalise,
    PlayerAction,
    Reroll,
    SetDirection,
)
from liarsdice.core.errors import NotationError
from liarsdice.core.events import (
    BidMade,
    Challenged,
    DiceGained,
    DiceLost,
    DirectionSet,
    DoubleAnswered,
    Doubled,
    Event,
    ExactCalled,
    ExactClaimed,
    KindChosen,
    LivesGained,
    LivesLost,
    MatchEnded,
    MatchStarted,
    PassChallenged,
    Passed,
    Rerolled,
    Revealed,
    RoundStarted,
    SpecialDeclared,
)
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import Answer, Direction, RoundKind
from liarsdice.core.rules.tally import Hand

BID = re.compile(r"\s*([0-9]{1,6})\s*[x×*]\s*([0-9]{1,6})\s*(!|pure|zhai)?\s*", re.IGNORECASE)
SUM_BID = re.compile(r"\s*(?:sum|suma)\s*([0-9]{1,6})\s*", re.IGNORECASE)
WORDS: dict[str, PlayerAction] = {
    "liar": Challenge(),
    "double": Challenge(double=True),
    "exact": Exact(),
    "claim": ClaimExact(),
    "pass": Pass(),
    "doubt": ChallengePass(),
    **{answer.value: AnswerDouble(answer) for answer in Answer},
    **{direction.value: SetDirection(direction) for direction in Direction},
    "special": DeclareSpecial(),
    "reroll": Reroll(),
    **{kind.value: ChooseKind(kind) for kind in RoundKind},
}
SHOWN = re.compile(r"(?P<bid>.*?)(?:\+|\bshow\b)(?P<dice>[0-9. ]{1,200})", re.IGNORECASE)
MAX_QUOTE_LENGTH = 40
HOW_TO_WRITE = f"write 5x4 for five fours, or {', '.join(WORDS)}"
"""What an error says of a text that is no move."""


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
        raise NotationError(f"cannot read {shown!r} ({HOW_TO_WRITE})")
    if int(match[2]) == SUM_FACE:
        raise no_face_zero(text)
    return Bid(int(match[1]), int(match[2]), pure=match[3] is not None)


def no_face_zero(text: str) -> NotationError:
    """Return the error of a bid on a face 0."""
    return NotationError(f"no die has the face 0 of {text.strip()[:MAX_QUOTE_LENGTH]!r} (write 5x4 for five fours)")


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
        case Penalise(trigger):
            return trigger.value
        case _:
            return next(word for word, call in WORDS.items() if call == action)


def move_of(event: Event) -> tuple[int, PlayerAction] | None:
    """Return the seat and the move that an event tells of, None for one that follows from another event.

    >>> move_of(Passed(1))
    (1, Pass())
    """
    match event:
        case BidMade(seat, bid, shown):
            return seat, BidAndShow(bid, shown) if shown else bid
        case Challenged() as call:
            return call.seat, Challenge(double=call.double is True)
        case Doubled(seat):
            return seat, Challenge(double=True)
        case DoubleAnswered(seat, _, answer):
            return seat, AnswerDouble(answer)
        case ExactCalled(seat):
            return seat, Exact()
        case ExactClaimed(seat):
            return seat, ClaimExact()
        case Passed(seat):
            return seat, Pass()
        case PassChallenged(seat):
            return seat, ChallengePass()
        case DirectionSet(seat, direction):
            return seat, SetDirection(direction)
        case SpecialDeclared(seat):
            return seat, DeclareSpecial()
        case KindChosen(seat, kind):
            return seat, ChooseKind(kind)
        case Rerolled(seat):
            return seat, Reroll()
        case _:
            return None


SEPARATORS = re.compile(r'[,|":\\]| and ')
"""What would be taken for something else in a name: such a name is written in quotation marks."""

NAME = re.compile(r'"(?:[^"\\]|\\.)*"|[^,|":\\]+')
STEP = re.compile(r"(?P<change>[-+][0-9]{1,6})|(?P<move>[^ =]+)(?: =(?P<count>[0-9]{1,6}))?")
MAX_LENGTH = 1_000_000
"""The longest line that is read, in characters."""


class NotatedRound(msgspec.Struct, frozen=True):
    """A round of a match on one line.

    `moves`: bids, calls, passes, answers, choices of direction and kind, and declarations, in order, each with its
    seat. `count` is that of the reveal, None if there was none or if a pass was called. `changes`: dice or lives that a
    seat lost (negative) or gained, in order.
    """

    moves: tuple[tuple[int, PlayerAction], ...]
    count: int | None
    changes: tuple[tuple[int, int], ...]


class NotatedMatch(msgspec.Struct, frozen=True):
    """A match on one line: the players' names, the rounds, and the seats that won, none if it was broken off."""

    names: tuple[str, ...]
    rounds: tuple[NotatedRound, ...]
    winners: tuple[int, ...]


def notate_match(events: Iterable[Event]) -> str:
    """Return a match on one line: the players, then per round every bid, the call, the count and who lost what.

    A name with a comma, a colon, a bar, a quotation mark or the word "and" is in quotation marks. Raises
    `NotationError` for events that do not begin with those of the start.

    ::

        Ann, Bo | 1: Ann 3x4, Bo liar =2, Ann -1 | 2: Ann 1x6, … | Bo wins
    """
    try:
        return _match_line(events)
    except IndexError as error:
        raise NotationError("these are not all events of a match, from its start on") from error


def _match_line(events: Iterable[Event]) -> str:
    names: tuple[str, ...] = ()
    rounds: list[list[str]] = []
    ending, is_announced = "", False
    for event in events:
        match event:
            case MatchStarted():
                names = tuple(map(_written_name, event.names))
            case RoundStarted():
                rounds.append([])
                is_announced = False
            case Challenged() if is_announced:
                is_announced = False
            case Revealed() if event.pass_hand is UNSET:
                rounds[-1][-1] += f" ={event.count}"
            case DiceLost() | LivesLost() if rounds:
                rounds[-1].append(f"{names[event.seat]} -{event.amount}")
            case DiceGained() | LivesGained() if rounds:
                rounds[-1].append(f"{names[event.seat]} +{event.amount}")
            case MatchEnded():
                winners = " and ".join(names[seat] for seat in event.winners)
                ending = f"{winners} {'wins' if len(event.winners) == 1 else 'share it'}"
            case _ if (made := move_of(event)) is not None:
                seat, move = made
                rounds[-1].append(f"{names[seat]} {notate(move)}")
                is_announced = is_announced or isinstance(event, Doubled)
            case _:
                pass
    numbered = [f"{number}: {', '.join(parts)}" for number, parts in enumerate(rounds, start=1)]
    return " | ".join([", ".join(names), *numbered, *([ending] if ending else [])])


def parse_match(line: str) -> NotatedMatch:
    """Read a match that `notate_match` wrote. Raises `NotationError` if the line is none.

    The line has neither dice nor rules, so the result cannot be replayed; a record can (`read_record`).

    >>> match = parse_match("Ann, Bo | 1: Ann 3x4, Bo liar =2, Ann -1 | Bo wins")
    >>> match.names, match.rounds[0].moves, match.rounds[0].count
    (('Ann', 'Bo'), ((0, Bid(quantity=3, face=4)), (1, Challenge())), 2)
    """
    parts = list(_split(line, " | ")) if len(line) <= MAX_LENGTH else []
    written = list(_split(parts[0], ", ")) if parts else []
    if not all(NAME.fullmatch(name) for name in written) or len(set(written)) < max(len(written), 2):
        raise NotationError(f"a match on one line begins with its players, not {_quoted(line)}")
    rounds: list[NotatedRound] = []
    winners: tuple[int, ...] = ()
    for number, part in enumerate(parts[1:], start=1):
        heading = f"{number}: "
        if part.startswith(heading) and not winners:
            rounds.append(_read_round(part.removeprefix(heading), written))
        elif number == len(parts) - 1:
            winners = _read_winners(part, written)
        else:
            raise NotationError(f"round {number} of a match begins with {heading!r}, not {_quoted(part)}")
    return NotatedMatch(tuple(map(_read_name, written)), tuple(rounds), winners)


def _read_round(text: str, names: list[str]) -> NotatedRound:
    moves: list[tuple[int, PlayerAction]] = []
    changes: list[tuple[int, int]] = []
    count: int | None = None
    for step in _split(text, ", ") if text else ():
        seat, parts = _read_step(step, names)
        if parts["change"]:
            changes.append((seat, int(parts["change"])))
        else:
            moves.append((seat, parse(parts["move"])))
            count = int(parts["count"]) if parts["count"] else count
    return NotatedRound(tuple(moves), count, tuple(changes))


def _read_step(text: str, names: list[str]) -> tuple[int, re.Match[str]]:
    """Return the seat whose name a step begins with, and what it did. At most one name leaves something that fits."""
    for seat, name in enumerate(names):
        parts = STEP.fullmatch(text.removeprefix(f"{name} ")) if text.startswith(f"{name} ") else None
        if parts is not None:
            return seat, parts
    raise NotationError(f"a step of a match is a player with a move or a change such as -1, not {_quoted(text)}")


def _read_winners(text: str, names: list[str]) -> tuple[int, ...]:
    winners = text.removesuffix(" wins").removesuffix(" share it")
    seats = [names.index(name) for name in _split(winners, " and ") if name in names]
    if winners == text or " and ".join(names[seat] for seat in seats) != winners:
        raise NotationError(f"a match ends with its winners, as in {names[0]} wins, not {_quoted(text)}")
    return tuple(seats)


def _split(text: str, separator: str) -> Iterator[str]:
    """Yield the parts of a text between separators, of which those in quotation marks are none."""
    start, place, quoted = 0, 0, False
    while place < len(text):
        if text[place] == "\\":
            place += 1
        elif text[place] == '"':
            quoted = not quoted
        elif not quoted and text.startswith(separator, place):
            yield text[start:place]
            start = place + len(separator)
            place = start - 1
        place += 1
    yield text[start:]


def _written_name(name: str) -> str:
    """Return a name as it stands on the line, in quotation marks where it could be taken for something else."""
    return msgspec.json.encode(name).decode() if SEPARATORS.search(name) else name


def _read_name(written: str) -> str:
    if not written.startswith('"'):
        return written
    try:
        return msgspec.json.decode(written, type=str)
    except msgspec.DecodeError as error:
        raise NotationError(f"{_quoted(written)} is no name in quotation marks: {error}") from error


def _quoted(text: str) -> str:
    return repr(text if len(text) <= MAX_QUOTE_LENGTH else text[:MAX_QUOTE_LENGTH] + "…")
