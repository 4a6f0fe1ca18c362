"""Networks: probabilities over legal actions, files that are read back, and files that are refused."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.features import ACTION_COUNT, FEATURE_COUNT
from liarsdice.bots.neural.network import Network, read_network


def random_network(*sizes: int) -> Network:
    """Return a network with random weights and layers of these sizes."""
    generator = np.random.default_rng(1)
    weights = [generator.normal(size=shape).astype(np.float32) for shape in pairwise(sizes)]
    return Network(weights, [np.zeros(size, np.float32) for size in sizes[1:]], 0.1)


def test_probabilities_add_up_to_1_over_legal_actions() -> None:
    generator = np.random.default_rng(2)
    features = generator.random((7, FEATURE_COUNT), np.float32)
    action_mask = generator.random((7, ACTION_COUNT)) < 0.5
    probs = champion_network().action_probs(features, action_mask)
    assert probs.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert (probs[~action_mask] == 0).all()


def test_unlikely_actions_are_dropped_and_the_others_scaled() -> None:
    network = random_network(FEATURE_COUNT, ACTION_COUNT)
    probs = np.array([[0.6, 0.33, 0.07], [0.9, 0.05, 0.05]], np.float32)
    kept = network.drop_unlikely(probs)
    assert kept[0] == pytest.approx([0.6, 0.33, 0.07])
    assert kept[1] == pytest.approx([1, 0, 0])


def test_a_saved_network_is_read_back_in_half_precision(tmp_path: Path) -> None:
    network = random_network(FEATURE_COUNT, 8, ACTION_COUNT)
    network.save(tmp_path / "network.npz")
    read = read_network(tmp_path / "network.npz")
    assert read.min_prob_ratio == 0.1
    for weight, original in zip(read.weights, network.weights, strict=True):
        assert weight == pytest.approx(original, abs=2e-3, rel=2e-3)


@pytest.mark.parametrize("sizes", [(FEATURE_COUNT, ACTION_COUNT + 1), (FEATURE_COUNT - 1, ACTION_COUNT)])
def test_a_network_of_other_sizes_is_refused(tmp_path: Path, sizes: tuple[int, ...]) -> None:
    random_network(*sizes).save(tmp_path / "network.npz")
    with pytest.raises(ValueError, match="another kind of network"):
        read_network(tmp_path / "network.npz")


def test_a_file_without_weights_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", values=np.zeros(3))
    with pytest.raises(ValueError, match="holds no network"):
        read_network(tmp_path / "other.npz")
