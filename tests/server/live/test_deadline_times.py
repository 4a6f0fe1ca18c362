"""A deadline keeps its time while it stays the same, and a stored one is never further away than its whole wait."""

from liarsdice.server.live.live_table import stored_deadline_at_ms
from liarsdice.server.table.deadlines import Deadline, DeadlineKind

DEAL = Deadline(DeadlineKind.DEAL, 2_000, ())
TURN = Deadline(DeadlineKind.TIME_UP, 2_000, (), paced=False)


def test_a_stored_deadline_is_at_most_its_whole_wait_away() -> None:
    assert stored_deadline_at_ms(TURN, 11_000, 10_000, 0.5) == 11_000
    assert stored_deadline_at_ms(TURN, 99_000, 10_000, 0.5) == 12_000
    assert stored_deadline_at_ms(DEAL, 99_000, 10_000, 0.5) == 11_000
    assert stored_deadline_at_ms(DEAL, None, 10_000, 0.5) is None
