"""A match in progress: its log and state change together, and it continues from its record."""

from __future__ import annotations

import pytest

from liarsdice.core.engine.engine import replay
from liarsdice.core.errors import IllegalActionError
from liarsdice.core.records.record import read_record, write_record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.play.match import Dealer, Match
from liarsdice.version import __version__

BASIC = preset("basic").ruleset


def opened_match() -> Match:
    """Return a match of two after its first bid."""
    match = Match(BASIC, ["Ann", "Bo"], Dealer(1))
    while match.waits_for_dealer:
        match.deal()
    match.act(match.state.turn, Bid(1, 3))
    return match


def test_the_state_is_that_of_the_log() -> None:
    match = opened_match()
    assert replay(match.events) == match.state
    assert not match.is_over


def test_an_illegal_action_changes_nothing() -> None:
    match = opened_match()
    events, state = list(match.events), match.state
    with pytest.raises(IllegalActionError):
        match.act(match.state.turn, Bid(1, 2))
    assert (match.events, match.state) == (events, state)


def test_a_match_continues_from_its_record() -> None:
    match = opened_match()
    resumed = Match.from_record(read_record(write_record(match.events, __version__)), Dealer(2))
    assert (resumed.events, resumed.state) == (match.events, match.state)
    resumed.act(resumed.state.turn, Bid(2, 3))
    assert resumed.view(None).bid == Bid(2, 3)
