"""Records are refused with the line that is wrong, and unfinished ones are told from damaged ones."""

import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.engine.engine import match_started
from liarsdice.core.errors import RecordError, UnfinishedError
from liarsdice.core.records.record import PROTOCOL, Fairness, read_record, write_record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.play.match import Dealer, Match


def test_a_wrong_first_event_is_found_on_its_line() -> None:
    text = (
        '{"record":"liarsdice_record","format":1,"engine":"0"}\n{"type":"match_started","ruleset":{},"names":["A"]}\n'
    )
    with pytest.raises(RecordError, match="line 2: Liar's Dice seats"):
        read_record(text)
    with pytest.raises(RecordError, match="line 1: the record has format 3"):
        read_record(text.replace('"format":1', '"format":3'))
    with pytest.raises(RecordError, match=r"line 2: .*unknown field"):
        read_record(text.replace('"names":["A"]', '"names":["A","B"],"seat":1'))


def test_a_record_that_ends_in_the_middle_of_a_call_is_unfinished_and_not_just_wrong() -> None:
    match = Match(preset("basic").ruleset, ("Ann", "Bo"), Dealer(1))
    while match.waits_for_dealer:
        match.deal()
    match.act(match.state.turn, Bid(1, 2))
    match.act(match.state.turn, Challenge())
    lines = write_record(match.events, "0").splitlines(keepends=True)
    with pytest.raises(UnfinishedError, match=f"line {len(lines)}: the record stops in the middle"):
        read_record("".join(lines[:-1]))
    with pytest.raises(RecordError) as wrong:
        read_record("".join([*lines[:-2], lines[-1]]))
    assert not isinstance(wrong.value, UnfinishedError)


def test_the_source_of_the_dice_is_kept_with_the_match() -> None:
    fairness = Fairness(PROTOCOL, "ABCD", 1, "c" * 64, "5" * 64, ("mine", ""), ("p" * 64, ""), "")
    text = write_record([match_started(preset("basic").ruleset, ("Ann", "Bo"))], "0", fairness)
    assert text.splitlines()[1].startswith('{"record":"liarsdice_fairness",')
    assert read_record(text).fairness == fairness
