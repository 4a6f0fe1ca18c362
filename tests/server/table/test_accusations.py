"""Accusations open, may be denied, and are settled."""

from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.server.table.accusation_entries import AccusationDenied, AccusationSettled, Accused
from liarsdice.server.table.accusations import is_accused, with_accusations
from liarsdice.server.table.table_state import TableState
from tests.server.live_tables import make_config

TURN = PenaltyTrigger.ASKS_WHOSE_TURN


def test_an_accusation_stays_open_when_it_is_denied_and_ends_when_it_is_settled() -> None:
    table = TableState(code="FLEA", config=make_config())
    accused = with_accusations(with_accusations(table, Accused(1, 7, TURN)), Accused(2, 8, TURN))
    assert [is_accused(accused, player) for player in (7, 8, 9)] == [True, True, False]
    assert accused.next_accusation == 3
    denied = with_accusations(accused, AccusationDenied(2))
    assert [item.denied for item in denied.accusations] == [False, True]
    settled = with_accusations(denied, AccusationSettled(2, taken=False, player=8, trigger=TURN))
    assert [is_accused(settled, player) for player in (7, 8)] == [True, False]
