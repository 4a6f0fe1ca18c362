"""Skill over many matches: an interval that shrinks, and how many more matches would settle it."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.analysis.luck import (
    MAX_MORE_MATCHES,
    MIN_MATCHES,
    RATIOS,
    estimate_skill,
    gain_without_luck,
    match_account,
    matches_to_tell,
)
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match


def test_nothing_is_said_of_few_matches() -> None:
    skill = estimate_skill([0.5] * (MIN_MATCHES - 1))
    assert (skill.gain, skill.error, skill.more_matches, skill.is_settled) == (None, None, 1, False)


def test_the_named_number_of_matches_settles_it() -> None:
    gains = [0.55, -0.45] * 50
    skill = estimate_skill(gains)
    assert skill.gain == pytest.approx(0.05)
    assert skill.more_matches is not None
    assert not skill.is_settled
    more = [*gains, *[0.55, -0.45] * (skill.more_matches // 2 + 5)]
    assert estimate_skill(more).is_settled
    fewer = [*gains, *[0.55, -0.45] * (skill.more_matches // 2 - 5)]
    assert not estimate_skill(fewer).is_settled


@pytest.mark.parametrize("last", [-0.5, -0.5 + 1e-12, -0.499])
def test_a_gain_that_is_nearly_zero_has_no_number_of_matches(last: float) -> None:
    skill = estimate_skill([*[0.5, -0.5] * (MIN_MATCHES // 2 - 1), 0.5, last])
    assert skill.more_matches is None
    assert not skill.is_settled
    assert estimate_skill([1e-300, *[0.5, -0.5] * MIN_MATCHES]).more_matches is None


def test_a_number_of_matches_is_at_most_the_largest() -> None:
    more = estimate_skill([0.5, -0.5] * 49 + [0.5, 0.2]).more_matches
    assert more is not None
    assert 0 < more <= MAX_MORE_MATCHES


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        skill = estimate_skill((0.03 + rng.normal(0, 0.4, 100)).tolist())
        assert skill.gain is not None
        assert skill.error is not None
        held += abs(skill.gain - 0.03) <= skill.error
    assert 0.92 <= held / 400 <= 0.98


def test_a_player_who_plays_at_random_falls_short_of_an_even_share() -> None:
    rules = preset("basic").ruleset
    played = [play_match(rules, ["random", "inference"], seed=seed).events for seed in range(MIN_MATCHES)]
    accounts = [match_account(events) for events in played]
    worse, better = (estimate_skill([gain_without_luck(account, seat) for account in accounts]) for seat in (0, 1))
    assert worse.is_settled
    assert better.is_settled
    assert worse.gain is not None
    assert better.gain is not None
    assert worse.gain < -0.3
    assert worse.gain + better.gain == pytest.approx(0)


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_so_many_matches_tell_a_better_player_four_times_in_five(seats: int) -> None:
    rng = np.random.default_rng(seats)
    p = 1 / seats
    spread = np.sqrt(p * (1 - p) / RATIOS[seats])
    gains = rng.normal(0.05, spread, (400, matches_to_tell(seats)))
    settled = [estimate_skill(row.tolist()) for row in gains]
    told = sum(skill.is_settled and (skill.gain or 0) > 0 for skill in settled)
    assert 0.74 <= told / len(settled) <= 0.86


def test_at_numbers_of_seats_that_were_not_measured_the_next_smaller_one_counts() -> None:
    assert matches_to_tell(6) < matches_to_tell(5) < matches_to_tell(4) < matches_to_tell(2)
