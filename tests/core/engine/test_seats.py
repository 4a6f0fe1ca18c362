"""Who sits at a table, and what a seat that isn't there is told."""

import pytest

from liarsdice.core.engine.engine import MOST_SEATS, decide, start
from liarsdice.core.engine.view import seen, view
from liarsdice.core.errors import MalformedError
from liarsdice.core.events import Dealt
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset

BASIC, CHART = preset("basic").ruleset, preset("chart").ruleset


@pytest.mark.parametrize("seat", [-1, 2, 99, True, "0"])
def test_a_seat_that_the_table_does_not_have_is_shown_nothing(seat: int) -> None:
    state = start(BASIC, ["Ann", "Bo"])
    for ask in (
        lambda: view(state, seat),
        lambda: seen(Dealt(((1,), (2,))), seat),
        lambda: decide(state, seat, Bid(1, 2)),
    ):
        with pytest.raises(MalformedError, match="no seat"):
            ask()


@pytest.mark.parametrize(
    "names",
    [
        ["Ann"],
        ["Ann", ""],
        ["Ann", " "],
        ["Ann", "Ann"],
        ["Ann", "ANN"],
        ["Ann", "Bo "],
        ["Ann", "B\x1bo"],
        ["A", "b" * 41],
    ],
)
def test_players_have_different_printable_names_and_sit_in_numbers_that_the_rules_seat(names: list[str]) -> None:
    with pytest.raises(MalformedError):
        start(BASIC, names)


def test_the_limit_of_a_table_is_told_in_full() -> None:
    with pytest.raises(MalformedError, match="Basic Liar's Dice seats 2 to 5 players, not 6"):
        start(BASIC, list("ABCDEF"))
    with pytest.raises(MalformedError, match=f"seats 2 to {MOST_SEATS} players"):
        start(CHART, [f"p{number}" for number in range(MOST_SEATS + 1)])
