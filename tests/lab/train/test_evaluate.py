"""Win shares: strong and weak networks, equal opponents, and too many seats."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.features import FEATURE_COUNT
from liarsdice.bots.neural.network import Network
from liarsdice.sim.policies import ThresholdPolicy
from liarsdice_lab.train.config import TrainingConfig
from liarsdice_lab.train.curriculum import own_bot_tables
from liarsdice_lab.train.model import PolicyNetwork, export_network
from liarsdice_lab.train.trainer import EVALUATIONS, evaluate, evaluations_of, win_share


def untrained_network() -> Network:
    """A small network, which decides faster than the champion."""
    torch.manual_seed(5)
    return export_network(PolicyNetwork(FEATURE_COUNT, 16, 1))


def test_a_trained_network_wins_more_than_an_untrained_one() -> None:
    assert win_share(untrained_network(), "joker", 2, ThresholdPolicy(0.4), 200) < 0.2
    assert win_share(champion_network(), "joker", 2, ThresholdPolicy(0.4), 200) > 0.5


def test_a_network_against_itself_wins_one_part_of_as_many_as_there_are_seats() -> None:
    network = untrained_network()
    assert win_share(network, "perudo", 2, network, 2000) == pytest.approx(1 / 2, abs=0.04)
    assert win_share(network, "perudo", 4, network, 2000) == pytest.approx(1 / 4, abs=0.04)


def test_a_network_plays_at_tables_with_more_seats_than_it_was_trained_for() -> None:
    assert 0 <= win_share(champion_network(), "perudo", 9, champion_network(), 2) <= 1


def test_a_run_of_all_presets_is_measured_as_the_champion_was() -> None:
    assert evaluations_of(TrainingConfig()) == EVALUATIONS


def test_strength_is_measured_on_the_rules_that_a_run_learns(tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text('extends = "perudo"\n[dice]\nper_player = 2\n[players]\nmin = 3\n', encoding="utf-8")
    evaluations = evaluations_of(TrainingConfig(rules=("joker", "bluff", str(house))))
    assert {rules for rules, _, _ in evaluations.values()} == {"joker", "bluff", str(house)}
    assert [name for name in evaluations if name.startswith("bluff")] == [
        "bluff, 2, inference",
        "bluff, 4, inference",
        "bluff, 2, champion@5",
    ]
    assert [seats for rules, seats, _ in evaluations.values() if rules == str(house)] == [3, 4, 3]
    shares = evaluate(untrained_network(), 4, {k: v for k, v in evaluations.items() if v[0] == str(house)})
    assert all(0 <= share <= 1 for share in shares.values())


def test_rules_whose_odds_are_not_compiled_are_measured_against_random_moves(tmp_path: Path) -> None:
    house = tmp_path / "natural.toml"
    house.write_text('extends = "snyd-stairs"\nwilds.needs_natural = true\n', encoding="utf-8")
    assert own_bot_tables(str(house)) == []
    names = [f"{house}, 2, random", f"{house}, 2, champion@5"]
    assert list(evaluations_of(TrainingConfig(rules=(str(house),)))) == names
