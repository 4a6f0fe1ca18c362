"""Win shares: strong and weak networks, equal opponents, and too many seats."""

from __future__ import annotations

import pytest
import torch

from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.features import FEATURE_COUNT
from liarsdice.bots.neural.network import Network
from liarsdice.core.errors import UnavailableError
from liarsdice.sim.policies import ThresholdPolicy
from liarsdice.train.evaluate import win_share
from liarsdice.train.model import PolicyNetwork, export_network


def untrained_network() -> Network:
    """A small network, which decides faster than the champion."""
    torch.manual_seed(5)
    return export_network(PolicyNetwork(FEATURE_COUNT, 16, 1))


def test_a_trained_network_wins_more_than_an_untrained_one() -> None:
    assert win_share(untrained_network(), "joker", 2, ThresholdPolicy(0.4), 200) < 0.2
    assert win_share(champion_network(1), "joker", 2, ThresholdPolicy(0.4), 200) > 0.5


def test_a_network_against_itself_wins_one_part_of_as_many_as_there_are_seats() -> None:
    network = untrained_network()
    assert win_share(network, "perudo", 2, network, 2000) == pytest.approx(1 / 2, abs=0.04)
    assert win_share(network, "perudo", 4, network, 2000) == pytest.approx(1 / 4, abs=0.04)


def test_more_seats_than_a_network_supports_are_refused() -> None:
    with pytest.raises(UnavailableError, match="tables of up to 8, not of 9"):
        win_share(champion_network(1), "perudo", 9, champion_network(1), 2)
    assert 0 <= win_share(champion_network(1), "perudo", 8, champion_network(1), 2) <= 1
