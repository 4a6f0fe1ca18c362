"""Messages are one printable line, whatever they quote."""

import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.errors import LiarsDiceError, MalformedError, RecordError, RulesetError, UnfinishedError
from liarsdice.core.records.record import read_record, write_record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset_io import from_json, from_toml
from liarsdice.play.dealer import Dealer
from liarsdice.play.match import Match

STEERING = "\\u001b]0;mine\\u0007\\u001b[2J"


@pytest.mark.parametrize("text", [f'"{STEERING}" = 1', f'[dice]\n"{STEERING}" = 1', f'[bidding]\nraise = "{STEERING}"'])
def test_a_file_of_rules_cannot_steer_the_terminal_by_what_it_is_refused_for(text: str) -> None:
    with pytest.raises(LiarsDiceError) as refused:
        from_toml(text)
    assert str(refused.value).isprintable()


def test_a_record_cannot_either() -> None:
    with pytest.raises(RecordError) as refused:
        read_record(f'{{"record":"{STEERING}","format":1,"engine":"0"}}\n')
    assert str(refused.value).isprintable()
    with pytest.raises(MalformedError) as malformed:
        from_json(f'{{"{STEERING}": 1}}')
    assert str(malformed.value).isprintable()


def test_wildness_that_ends_with_an_opening_needs_a_face_that_may_open() -> None:
    rules = """
        wilds = { special_is_wild = true, suspended_by = ["opening_bid_on_special"] }
        bidding.special_may_open = "special_round_only"
    """
    with pytest.raises(RulesetError, match="opening_bid_on_special"):
        from_toml(rules)
    assert from_toml(rules + "special_round.repeat = 'every_time'").special_round is not None


def test_a_wrong_first_event_is_found_on_its_line() -> None:
    text = (
        '{"record":"liarsdice_record","format":1,"engine":"0"}\n{"type":"match_started","ruleset":{},"names":["A"]}\n'
    )
    with pytest.raises(RecordError, match="line 2: Liar's Dice seats"):
        read_record(text)
    with pytest.raises(RecordError, match="line 1: the record has format 2"):
        read_record(text.replace('"format":1', '"format":2'))
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
