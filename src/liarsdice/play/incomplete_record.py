"""Reads a record that ends early: in the middle of a line, or of the events of an action."""

from collections.abc import Sequence

import msgspec

from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import LiarsDiceError, RecordError, UnfinishedError, counted
from liarsdice.core.events import Event
from liarsdice.core.records.record import MAX_RECORD_BYTES, Record, read_record, starts_action
from liarsdice.play.match import Dealer


def complete_actions(raw: bytes) -> tuple[Record, int, str | None]:
    """Return the record up to its last complete action, its length in bytes, and a description of the rest.

    The description is None if there is no rest. Raises `RecordError` if anything else is wrong with the record.
    """
    if len(raw) > MAX_RECORD_BYTES:
        raise RecordError(f"the record is longer than {MAX_RECORD_BYTES} bytes")
    lines = raw.splitlines(keepends=True)
    rest = list[str]()
    if lines and lines[-1].strip() and not lines[-1].endswith(b"\n"):
        if _is_json(lines[-1]):
            complete_actions(raw + b"\n")  # nothing but its end may be wrong with the line
        rest.append(f"an incomplete line of {counted(len(lines.pop()), 'byte')}")
    line_count = len(lines)
    while lines and not lines[-1].strip():
        lines.pop()
    if line_count > len(lines):
        rest.append("blank lines")
    try:
        record = read_record(b"".join(lines))
    except RecordError as error:
        begin = _last_action_line(lines)
        if begin == len(lines):
            raise
        record = read_record(b"".join(lines[:begin]))
        if not isinstance(error, UnfinishedError) and not _is_next_round(record, lines[begin:]):
            raise
        rest.append("an incomplete action")
        lines = lines[:begin]
    return record, sum(map(len, lines)), " and ".join(rest) or None


def _is_json(line: bytes) -> bool:
    """Whether a line without its end is whole all the same."""
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _last_action_line(lines: Sequence[bytes]) -> int:
    """Return the index of the last line that starts an action, or the number of lines if there is none."""
    event: Event | None = None
    for index in range(len(lines) - 1, 0, -1):
        later = event
        try:
            event = msgspec.json.decode(lines[index], type=Event)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, LiarsDiceError):
            return len(lines)
        if later is not None and starts_action(later, event):
            return index + 1
    return len(lines)


def _is_next_round(record: Record, lines: Sequence[bytes]) -> bool:
    """Whether the only line is the start of the next round, an event that does not depend on the dice."""
    if len(lines) > 1 or record.state.phase is not Phase.DEAL:
        return False
    deal_events = decide(record.state, None, Dealer(0).action(record.state))
    first_event: Event = msgspec.json.decode(lines[0], type=Event)
    return first_event == deal_events[0]
