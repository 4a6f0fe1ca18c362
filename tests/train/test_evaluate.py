"""Win shares: strong and weak networks, equal opponents, and too many seats."""

from __future__ import annotations

import pytest
import torch

from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.features import FEATURE_COUNT
from liarsdice.core.errors import UnavailableError
from liarsdice.sim.policies import ThresholdPolicy
from liarsdice.train.evaluate import win_share
from liarsdice.train.model import PolicyNetwork, export_network


def test_a_trained_network_wins_more_than_an_untrained_one() -> None:
    torch.manual_seed(5)
    untrained = export_network(PolicyNetwork(FEATURE_COUNT, 16, 1))
    assert win_share(untrained, "joker", 2, ThresholdPolicy(0.4), 200) < 0.2
    assert win_share(champion_network(1), "joker", 2, ThresholdPolicy(0.4), 200) > 0.5


def test_a_network_against_itself_wins_one_part_of_as_many_as_there_are_seats() -> None:
    assert win_share(champion_network(1), "perudo", 2, champion_network(1), 2000) == pytest.approx(1 / 2, abs=0.04)
    assert win_share(champion_network(1), "perudo", 4, champion_network(1), 2000) == pytest.approx(1 / 4, abs=0.04)


def test_more_seats_than_a_network_supports_are_refused() -> None:
    with pytest.raises(UnavailableError, match="tables of up to 8, not of 9"):
        win_share(champion_network(1), "perudo", 9, champion_network(1), 2)
    assert 0 <= win_share(champion_network(1), "perudo", 8, champion_network(1), 2) <= 1
