"""The rules lab: measures of simulated matches, and what may be said of their change."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.analysis.rules_lab import (
    MatchSample,
    Measure,
    compare,
    join_samples,
    judge_name,
    measure_matches,
    simulate_matches,
)
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset

PERUDO = preset("perudo").ruleset


def sample_of(rules: Ruleset, matches: int, seats: int = 3) -> MatchSample:
    return join_samples(list(simulate_matches(rules, seats, matches, 3)))


@pytest.fixture(scope="module")
def perudo() -> MatchSample:
    return sample_of(PERUDO, 40)


def test_the_same_seed_gives_the_same_matches(perudo: MatchSample) -> None:
    again = sample_of(PERUDO, 40)
    assert all(np.array_equal(getattr(perudo, field), getattr(again, field)) for field in perudo.__struct_fields__)


def test_the_same_rules_show_no_change_and_a_rule_that_halves_matches_does(perudo: MatchSample) -> None:
    assert not any(comparison.changed for comparison in compare(perudo, perudo, 3))
    shorter = sample_of(patched(PERUDO, dice__per_player=2), 40)
    changed = {one.measure for one in compare(perudo, shorter, 3) if one.changed}
    assert {Measure.ROUNDS, Measure.MINUTES} <= changed


def test_right_exact_calls_are_some_of_those_that_were_made(perudo: MatchSample) -> None:
    assert (perudo.exact_right <= perudo.exact_calls).all()
    assert perudo.exact_calls.sum() > perudo.exact_right.sum() > 0
    assert (perudo.rounds >= 5).all()


def test_without_exact_calls_there_is_nothing_to_say_of_them() -> None:
    sample = sample_of(patched(PERUDO, exact_call=None), 4)
    measured = measure_matches(sample, 3)
    assert measured[Measure.EXACT_CALLS].value == 0
    assert measured[Measure.EXACT_RIGHT].value is None
    assert not next(one for one in compare(sample, sample, 3) if one.measure is Measure.EXACT_RIGHT).changed


def test_dice_with_many_faces_are_played_by_exact_odds() -> None:
    rules = patched(PERUDO, dice__faces=8)
    assert judge_name(rules) == "inference"
    sample = sample_of(rules, 20)
    assert (sample.rounds >= 5).all()
    assert (sample.exact_right <= sample.exact_calls).all()


def test_an_interval_is_that_of_a_mean_over_matches() -> None:
    won, ones = np.array([1.0, 0.0, 1.0, 1.0]), np.ones(4)
    measured = measure_matches(MatchSample(won, ones, ones, 2 * ones, won), 2)
    opening = measured[Measure.OPENING]
    assert opening.value == pytest.approx(0.25)
    assert opening.error == pytest.approx(1.959964 * won.std(ddof=1) / 2)
    assert measured[Measure.EXACT_RIGHT].value == pytest.approx(3 / 8)
