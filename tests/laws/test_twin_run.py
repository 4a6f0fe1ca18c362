"""The run of many matches beside the reference engine counts what it compares, and finds a fault."""

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.engine.engine import replay
from liarsdice.core.records.record import read_record, verify_events, write_record
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from tests.laws import test_settling
from tests.laws.random_matches import MAX_STEPS, random_match
from tests.laws.random_rulesets import seeds, tables
from tests.laws.reference_engine import CallOutcome, settle_call
from tests.laws.twin_run import chosen, compare


def test_a_run_counts_matches_and_what_both_engines_judged() -> None:
    report = compare(6, seed=1, slow_every=3)
    assert (report.matches, report.slow_matches, report.differences) == (6, 2, 0)
    assert report.judgements > report.actions > 0
    assert sum(count for choice, count in report.choices.items() if choice.startswith("loss.mode=")) == 6


def test_the_choices_of_rules_are_told_one_by_one_also_those_of_lists() -> None:
    choices = chosen(preset("cacho").ruleset)
    assert {"wilds.suspended_by=special_round", "wilds.suspended_by=opening_challenge"} <= choices
    assert {"special_round.visibility=closed", "loss.mode=fixed", "loss.lives=None"} <= choices
    assert {"penalties.trigger=asks_whose_turn", "penalties.trigger=asks_dice_left"} <= chosen(preset("chart").ruleset)


def test_a_difference_is_counted_and_told_with_the_rules_that_show_it(capsys: pytest.CaptureFixture[str]) -> None:
    def wrong(*arguments: object, **options: object) -> CallOutcome:
        outcome = settle_call(*arguments, **options)  # type: ignore[arg-type]
        outcome.counted = [count + 1 for count in outcome.counted]
        return outcome

    with patch.object(test_settling, "settle_call", wrong):
        report = compare(2, seed=1, slow_every=3)
    assert report.differences > 0
    told = capsys.readouterr().err
    assert "test_any_call_at_any_time_is_settled_as_the_rule_sheets_say" in told
    assert "[loss]" in told


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
