"""Matches start with allowed names, and actions of seats that do not exist are refused."""

import pytest

from liarsdice.core.actions import ChooseStarter
from liarsdice.core.engine.engine import MAX_SEATS, decide, match_started, replay, start
from liarsdice.core.engine.view import event_view, view
from liarsdice.core.errors import MalformedError
from liarsdice.core.events import Dealt
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset

BASIC, CHART = preset("basic").ruleset, preset("chart").ruleset


@pytest.mark.parametrize("seat", [-1, 2, 99, True, "0"])
def test_a_seat_that_does_not_exist_can_see_and_do_nothing(seat: int) -> None:
    state = start(BASIC, ["Ann", "Bo"])
    for call in (
        lambda: view(state, seat),
        lambda: event_view(Dealt(((1,), (2,))), seat),
        lambda: decide(state, seat, Bid(1, 2)),
    ):
        with pytest.raises(MalformedError, match="no seat"):
            call()


def test_players_do_not_deal_and_the_dealer_does_not_play() -> None:
    state = start(BASIC, ["Ann", "Bo"])
    with pytest.raises(MalformedError, match="dice and starters come from the dealer"):
        decide(state, 0, ChooseStarter(0))
    with pytest.raises(MalformedError, match="name the seat that acts"):
        decide(state, None, Bid(1, 2))


def test_an_event_log_begins_with_the_start_of_a_match() -> None:
    started = match_started(BASIC, ["Ann", "Bo"])
    assert replay([started]) == start(BASIC, ["Ann", "Bo"])
    for events in ([], [Dealt(((1,), (2,)))]):
        with pytest.raises(MalformedError, match="begins with match_started"):
            replay(events)


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
def test_players_need_different_printable_names_and_be_as_many_as_the_rules_allow(names: list[str]) -> None:
    with pytest.raises(MalformedError):
        start(BASIC, names)


def test_the_message_names_the_allowed_numbers_of_players() -> None:
    with pytest.raises(MalformedError, match="Basic Liar's Dice seats 2 to 5 players, not 6"):
        start(patched(BASIC, players__max=5), list("ABCDEF"))
    with pytest.raises(MalformedError, match=f"seats 2 to {MAX_SEATS} players"):
        start(CHART, [f"p{number}" for number in range(MAX_SEATS + 1)])
