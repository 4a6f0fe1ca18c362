"""Every action and match can be written on one line, and actions are read back."""

import pytest

from liarsdice.core.actions import Challenge, Exact, Penalise, SetDirection
from liarsdice.core.bids.notation import MAX_QUOTE_LENGTH, notate, notate_match, parse, parse_bid
from liarsdice.core.errors import NotationError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction, PenaltyTrigger
from liarsdice.core.rules.presets import preset
from liarsdice.play.dealer import Dealer
from liarsdice.play.match import Match


@pytest.mark.parametrize("action", [Bid(5, 4), Challenge(), Exact(), *map(SetDirection, Direction)])
def test_a_written_action_is_read_back(action: Bid | Challenge | Exact | SetDirection) -> None:
    assert parse(notate(action)) == action


def test_a_penalty_is_written_as_its_trigger() -> None:
    assert notate(Penalise(PenaltyTrigger.ASKS_DICE_LEFT)) == "asks_dice_left"


@pytest.mark.parametrize("text", ["5x4", " 5 X 4 ", "5×4", "5*4"])
def test_bids_are_read_with_several_signs_and_spaces(text: str) -> None:
    assert parse_bid(text) == Bid(5, 4)


def test_a_long_text_is_quoted_in_part() -> None:
    with pytest.raises(NotationError) as refused:
        parse("x" * 1000)
    assert len(str(refused.value)) < MAX_QUOTE_LENGTH + 100


def test_a_match_is_one_line() -> None:
    match = Match(preset("basic").ruleset, ("Ann", "Bo"), Dealer(1))
    while match.waits_for_dealer:
        match.deal()
    names, first = match.state.names, match.state.turn
    match.act(first, Bid(10, 6))
    match.act(1 - first, Challenge())
    count = sum(die == 6 for hand in match.state.revealed.hands for die in hand) if match.state.revealed else 0
    line = notate_match(match.events)
    assert line == f"Ann, Bo | 1: {names[first]} 10x6, {names[1 - first]} liar ={count}, {names[first]} -1"
