"""A match as a file: JSON lines, a header and then the event log, which replays to the same state.

Reading does not trust the file: every event is judged again by the engine that reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from liarsdice.core.actions import (
    Action,
    Challenge,
    ChooseStarter,
    Deal,
    Exact,
    Penalise,
    RollForStart,
    SetDirection,
)
from liarsdice.core.engine.engine import decide, evolve_all, seated
from liarsdice.core.engine.evolve import opened
from liarsdice.core.engine.state import State
from liarsdice.core.errors import LiarsDiceError, RecordError, UnfinishedError
from liarsdice.core.events import (
    BidMade,
    Challenged,
    Dealt,
    DirectionSet,
    Event,
    ExactCalled,
    MatchStarted,
    Penalised,
    RoundStarted,
    StarterFound,
    StarterRolled,
)
from liarsdice.core.records.fairness import Fairness
from liarsdice.core.rules.choices import StarterMethod

T = TypeVar("T")
FORMAT = 1
LONGEST_RECORD = 64 * 1024 * 1024


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="liarsdice_record", tag_field="record"):
    """The first line of a record: the version of the file format and of the engine that wrote it."""

    format: int
    engine: str


class Record(msgspec.Struct, frozen=True):
    """A match read from a file: what wrote it, its events, the state they lead to, and where its dice came from."""

    engine: str
    events: tuple[Event, ...]
    state: State
    fairness: Fairness | None = None


def write_record(events: Sequence[Event], engine: str, fairness: Fairness | None = None) -> str:
    """The record of a match, one JSON object a line; `engine` is the version of the package."""
    lines = [Header(FORMAT, engine), *((fairness,) if fairness else ()), *events]
    return "".join(msgspec.json.encode(line).decode() + "\n" for line in lines)


def read_record(text: str | bytes) -> Record:
    """Read a record and judge every event again. Raises `RecordError`, which names the line.

    A match that was broken off is a record too: its last line must be whole.
    """
    try:
        raw = text.encode() if isinstance(text, str) else text
    except UnicodeEncodeError as error:
        raise RecordError(f"the record is no text: {error.reason}") from error
    if len(raw) > LONGEST_RECORD:
        raise RecordError(f"the record is longer than {LONGEST_RECORD} bytes")
    lines = raw.splitlines()
    if not lines:
        raise RecordError("the record is empty (its first line is a header, its second match_started)")
    header = _decode(HEADER, lines[0], 1)
    if header.format != FORMAT:
        raise RecordError(f"line 1: the record has format {header.format}, this engine reads format {FORMAT}")
    fairness = _decode(FAIRNESS, lines[1], 2) if len(lines) > 1 and lines[1].startswith(FAIRNESS_START) else None
    first = 2 if fairness is None else 3
    events = tuple(_decode(EVENT, line, number) for number, line in enumerate(lines[first - 1 :], start=first))
    return Record(header.engine, events, rejudge(events, first), fairness)


def begun(events: Sequence[Event], first: int = 2) -> State:
    """The state that the first event of a record leads to; it stands in line `first`. Raises `RecordError`."""
    if not events or not isinstance(events[0], MatchStarted):
        raise RecordError(f"line {first}: a match begins with match_started")
    try:
        return opened(seated(events[0].ruleset, events[0].names))
    except LiarsDiceError as error:
        raise RecordError(f"line {first}: {error}") from error


def rejudge(events: Sequence[Event], first: int = 2) -> State:
    """The state that events lead to, if this engine decides the same ones. Raises `RecordError` where it does not.

    `first` is the line of the first event, for messages.
    """
    state = begun(events, first)
    place = 1
    try:
        while place < len(events):
            seat, action = _cause(events, place)
            decided = decide(state, seat, action)
            for event in decided:
                if place >= len(events):
                    raise UnfinishedError(f"the record stops in the middle of what follows {type(action).__name__}")
                if event != events[place]:
                    raise RecordError(f"the rules lead to {event!r}, not to {events[place]!r}")
                place += 1
            state = evolve_all(state, decided)
    except LiarsDiceError as error:
        kind = UnfinishedError if isinstance(error, UnfinishedError) else RecordError
        raise kind(f"line {place + first}: {error}") from error
    return state


def _cause(events: Sequence[Event], place: int) -> tuple[int | None, Action]:
    """Who did what, to make the event at this place happen."""
    match events[place]:
        case BidMade(seat, bid):
            return seat, bid
        case Challenged(seat):
            return seat, Challenge()
        case ExactCalled(seat):
            return seat, Exact()
        case DirectionSet(seat, direction):
            return seat, SetDirection(direction)
        case Penalised() as penalty:
            return penalty.seat, Penalise(penalty.trigger, penalty.taken)
        case StarterRolled(rolls):
            return None, RollForStart(rolls)
        case StarterFound(seat, method) if method is not StarterMethod.HIGH_ROLL:
            return None, ChooseStarter(seat)
        case RoundStarted():
            dealt = events[place + 1] if place + 1 < len(events) else None
            if isinstance(dealt, Dealt):
                return None, Deal(dealt.hands)
            raise RecordError("after round_started comes dealt")
        case event:
            raise RecordError(f"{type(event).__name__} does not come from anybody's action here")


def begins_action(event: Event) -> bool:
    """Whether an event comes first of what one action leads to."""
    try:
        _cause((event, Dealt(())), 0)
    except RecordError:
        return False
    return True


def _decode(decoder: msgspec.json.Decoder[T], line: bytes, number: int) -> T:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, LiarsDiceError) as error:
        raise RecordError(f"line {number}: {error}") from error


HEADER = msgspec.json.Decoder(Header)
FAIRNESS = msgspec.json.Decoder(Fairness)
FAIRNESS_START = b'{"record":'
EVENT: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
