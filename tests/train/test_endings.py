"""Ends of matches: what the newest champion wins with two players left, and tables that end there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from liarsdice.bots.neural.features import FloatArray
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy, Policy, ThresholdPolicy
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.train.rollout import Endings, TableSetup, TrainingTable, champion_shares
from tests.train.training_configs import FirstLegalPolicy

PERUDO = preset("perudo").ruleset


@pytest.mark.parametrize("opponent", [ThresholdPolicy(0.4), "champion@5"])
def test_the_champion_wins_more_with_more_dice(opponent: Policy | str, tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text('extends = "perudo"\n[dice]\nper_player = 2\n', encoding="utf-8")
    shares = champion_shares(find_rules(house), opponent, 100)
    assert shares.shape == (2, 3, 3)
    assert not shares[:, 0].any()
    assert not shares[:, :, 0].any()
    assert (shares[:, 2, 1] > 0.65).all()
    assert (shares[:, 1, 2] < 0.35).all()
    assert ((shares[:, 1, 1] > 0.35) & (shares[:, 1, 1] < 0.75)).all()


def test_an_ending_is_where_two_players_are_left_and_is_worth_what_its_learner_wins() -> None:
    shares = np.random.default_rng(1).random((2, 6, 6)).astype(np.float32)
    shares[:, 0] = 0
    env = VectorEnv(compile_rules(PERUDO, 3), 3, seed=1)
    env.reset(np.ones(3, np.bool_), starters=[0, 2, 1], dice=[[2, 1, 1], [3, 0, 1], [4, 5, 0]])
    endings = Endings(env, 0, shares)
    assert endings.reached().tolist() == [False, True, True]
    assert endings.values(np.array([1, 2])).tolist() == [shares[0, 3, 1], shares[0, 4, 5]]
    env.reset(np.ones(3, np.bool_), starters=[0, 0, 0], dice=[[2, 1, 1], [3, 0, 1], [4, 5, 0]])
    assert endings.values(np.array([2, 1])).tolist() == [shares[1, 4, 5], shares[1, 3, 1]]
    assert Endings(env, 2, shares).values(np.array([2])) == 0  # the learner is out


@pytest.mark.parametrize(
    "policies, opponent, won",
    [
        ((ExternalPolicy(), ThresholdPolicy(0.4), ThresholdPolicy(0.4)), "", {0, 0.25}),
        ((ExternalPolicy(),) * 3, "champion@5", {0, 0.25}),
        ((ExternalPolicy(),) * 3, "", {0, 1}),
    ],
)
def test_matches_of_one_learner_end_with_two_players_left(
    policies: tuple[Policy, ...], opponent: str, won: set[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    def quarters(rules: Ruleset, asked: Policy | str) -> FloatArray:
        assert rules == PERUDO
        assert asked == (opponent or policies[-1])
        return np.full((2, 6, 6), 0.25, np.float32)

    monkeypatch.setattr("liarsdice.train.rollout.champion_shares", quarters)
    setup = TableSetup(PERUDO, policies, 16, opponent, 2 if opponent else 0, ends_with_two=True)
    experience = TrainingTable(setup, seed=3).play(60, FirstLegalPolicy(), 1.0)
    assert len(experience.actions) > 0.5 * 60 * 16
    assert set(np.unique(experience.returns).tolist()) == won  # all values are 0, so that only rewards count
