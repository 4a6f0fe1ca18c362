"""The trained networks: what NumPy computes is what PyTorch computes, and actors sample by the probabilities."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from liarsdice.bots.neural.features import ACTION_COUNT, FEATURE_COUNT, NetworkInput
from liarsdice.bots.neural.network import Network
from liarsdice.train.model import HIDDEN_FEATURE_COUNT, Actor, Critic, PolicyNetwork, export_network


def test_an_exported_network_plays_as_the_trained_policy_does(tmp_path: Path) -> None:
    torch.manual_seed(3)
    policy = PolicyNetwork(FEATURE_COUNT, 48, 2)
    for parameter in policy.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    rng = np.random.default_rng(4)
    features = rng.random((64, FEATURE_COUNT)).astype(np.float32)
    action_mask = rng.random((64, ACTION_COUNT)) < 0.5
    action_mask[:, 0] = True
    with torch.inference_mode():
        logits = policy(torch.from_numpy(features), torch.from_numpy(action_mask))
        expected = torch.softmax(logits, dim=1).numpy()
    network = export_network(policy)
    assert network.action_probs(features, action_mask) == pytest.approx(expected, abs=1e-5)
    for ratio in (0.0, 0.05, 0.2):
        saved = Network(network.weights, network.biases, ratio)
        saved.save(tmp_path / "network.npz")
        loaded = Network.load(tmp_path / "network.npz")
        assert loaded.min_prob_ratio == ratio
        assert loaded.action_probs(features, action_mask) == pytest.approx(expected, abs=0.05)
        likely = loaded.drop_unlikely(expected)
        assert (likely.argmax(axis=1) == expected.argmax(axis=1)).all()
        assert ((likely == 0) == (expected < ratio * expected.max(axis=1, keepdims=True)) | (expected == 0)).all()


def test_an_actor_samples_by_the_probabilities() -> None:
    torch.manual_seed(6)
    rows = 4000
    policy, critic = PolicyNetwork(FEATURE_COUNT, 16, 1), Critic(FEATURE_COUNT, 16, 1)
    action_mask = np.zeros((rows, ACTION_COUNT), np.bool_)
    action_mask[:, :4] = True
    inputs = NetworkInput(
        features=np.zeros((rows, FEATURE_COUNT), np.float32),
        quantities=np.zeros((rows, 6, 4), np.int64),
        action_mask=action_mask,
        p_true=action_mask * 0.0,
        ruled_out=np.zeros_like(action_mask),
        needed=np.zeros(rows, np.int64),
        unseen=np.ones(rows, np.int64),
    )
    hidden_features = np.zeros((rows, HIDDEN_FEATURE_COUNT), np.float32)
    actions, log_probs, values = Actor(policy, critic)(inputs, hidden_features, np.random.default_rng(1))
    probs = export_network(policy).action_probs(inputs.features[:1], action_mask[:1])[0]
    assert np.bincount(actions, minlength=4) / rows == pytest.approx(probs[:4], abs=0.03)
    assert np.exp(log_probs) == pytest.approx(probs[actions], abs=1e-5)
    assert values.shape == (rows,)
