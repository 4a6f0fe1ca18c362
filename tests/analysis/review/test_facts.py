"""The facts of a match are those of its record."""

from __future__ import annotations

import pytest

from liarsdice.analysis.review.decisions import decisions_of
from liarsdice.analysis.review.facts import match_facts
from liarsdice.core.errors import UnfinishedError
from liarsdice.core.events import Challenged, Dealt, Revealed, RoundStarted, SpecialDeclared
from liarsdice.core.records.record import Record, read_record, write_record
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match


@pytest.fixture(scope="module")
def record() -> Record:
    match = play_match(preset("perudo").ruleset, ["random"] * 3, ["Ann", "Bo", "Cy"], seed=2)
    return read_record(write_record(match.events, "0.1.0"))


def test_every_round_has_its_hands_and_how_it_ended(record: Record) -> None:
    rounds = match_facts(record).rounds
    started = [event for event in record.events if isinstance(event, RoundStarted)]
    dealt = [event.hands for event in record.events if isinstance(event, Dealt)]
    revealed = [event.count for event in record.events if isinstance(event, Revealed)]
    assert [(facts.number, facts.starter, facts.special_seat) for facts in rounds] == [
        (event.number, event.starter, event.special_seat) for event in started
    ]
    assert [facts.hands for facts in rounds] == dealt
    assert [facts.count for facts in rounds] == revealed
    challenged = sum(isinstance(event, Challenged) for event in record.events)
    assert sum(not facts.exact for facts in rounds) == challenged


def test_a_round_that_its_opener_declares_special_is_a_special_one() -> None:
    match = play_match(preset("perudo+declared-palifico").ruleset, ["novice"] * 3, ["Ann", "Bo", "Cy"], seed=2)
    record = read_record(write_record(match.events, "0.1.0"))
    declared = [event.seat for event in record.events if isinstance(event, SpecialDeclared)]
    assert declared
    assert [facts.special_seat for facts in match_facts(record).rounds if facts.special_seat is not None] == declared


def test_the_decisions_are_those_that_are_reviewed(record: Record) -> None:
    facts = match_facts(record)
    assert [(decision.number, decision.seat, decision.move) for decision in facts.decisions] == [
        (decision.number, decision.seat, decision.move) for decision in decisions_of(record.events)
    ]
    assert facts.winners == record.state.winners


def test_a_match_that_is_not_over_has_no_facts(record: Record) -> None:
    with pytest.raises(UnfinishedError, match="only finished matches"):
        match_facts(read_record(write_record(record.events[:4], "0.1.0")))
