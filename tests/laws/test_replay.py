"""A match is its event log: the state and the record can be derived from it."""

from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.engine.engine import replay
from liarsdice.core.records.record import read_record, verify_events, write_record
from liarsdice.core.rules.ruleset import Ruleset
from tests.laws.random_matches import MAX_STEPS, random_match
from tests.laws.random_rulesets import seeds, tables

any_length = st.integers(0, 60) | st.just(MAX_STEPS)


@given(tables(), seeds, any_length)
def test_replayed_events_give_the_live_state(table: tuple[Ruleset, int], seed: int, length: int) -> None:
    match = random_match(*table, seed, length)
    assert replay(match.events) == match.state


@given(tables(), seeds, any_length)
def test_a_record_reads_back_as_the_same_events_and_state(table: tuple[Ruleset, int], seed: int, length: int) -> None:
    match = random_match(*table, seed, length)
    text = write_record(match.events, "1.2.3")
    record = read_record(text)
    assert (record.engine, record.events, record.state) == ("1.2.3", match.events, match.state)
    assert write_record(record.events, record.engine) == text


@given(tables(), seeds, any_length)
def test_every_event_follows_from_an_action_that_is_judged_again(
    table: tuple[Ruleset, int], seed: int, length: int
) -> None:
    match = random_match(*table, seed, length)
    assert verify_events(match.events) == match.state


@given(tables(), seeds)
def test_the_same_seed_plays_the_same_match(table: tuple[Ruleset, int], seed: int) -> None:
    assert random_match.__wrapped__(*table, seed, 40) == random_match(*table, seed, 40)
