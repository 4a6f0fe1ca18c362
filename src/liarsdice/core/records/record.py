"""Match records: JSON Lines files with a header and the event log of a match.

Reading does not trust the file: the engine judges every action again and compares the events.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from liarsdice.core.actions import Action, ChooseStarter, Deal, Penalise, RollAgain, RollForStart, Withdraw
from liarsdice.core.bids.notation import move_of
from liarsdice.core.engine.engine import decide, evolve_all, match_started
from liarsdice.core.engine.evolve import initial_state
from liarsdice.core.engine.state import State
from liarsdice.core.errors import LiarsDiceError, MalformedError, RecordError, UnfinishedError
from liarsdice.core.events import (
    Challenged,
    Dealt,
    DoubleAnswered,
    Doubled,
    Event,
    MatchStarted,
    Penalised,
    RolledAgain,
    RoundStarted,
    StarterFound,
    StarterRolled,
    Withdrawn,
)
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.sources import source_bytes

PROTOCOL = 1
"""The version of the derivation of dice from seeds (`liarsdice.play.provable_dice`)."""


class Fairness(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    tag="liarsdice_fairness",
    tag_field="record",
):
    """The source of the dice of a match, from which anybody can derive them again.

    `commitment` is the SHA-256 of `server_seed`, both in hexadecimal. `seeds` are the players' own by seat, "" for a
    seat without one. `code` and `number` name the table and the match on it. `commitments` are the SHA-256 of the
    players' seeds by seat, "" for a seat that promised none. A player who promised a seed and did not reveal it in time
    has "" in `seeds`. `key` is the public key of the server, which signs the record.
    """

    protocol: int
    code: str
    number: int
    commitment: str
    server_seed: str
    seeds: tuple[str, ...]
    commitments: tuple[str, ...]
    key: str


class Signature(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="liarsdice_signature", tag_field="record"):
    """The last line of a record from a server: the Ed25519 signature of all bytes before it, in hexadecimal."""

    signature: str


T = TypeVar("T")
RECORD_FORMAT = 1
MAX_RECORD_BYTES = 64 * 1024 * 1024


class Header(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag="liarsdice_record",
    tag_field="record",
):
    """The first line of a record: the version of the file format, and of the package that wrote it.

    `stand_ins`: the seats of people for whom a bot played when they went out or the match ended.
    """

    format: int
    engine: str
    stand_ins: tuple[int, ...] = ()


class Record(msgspec.Struct, frozen=True):
    """A match read from a record.

    `engine` is the version of the package that wrote it, `state` the state that the events lead to. `fairness` is the
    source of the dice, if the record says it. `start_line` is the line of `match_started` as it was read. `signature`
    is that of the server, "" without one. `stand_ins`: as in `Header`.
    """

    engine: str
    events: tuple[Event, ...]
    state: State
    fairness: Fairness | None = None
    start_line: str = ""
    signature: str = ""
    stand_ins: tuple[int, ...] = ()

    @property
    def result_names(self) -> tuple[str, ...]:
        """The names of the players beside their results (`result_names`)."""
        return result_names(self.state.names, self.stand_ins)


def result_names(names: Sequence[str], stand_ins: tuple[int, ...]) -> tuple[str, ...]:
    """Return the names of the players beside their results, which name the bot where one played for a person.

    >>> result_names(("Ann", "Bo"), stand_ins=(0,))
    ('Ann (bot)', 'Bo')
    """
    return tuple(f"{name} (bot)" if seat in stand_ins else name for seat, name in enumerate(names))


def write_record(
    events: Sequence[Event],
    engine: str,
    fairness: Fairness | None = None,
    *,
    start_line: str = "",
    stand_ins: tuple[int, ...] = (),
) -> str:
    """Return the text of a match record, one JSON object a line; `engine` is the version of the package.

    `start_line`: the line of the first event as it was promised to the players, which a later version of the package
    could write differently; "" writes it anew. `stand_ins`: as in `Header`. A record with `fairness` still lacks its
    `signature_line`.
    """
    first = (Header(RECORD_FORMAT, engine, stand_ins), *((fairness,) if fairness else ()))
    start, later = (start_line + "\n", events[1:]) if start_line else ("", events)
    return "".join([*map(_line, first), start, *map(_line, later)])


def signature_line(signature: str) -> str:
    """Return the last line of a signed record."""
    return _line(Signature(signature))


def _line(content: Header | Fairness | Event | Signature) -> str:
    return msgspec.json.encode(content).decode() + "\n"


def read_record(source: str | bytes | Path) -> Record:
    """Read a match record and verify it: the engine judges every action again.

    A `str` or `bytes` is the record itself, a `Path` a file. A match that was broken off is a record too, if its last
    line is whole. Raises `UnavailableError` if the file cannot be read, and `RecordError`, which names the line, if the
    record is damaged, longer than `MAX_RECORD_BYTES`, or does not follow the rules.
    """
    try:
        raw = source_bytes(source, MAX_RECORD_BYTES, content="the record")
    except MalformedError as error:
        raise RecordError(str(error)) from error
    if len(raw) > MAX_RECORD_BYTES:
        raise RecordError(f"the record is longer than {MAX_RECORD_BYTES} bytes")
    lines = raw.splitlines()
    if not lines:
        raise RecordError("the record is empty (its first line is a header, its second match_started)")
    header = _decode(HEADER, lines[0], 1)
    if header.format != RECORD_FORMAT:
        raise RecordError(f"line 1: the record has format {header.format}, this program reads format {RECORD_FORMAT}")
    signature = ""
    if lines[-1].startswith(SIGNATURE_START):
        signature = _decode(SIGNATURE, lines.pop(), len(lines) + 1).signature
    fairness = _decode(FAIRNESS, lines[1], 2) if len(lines) > 1 and lines[1].startswith(FAIRNESS_START) else None
    first = 2 if fairness is None else 3
    events = tuple(_decode(EVENT, line, number) for number, line in enumerate(lines[first - 1 :], start=first))
    state = verify_events(events, first)
    if not {*header.stand_ins} <= {*range(len(state.names))}:
        raise RecordError(f"line 1: stand_ins are seats from 0 to {len(state.names) - 1}, not {header.stand_ins}")
    return Record(header.engine, events, state, fairness, lines[first - 1].decode(), signature, header.stand_ins)


def recorded_start(events: Sequence[Event], first: int = 2) -> State:
    """Return the state after the first event of a record.

    `first` is the line of that event, for messages. Raises `RecordError` if it does not start a match that these rules
    allow.
    """
    if not events or not isinstance(events[0], MatchStarted):
        raise RecordError(f"line {first}: a match begins with match_started")
    try:
        return initial_state(match_started(events[0].ruleset, events[0].names))
    except LiarsDiceError as error:
        raise RecordError(f"line {first}: {error}") from error


def verify_events(events: Sequence[Event], first: int = 2) -> State:
    """Return the state that the events lead to, after the engine has judged every action again.

    `first` is the line of the first event, for messages. Raises `RecordError` if the engine decides other events, and
    `UnfinishedError` if the record ends before all events of its last action.
    """
    state = recorded_start(events, first)
    place = 1
    try:
        while place < len(events):
            seat, action = _action_at(events, place)
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


def recorded_actions(events: Sequence[Event]) -> Iterator[tuple[State, int | None, Action]]:
    """Yield the actions of a match from events that the engine has judged, as those of a `Record`.

    Each comes with the state before it, and with the seat that acted (None: the dealer). Raises `RecordError` for
    events that no actions lead to.
    """
    state, place = recorded_start(events), 1
    while place < len(events):
        seat, action = _action_at(events, place)
        yield state, seat, action
        decided = decide(state, seat, action)
        state = evolve_all(state, decided)
        place += len(decided)


def _action_at(events: Sequence[Event], place: int) -> tuple[int | None, Action]:
    """Return the seat (None: the dealer) and the action whose first event is at this place."""
    match events[place]:
        case RolledAgain(_, hand):
            return None, RollAgain(hand)
        case Withdrawn(seat):
            return None, Withdraw(seat)
        case Penalised() as penalty:
            return penalty.seat, Penalise(penalty.trigger, penalty.taken, penalty.offence or "")
        case StarterRolled(rolls):
            return None, RollForStart(rolls)
        case StarterFound(seat, method) if method is not StarterMethod.HIGH_ROLL:
            return None, ChooseStarter(seat)
        case RoundStarted():
            dealt = events[place + 1] if place + 1 < len(events) else None
            if isinstance(dealt, Dealt):
                return None, Deal(dealt.hands)
            raise RecordError("after round_started comes dealt")
        case event if (move := move_of(event)) is not None:
            return move
        case event:
            raise RecordError(f"{type(event).__name__} does not come from anybody's action here")


def starts_action(event: Event, before: Event | None) -> bool:
    """Return whether an event is the first of those that one action leads to; `before` is the one before it."""
    if isinstance(event, Challenged) and isinstance(before, Doubled | DoubleAnswered):
        return False
    try:
        _action_at((event, Dealt(())), 0)
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
SIGNATURE = msgspec.json.Decoder(Signature)
SIGNATURE_START = b'{"record":"liarsdice_signature"'
EVENT: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
