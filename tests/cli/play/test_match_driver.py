"""The driver of a match: what comes next, and what each step does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from liarsdice.cli.options import PlayOptions
from liarsdice.cli.play.match_driver import MatchDriver, NextStep
from liarsdice.cli.play.session import Session
from liarsdice.core.actions import Challenge
from liarsdice.core.errors import IllegalActionError
from liarsdice.core.events import BidMade
from liarsdice.core.records.record import read_record
from liarsdice.core.rules.bids import Bid


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[MatchDriver]:
    """A match of the chart rules against a random bot, before the first roll."""
    options = PlayOptions(rules="chart", seats=2, bots="random", seed=1, record=tmp_path / "match.jsonl")
    driver = Session(options).start()
    yield driver
    driver.close()


def play_to_own_turn(driver: MatchDriver) -> None:
    while driver.next_step not in {NextStep.OWN_TURN, NextStep.OVER}:
        match driver.next_step:
            case NextStep.BOTS:
                driver.bots_act()
            case NextStep.CALL_OUT_OF_TURN:
                driver.let_bid_stand()
            case _:
                driver.deal()


def test_a_match_begins_with_the_dealer_and_comes_to_the_humans_turn(driver: MatchDriver) -> None:
    assert driver.next_step is NextStep.DEAL
    play_to_own_turn(driver)
    assert driver.view.on_turn


def test_each_step_is_saved_before_it_is_returned(driver: MatchDriver) -> None:
    play_to_own_turn(driver)
    bid = Bid(9, 6)
    events = driver.act(bid)
    assert events == [BidMade(0, bid)]
    assert driver.events[-1] == BidMade(0, bid)
    saved = read_record(driver.path.read_bytes())
    assert saved.events[-1] == BidMade(0, bid)
    assert len(saved.events) == len(driver.events)


def test_an_illegal_move_changes_nothing(driver: MatchDriver) -> None:
    play_to_own_turn(driver)
    events, record = list(driver.events), driver.path.read_bytes()
    with pytest.raises(IllegalActionError) as caught:
        driver.act(Bid(1, 9))
    assert "names face 9" in driver.error_text(caught.value)
    assert (driver.events, driver.path.read_bytes()) == (events, record)


def test_the_human_is_addressed_as_you_in_refusals(driver: MatchDriver) -> None:
    assert driver.error_text(IllegalActionError("Player may not bid: wait")) == "you may not bid: wait"
    assert driver.error_text(IllegalActionError("bid 1x2 is too low")) == "bid 1x2 is too low"


def test_a_match_driven_to_its_end_is_over(driver: MatchDriver) -> None:
    for _ in range(500):
        if driver.next_step is NextStep.OVER:
            break
        play_to_own_turn(driver)
        if driver.next_step is NextStep.OWN_TURN:
            driver.act(Challenge() if driver.view.may_challenge else driver.view.may_bid[0])
    assert driver.next_step is NextStep.OVER
    assert driver.view.winners
    assert read_record(driver.path.read_bytes()).state.winners == driver.view.winners
