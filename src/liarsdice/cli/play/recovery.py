"""How much of a record is whole: a match that was broken off may end in a blank, a torn line, or half an action."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import LiarsDiceError, RecordError, UnfinishedError
from liarsdice.core.events import Event
from liarsdice.core.records.record import LONGEST_RECORD, Record, begins_action, read_record
from liarsdice.play.dealer import Dealer


def whole_actions(raw: bytes) -> tuple[Record, int, str | None]:
    """The record that bytes hold up to the last whole action, how many bytes that is, and what comes after it.

    Raises `RecordError` where anything is wrong but an end that is blank, torn, or lacks what follows an action.
    """
    if len(raw) > LONGEST_RECORD:
        raise RecordError(f"the record is longer than {LONGEST_RECORD} bytes")
    lines = raw.splitlines(keepends=True)
    cut = list[str]()
    if lines and lines[-1].strip() and not lines[-1].endswith(b"\n"):
        cut.append(f"a torn line of {len(lines.pop())} bytes")
    told = len(lines)
    while lines and not lines[-1].strip():
        lines.pop()
    if told > len(lines):
        cut.append("blank lines")
    try:
        record = read_record(b"".join(lines))
    except RecordError as error:
        begin = _last_begin(lines)
        if begin == len(lines):
            raise
        record = read_record(b"".join(lines[:begin]))
        if not isinstance(error, UnfinishedError) and not _is_next_round(record, lines[begin:]):
            raise
        cut.append("an action that lacks its end")
        lines = lines[:begin]
    return record, sum(map(len, lines)), " and ".join(cut) or None


def _last_begin(lines: Sequence[bytes]) -> int:
    for place in range(len(lines) - 1, 1, -1):
        try:
            event = msgspec.json.decode(lines[place], type=Event)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, LiarsDiceError):
            return len(lines)
        if begins_action(event):
            return place
    return len(lines)


def _is_next_round(record: Record, lines: Sequence[bytes]) -> bool:
    """Whether a line is the start of the next round, which is the same whatever dice are dealt."""
    if len(lines) > 1 or record.state.phase is not Phase.DEAL:
        return False
    dealt = decide(record.state, None, Dealer(0).action(record.state))
    begun: Event = msgspec.json.decode(lines[0], type=Event)
    return begun == dealt[0]
