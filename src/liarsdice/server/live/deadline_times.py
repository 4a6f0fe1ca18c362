"""When a table's next deadline is: it keeps its time while it stays the same, and after a pause what was left of it."""

from __future__ import annotations

import msgspec

from liarsdice.server.table.deadlines import Deadline, next_deadline
from liarsdice.server.table.table_state import TableState


class RunningDeadline(msgspec.Struct, frozen=True):
    """The last known state of a table, the deadline that it waited for, and its time in milliseconds since 1970."""

    state: TableState | None
    deadline: Deadline | None
    at_ms: int | None


def deadline_after(
    last: RunningDeadline, table: TableState, now_ms: int, pace: float
) -> tuple[Deadline | None, int | None]:
    """Return the deadline of a new state and its time.

    A deadline that is running keeps its time, and one that was paused has the time that was left.
    """
    new, state = next_deadline(table), last.state
    if new is None:
        return None, None
    if last.deadline is not None and last.deadline.key == new.key:
        return new, last.at_ms
    if state is not None and state.paused_left_ms is not None and state.paused_deadline_key == new.key:
        return new, now_ms + state.paused_left_ms
    return new, now_ms + _whole_wait_ms(new, pace)


def stored_deadline_at_ms(deadline: Deadline | None, due_at_ms: int | None, now_ms: int, pace: float) -> int | None:
    """Return the stored time of the present deadline, but none that is further away than the whole wait."""
    if deadline is None or due_at_ms is None:
        return due_at_ms
    return min(due_at_ms, now_ms + _whole_wait_ms(deadline, pace))


def _whole_wait_ms(deadline: Deadline, pace: float) -> int:
    return round(deadline.after_ms * (pace if deadline.paced else 1))
