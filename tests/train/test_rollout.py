"""Rollouts: generalised advantage estimates, and the experience of tables with opponents and teachers."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from liarsdice.bots.neural.batch_observation import BatchObserver
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.features import FEATURE_COUNT, BoolArray, FloatArray, IntArray, Observation
from liarsdice.core.rules.presets import preset
from liarsdice.sim.policies import ExternalPolicy, ThresholdPolicy
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.train.model import WHOLE_CHAMPION
from liarsdice.train.rollout import TableSetup, TrainingTable, compute_gae
from liarsdice.values.playouts import RoundPlays
from tests.train.training_configs import FirstLegalPolicy

LATEST_CHAMPION = "champion@7"


def test_advantages_equal_those_of_a_plain_recursion_over_each_seat_s_decisions() -> None:
    rng = np.random.default_rng(1)
    steps, matches, seat_count, gae_lambda = 12, 5, 3, 0.8
    seats = rng.integers(0, seat_count, (steps, matches))
    over = rng.random((steps, matches)) < 0.2
    eliminated = rng.random((steps, matches, seat_count)) < 0.1
    rewards = np.where(over[:, :, np.newaxis], rng.random((steps, matches, seat_count)), 0).astype(np.float32)
    values = rng.random((steps, matches)).astype(np.float32)
    advantages, returns, known = compute_gae(seats, over, eliminated, rewards, values, gae_lambda)
    for match in range(matches):
        for step in range(steps):
            expected = _plain_advantage(step, match, seats, over, eliminated, rewards, values, gae_lambda)
            assert known.reshape(steps, matches)[step, match] == (expected is not None)
            if expected is not None:
                assert advantages[step, match] == pytest.approx(expected, abs=1e-5)
                assert returns[step, match] == pytest.approx(expected + values[step, match], abs=1e-5)


def _plain_advantage(
    step: int,
    match: int,
    seats: IntArray,
    over: BoolArray,
    eliminated: BoolArray,
    rewards: FloatArray,
    values: FloatArray,
    gae_lambda: float,
) -> float | None:
    """Return the advantage of one decision by its recursive definition, or None if its return is not known."""
    seat = seats[step, match]
    for later in range(step, len(seats)):
        if over[later, match] or eliminated[later, match, seat]:
            return float(rewards[later, match, seat] - values[step, match])
        if later + 1 < len(seats) and seats[later + 1, match] == seat:
            delta = float(values[later + 1, match] - values[step, match])
            next_advantage = _plain_advantage(later + 1, match, seats, over, eliminated, rewards, values, gae_lambda)
            return delta + gae_lambda * (next_advantage or 0.0)
    return None


def test_a_table_continues_its_matches_and_returns_experience() -> None:
    policy = FirstLegalPolicy()
    table = TrainingTable(
        TableSetup(preset("perudo").ruleset, (ExternalPolicy(), ThresholdPolicy(0.4), ExternalPolicy()), 8), seed=3
    )
    first, second = table.play(40, policy, 1.0), table.play(40, policy, 1.0)
    assert policy.decisions == 2 * 40 * 8
    for experience in (first, second):
        assert 0.7 * 320 <= len(experience.actions) <= 320
        assert experience.features.shape == (len(experience.actions), FEATURE_COUNT)
        assert experience.action_mask[np.arange(len(experience.actions)), experience.actions].all()
        assert set(np.unique(experience.returns)) <= {0, 1}  # all values are 0, so that only rewards count


def test_opponents_play_and_do_not_learn() -> None:
    policy = FirstLegalPolicy()
    table = TrainingTable(TableSetup(preset("perudo").ruleset, (ExternalPolicy(),) * 3, 8, "champion@5", 2), seed=3)
    experience = table.play(60, policy, 1.0)
    assert policy.decisions == 60 * 8
    assert len(experience.actions) > 0.5 * 60 * 8
    assert experience.returns.mean() < 0.1  # the first legal action loses to them


@pytest.mark.parametrize("rules", ["perudo", "official"])
def test_a_match_of_opponents_alone_is_not_played_on(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where seats may call out of turn, so that the bid of one may wait for the answer of another."""
    observed: list[BoolArray] = []

    class WatchingObserver(BatchObserver):
        def __init__(self, env: VectorEnv) -> None:
            super().__init__(env)
            self.env = env

        def observe(self, seats: NDArray[np.int32], matches: IntArray | None = None) -> Observation:
            rows = np.arange(len(seats)) if matches is None else matches
            observed.append((self.env.dice[rows, 0] > 0) & ~self.env.over[rows])
            return super().observe(seats, matches)

    monkeypatch.setattr("liarsdice.train.rollout.BatchObserver", WatchingObserver)
    table = TrainingTable(TableSetup(preset(rules).ruleset, (ExternalPolicy(),) * 4, 12, "champion@5", 3), seed=3)
    experience = table.play(40, FirstLegalPolicy(), 1.0)
    assert len(experience.actions) > 0.5 * 40 * 12
    assert set(np.unique(experience.returns)) <= {0, 1}
    assert np.concatenate(observed).all()


@pytest.mark.parametrize("opponent, plays_rounds", [(WHOLE_CHAMPION, True), (LATEST_CHAMPION, False)])
def test_only_the_whole_champion_plays_its_solved_rounds(
    opponent: str, plays_rounds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = 0

    class CountingRoundPlays(RoundPlays):
        def draw(self, matches: IntArray, draws: NDArray[np.float64]) -> tuple[BoolArray, NDArray[np.int32]]:
            nonlocal played
            is_played, actions = super().draw(matches, draws)
            played += int(is_played.sum())
            return is_played, actions

    monkeypatch.setattr("liarsdice.train.rollout.RoundPlays", CountingRoundPlays)
    setup = TableSetup(preset("openspiel").ruleset, (ExternalPolicy(),) * 2, 8, opponent, 1)
    experience = TrainingTable(setup, seed=3).play(20, FirstLegalPolicy(), 0.5)
    assert len(experience.actions) > 50
    assert (played > 50) is plays_rounds


def test_a_teacher_s_probabilities_are_those_for_what_learners_see() -> None:
    setup = TableSetup(
        preset("perudo").ruleset, (ExternalPolicy(), ThresholdPolicy(0.4), ExternalPolicy()), 8, teacher=LATEST_CHAMPION
    )
    taught = TrainingTable(setup, seed=3).play(30, FirstLegalPolicy(), 0.5)
    assert len(taught.teacher_probs) == len(taught.actions) > 100
    probs = champion_network().action_probs(taught.features, taught.action_mask)
    assert taught.teacher_probs == pytest.approx(probs, abs=1e-6)
    untaught = TrainingTable(TableSetup(setup.rules, setup.policies, 8), seed=3).play(30, FirstLegalPolicy(), 0.5)
    assert np.array_equal(untaught.features, taught.features)
    assert untaught.teacher_probs.shape == taught.teacher_probs.shape
    assert not untaught.teacher_probs.any()
