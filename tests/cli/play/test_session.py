"""The seats of a match: the human first, then named bots."""

from __future__ import annotations

import pytest

from liarsdice.cli.play.saved_match import (
    BOT_NAMES,
    DEFAULT_BOTS,
    Seats,
    assign_seats,
    default_seats,
    make_bots,
    replace_bots,
)
from liarsdice.cli.play.session import MENU
from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.play.player_names import InvalidNameError

PERUDO = preset("perudo").ruleset


def test_the_human_has_the_first_seat_and_bots_repeat_until_all_seats_are_taken() -> None:
    seats, names = assign_seats(PERUDO, "Tim", ["random", "greedy"], 4, "7")
    assert seats == Seats(0, ("", "random", "greedy", "random"), "7")
    assert names == ["Tim", *BOT_NAMES[:3]]


def test_the_number_of_seats_follows_from_the_bots_or_from_the_rules() -> None:
    assert len(assign_seats(PERUDO, "Tim", ["random", "greedy"], None, "7")[1]) == 3
    assert len(assign_seats(PERUDO, "Tim", [], None, "7")[1]) == 4
    assert assign_seats(PERUDO, "Tim", [], None, "7")[0].bots[1:] == DEFAULT_BOTS


def test_no_bot_has_the_name_of_the_human() -> None:
    assert assign_seats(PERUDO, "ann", [], 2, "7")[1] == ["ann", BOT_NAMES[1]]


def test_no_bot_has_a_name_that_looks_like_the_humans() -> None:
    assert assign_seats(PERUDO, "\u0410nn", [], 2, "7")[1] == ["\u0410nn", BOT_NAMES[1]]


@pytest.mark.parametrize("name", ["", "A\u200bnn", "A\u202enn"])
def test_a_human_has_a_name_that_everybody_can_see(name: str) -> None:
    with pytest.raises(InvalidNameError, match="all of them visible"):
        assign_seats(PERUDO, name, [], 2, "7")


def test_a_human_called_you_too_many_seats_and_an_unknown_bot_are_refused() -> None:
    with pytest.raises(MalformedError, match="cannot be called 'YOU'"):
        assign_seats(PERUDO, "YOU", [], 2, "7")
    with pytest.raises(UnavailableError, match="at most 16 seats, not 17"):
        assign_seats(PERUDO, "Tim", [], 17, "7")
    with pytest.raises(LiarsDiceError, match="no bot is called 'nobody'"):
        assign_seats(PERUDO, "Tim", ["nobody"], 2, "7")


def test_other_bots_take_over_the_seats_of_bots_only() -> None:
    seats = Seats(1, ("random", "", "random", "greedy"), "7")
    assert replace_bots(seats, ["threshold", "greedy"]) == Seats(1, ("threshold", "", "greedy", "threshold"), "7")


def test_a_record_without_seats_has_the_human_first_and_the_default_bots() -> None:
    assert default_seats(["Tim", "Ann", "Bo"], "7") == Seats(0, ("", DEFAULT_BOTS[1], DEFAULT_BOTS[2]), "7")


def test_every_seat_but_the_humans_gets_a_bot() -> None:
    assert set(make_bots(Seats(1, ("random", "", "greedy"), "7"), 0)) == {0, 2}


def test_the_menu_describes_every_preset() -> None:
    assert [offer.rules for offer in MENU if "+" not in offer.rules] == list(preset_names())
    assert all(len(offer.line) <= 67 for offer in MENU)  # a line of the menu, 80 columns wide
