"""A match is its event log: everything can be had back from it."""

from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.engine.engine import replay
from liarsdice.core.records.record import read_record, rejudge, write_record
from liarsdice.core.rules.ruleset import Ruleset
from tests.laws.playing import MOST_STEPS, played
from tests.laws.strategies import seeds, tables

any_length = st.integers(0, 60) | st.just(MOST_STEPS)


@given(tables(), seeds, any_length)
def test_events_folded_again_give_the_live_state(table: tuple[Ruleset, int], seed: int, length: int) -> None:
    match = played(*table, seed, length)
    assert replay(match.events) == match.state


@given(tables(), seeds, any_length)
def test_a_record_reads_back_as_the_same_events_and_state(table: tuple[Ruleset, int], seed: int, length: int) -> None:
    match = played(*table, seed, length)
    text = write_record(match.events, "1.2.3")
    record = read_record(text)
    assert (record.engine, record.events, record.state) == ("1.2.3", match.events, match.state)
    assert write_record(record.events, record.engine) == text


@given(tables(), seeds, any_length)
def test_every_event_follows_from_an_action_that_is_judged_again(
    table: tuple[Ruleset, int], seed: int, length: int
) -> None:
    match = played(*table, seed, length)
    assert rejudge(match.events) == match.state


@given(tables(), seeds)
def test_the_same_seed_plays_the_same_match(table: tuple[Ruleset, int], seed: int) -> None:
    assert played.__wrapped__(*table, seed, 40) == played(*table, seed, 40)
