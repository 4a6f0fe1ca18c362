"""Simulated matches of the rules lab."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.analysis.rules_lab.simulate import (
    MatchSample,
    join_samples,
    judge_name,
    pack_samples,
    simulate_matches,
    unpack_samples,
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


def test_packed_samples_hold_the_same_numbers(perudo: MatchSample) -> None:
    first, second = unpack_samples(pack_samples([perudo, perudo]))
    for field in MatchSample.__struct_fields__:
        for unpacked in (first, second):
            np.testing.assert_array_equal(getattr(unpacked, field), getattr(perudo, field))


def test_every_match_is_won_once_and_luck_is_nobodys_in_sum(perudo: MatchSample) -> None:
    assert perudo.results.sum(axis=1) == pytest.approx(1)
    assert perudo.luck.sum(axis=1) == pytest.approx(0, abs=1e-9)
    assert 0.01 < np.abs(perudo.luck).mean() < 0.3
    assert np.abs(perudo.luck.mean(axis=0)).max() < 4 * perudo.luck.std() / np.sqrt(len(perudo.luck))


def test_right_exact_calls_are_some_of_those_that_were_made(perudo: MatchSample) -> None:
    assert (perudo.exact_right <= perudo.exact_calls).all()
    assert perudo.exact_calls.sum() > perudo.exact_right.sum() > 0
    assert (perudo.rounds >= 5).all()


def test_dice_with_many_faces_are_played_by_exact_odds() -> None:
    rules = patched(PERUDO, dice__faces=8)
    assert judge_name(rules) == "inference"
    sample = sample_of(rules, 20)
    assert (sample.rounds >= 5).all()
    assert (sample.exact_right <= sample.exact_calls).all()
    assert np.abs(sample.luck).mean() > 0.01
