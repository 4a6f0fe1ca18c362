"""PPO updates: better actions become likelier, stale experience, teachers, and no experience."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
import torch

from liarsdice.bots.neural.features import ACTION_COUNT, BID_ACTIONS, FEATURE_COUNT
from liarsdice_lab.train.config import PPOConfig
from liarsdice_lab.train.model import HIDDEN_FEATURE_COUNT, Critic, PolicyNetwork, export_network
from liarsdice_lab.train.ppo import TEACHING_SHARE, PPOLearner, decayed, learning_rate, magnet_weight
from liarsdice_lab.train.rollout import Experience


def test_an_update_makes_better_actions_likelier() -> None:
    torch.manual_seed(1)
    policy, critic = PolicyNetwork(FEATURE_COUNT, 32, 1), Critic(FEATURE_COUNT, 32, 1)
    rows = 512
    rng = np.random.default_rng(2)
    features = rng.random((rows, FEATURE_COUNT)).astype(np.float32)
    action_mask = np.zeros((rows, ACTION_COUNT), np.bool_)
    action_mask[:, [3, 7, BID_ACTIONS]] = True
    actions = rng.choice([3, 7, BID_ACTIONS], rows)
    advantages = (actions == 7).astype(np.float32)
    experience = Experience(
        features=features,
        hidden_features=np.zeros((rows, HIDDEN_FEATURE_COUNT), np.float32),
        action_mask=action_mask,
        actions=actions,
        log_probs=np.full(rows, -np.log(3), np.float32),
        advantages=advantages,
        returns=advantages,
        teacher_probs=np.zeros(action_mask.shape, np.float32),
    )
    learner = PPOLearner(policy, critic, PPOConfig(minibatch=128, entropy_weight=0.0, final_entropy_weight=0.0), seed=1)
    stats = [learner.update([experience], 0.0) for _ in range(20)]
    probs = export_network(policy).action_probs(features, action_mask)
    assert probs[:, 7].mean() > 0.6
    assert probs.sum(axis=1) == pytest.approx(np.ones(rows), abs=1e-5)
    assert probs[~action_mask].max() == 0
    assert stats[-1].value_loss < stats[0].value_loss


def test_ratios_of_stale_experience_are_measured_from_the_current_probabilities() -> None:
    rng, rows = np.random.default_rng(2), 256
    features = rng.random((rows, FEATURE_COUNT)).astype(np.float32)
    action_mask = np.zeros((rows, ACTION_COUNT), np.bool_)
    action_mask[:, [3, 7]] = True
    actions, advantages = rng.choice([3, 7], rows), rng.random(rows).astype(np.float32)
    uniform_log_probs = np.full(rows, -np.log(2), np.float32)
    experience = Experience(
        features=features,
        hidden_features=np.zeros((rows, HIDDEN_FEATURE_COUNT), np.float32),
        action_mask=action_mask,
        actions=actions,
        log_probs=uniform_log_probs,
        advantages=advantages,
        returns=advantages,
        teacher_probs=np.zeros(action_mask.shape, np.float32),
    )
    probs_after = []
    for stale in (False, True):
        torch.manual_seed(1)
        policy, critic = PolicyNetwork(FEATURE_COUNT, 16, 1), Critic(FEATURE_COUNT, 16, 1)
        log_probs = np.log(export_network(policy).action_probs(features, action_mask)[np.arange(rows), actions])
        given = experience._replace(log_probs=uniform_log_probs * 3 if stale else log_probs)
        PPOLearner(policy, critic, PPOConfig(minibatch=64), seed=1).update([given], 0.0, stale=stale)
        probs_after.append(export_network(policy).action_probs(features, action_mask))
    assert probs_after[0] == pytest.approx(probs_after[1], abs=1e-4)


def taught_experience(likeliest: int, rows: int = 512) -> Experience:
    """Return experience from which only a teacher's probabilities of three actions can be learned."""
    rng = np.random.default_rng(2)
    action_mask = np.zeros((rows, ACTION_COUNT), np.bool_)
    action_mask[:, [3, 7, 9]] = True
    zeros = np.zeros(rows, np.float32)
    teacher_probs = np.where(action_mask, 0.1, 0).astype(np.float32)
    teacher_probs[:, likeliest] = 0.8
    return Experience(
        features=rng.random((rows, FEATURE_COUNT)).astype(np.float32),
        hidden_features=np.zeros((rows, HIDDEN_FEATURE_COUNT), np.float32),
        action_mask=action_mask,
        actions=rng.choice([3, 7, 9], rows),
        log_probs=np.full(rows, -np.log(3), np.float32),
        advantages=zeros,
        returns=zeros,
        teacher_probs=teacher_probs,
    )


@pytest.mark.parametrize(
    "progress, teacher_weight, prob",
    [(0.0, 1.0, 0.8), (TEACHING_SHARE, 1.0, 1 / 3), (1.0, 1.0, 1 / 3), (0.0, 0.0, 1 / 3)],
)
def test_a_policy_becomes_like_its_teacher_s_while_the_teacher_counts(
    progress: float, teacher_weight: float, prob: float
) -> None:
    torch.manual_seed(1)
    policy, critic = PolicyNetwork(FEATURE_COUNT, 32, 1), Critic(FEATURE_COUNT, 32, 1)
    config = PPOConfig(
        learning_rate=5e-3, minibatch=128, entropy_weight=0.0, final_entropy_weight=0.0, teacher_weight=teacher_weight
    )
    learner, experience = PPOLearner(policy, critic, config, seed=1), taught_experience(7)
    for _ in range(40):
        learner.update([experience], progress)
    probs = export_network(policy).action_probs(experience.features, experience.action_mask)
    assert probs[:, 7].mean() == pytest.approx(prob, abs=0.05)


def test_the_weight_of_a_teacher_falls_linearly() -> None:
    experience, probs = taught_experience(7), []
    for progress, teacher_weight in ((0.0, 1.0), (TEACHING_SHARE / 2, 2.0), (TEACHING_SHARE / 2, 1.0)):
        torch.manual_seed(1)
        policy, critic = PolicyNetwork(FEATURE_COUNT, 32, 1), Critic(FEATURE_COUNT, 32, 1)
        config = PPOConfig(
            learning_rate=5e-3,
            final_lr_ratio=1.0,
            minibatch=128,
            entropy_weight=0.5,
            final_entropy_weight=0.5,
            teacher_weight=teacher_weight,
        )
        learner = PPOLearner(policy, critic, config, seed=1)
        for _ in range(40):
            learner.update([experience], progress)
        probs.append(export_network(policy).action_probs(experience.features, experience.action_mask)[:, 7].mean())
    assert probs[0] == pytest.approx(probs[1], abs=1e-4)
    assert probs[2] < probs[0] - 0.05


def test_an_update_without_experience_changes_nothing() -> None:
    empty = taught_experience(7, rows=0)
    torch.manual_seed(1)
    policy, critic = PolicyNetwork(FEATURE_COUNT, 8, 1), Critic(FEATURE_COUNT, 8, 1)
    before = export_network(policy).weights[0].copy()
    stats = PPOLearner(policy, critic, PPOConfig(), seed=1).update([empty, empty], 0.0, stale=True)
    assert all(map(math.isnan, stats))
    assert np.array_equal(export_network(policy).weights[0], before)


def test_a_magnet_holds_the_policy_back() -> None:
    rng, rows = np.random.default_rng(2), 512
    features = rng.random((rows, FEATURE_COUNT)).astype(np.float32)
    action_mask = np.zeros((rows, ACTION_COUNT), np.bool_)
    action_mask[:, [3, 7]] = True
    actions = rng.choice([3, 7], rows)
    advantages = (actions == 7).astype(np.float32)
    experience = Experience(
        features=features,
        hidden_features=np.zeros((rows, HIDDEN_FEATURE_COUNT), np.float32),
        action_mask=action_mask,
        actions=actions,
        log_probs=np.full(rows, -np.log(2), np.float32),
        advantages=advantages,
        returns=advantages,
        teacher_probs=np.zeros(action_mask.shape, np.float32),
    )
    learned = []
    for weight in (0.0, 1.0, 100.0):
        torch.manual_seed(1)
        policy, critic = PolicyNetwork(FEATURE_COUNT, 32, 1), Critic(FEATURE_COUNT, 32, 1)
        config = PPOConfig(minibatch=128, entropy_weight=0.0, final_entropy_weight=0.0, magnet_weight=weight)
        learner = PPOLearner(policy, critic, config, seed=1)
        for _ in range(10):
            learner.update([experience], 0.0, stale=True)
        learned.append(export_network(policy).action_probs(features, action_mask)[:, 7].mean())
    free, held, fixed = learned
    assert free > held > fixed
    assert fixed == pytest.approx(0.5, abs=0.02)


def test_the_weight_of_the_magnet_falls_geometrically_or_to_zero() -> None:
    falling = PPOConfig(magnet_weight=0.2, final_magnet_weight=0.02)
    weights = [magnet_weight(falling, progress) for progress in (0.0, 0.5, 1.0)]
    assert weights == pytest.approx([0.2, (0.2 * 0.02) ** 0.5, 0.02])
    assert magnet_weight(PPOConfig(magnet_weight=0.2), 1.0) == 0
    assert magnet_weight(PPOConfig(), 0.5) == 0


@pytest.mark.parametrize("power", [0.5, 1.0, 3.0])
def test_a_power_of_time_leads_from_the_first_number_to_the_last(power: float) -> None:
    numbers = [decayed(0.2, 0.02, progress, power) for progress in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert (numbers[0], numbers[-1]) == pytest.approx((0.2, 0.02))
    # 1 / number ** (1 / power) grows evenly
    inverse = [number ** (-1 / power) for number in numbers]
    assert np.diff(inverse) == pytest.approx(np.full(4, (inverse[-1] - inverse[0]) / 4))


def test_the_power_of_time_is_that_of_the_learning_rate_and_the_magnet() -> None:
    even = PPOConfig(learning_rate=0.01, final_lr_ratio=0.25, magnet_weight=0.2, final_magnet_weight=0.05)
    powered = msgspec.structs.replace(even, decay_power=1.0)
    assert learning_rate(even, 0.5) == pytest.approx(0.01 * 0.625)
    assert learning_rate(powered, 0.5) == pytest.approx(0.01 / 2.5)
    assert magnet_weight(even, 0.5) == pytest.approx(0.1)
    assert magnet_weight(powered, 0.5) == pytest.approx(0.2 / 2.5)
    assert [learning_rate(config, 1.0) for config in (even, powered)] == pytest.approx([0.0025, 0.0025])


@pytest.mark.parametrize("stale", [False, True])
def test_the_divergence_from_the_old_policy_holds_an_update_back(*, stale: bool) -> None:
    rng, rows = np.random.default_rng(2), 512
    features = rng.random((rows, FEATURE_COUNT)).astype(np.float32)
    action_mask = np.zeros((rows, ACTION_COUNT), np.bool_)
    action_mask[:, [3, 7]] = True
    actions = rng.choice([3, 7], rows)
    advantages = (actions == 7).astype(np.float32)
    learned = []
    for weight in (0.0, 1.0, 100.0):
        torch.manual_seed(1)
        policy, critic = PolicyNetwork(FEATURE_COUNT, 32, 1), Critic(FEATURE_COUNT, 32, 1)
        before = export_network(policy).action_probs(features, action_mask)
        experience = Experience(
            features=features,
            hidden_features=np.zeros((rows, HIDDEN_FEATURE_COUNT), np.float32),
            action_mask=action_mask,
            actions=actions,
            log_probs=np.log(before[np.arange(rows), actions]),
            advantages=advantages,
            returns=advantages,
            teacher_probs=np.zeros(action_mask.shape, np.float32),
        )
        config = PPOConfig(
            learning_rate=3e-3, epochs=30, minibatch=128, entropy_weight=0.0, final_entropy_weight=0.0, kl_weight=weight
        )
        PPOLearner(policy, critic, config, seed=1).update([experience], 0.0, stale=stale)
        after = export_network(policy).action_probs(features, action_mask)
        learned.append((after - before)[:, 7].mean())
    free, held, fixed = learned
    assert free > held + 0.02 > fixed + 0.04
    assert fixed == pytest.approx(0, abs=0.03)


def test_only_the_decisions_with_the_largest_advantages_are_learned_from() -> None:
    rng, rows = np.random.default_rng(2), 400
    features = np.zeros((rows, FEATURE_COUNT), np.float32)
    action_mask = np.zeros((rows, ACTION_COUNT), np.bool_)
    action_mask[:, [3, 7]] = True
    actions = np.where(np.arange(rows) < rows // 4, 7, 3)
    advantages = np.where(actions == 7, 5.0, rng.normal(scale=0.1, size=rows) + 1).astype(np.float32)
    experience = Experience(
        features=features,
        hidden_features=np.zeros((rows, HIDDEN_FEATURE_COUNT), np.float32),
        action_mask=action_mask,
        actions=actions,
        log_probs=np.full(rows, -np.log(2), np.float32),
        advantages=advantages,
        returns=advantages,
        teacher_probs=np.zeros(action_mask.shape, np.float32),
    )
    torch.manual_seed(1)
    policy, critic = PolicyNetwork(FEATURE_COUNT, 8, 1), Critic(FEATURE_COUNT, 8, 1)
    config = PPOConfig(minibatch=1000, epochs=1, sample_share=0.25)
    learner = PPOLearner(policy, critic, config, seed=1)
    seen: list[int] = []
    policy.register_forward_hook(lambda _module, inputs, _output: seen.append(len(inputs[0])))
    learner.update([experience], 0.0)
    assert seen == [rows // 4]
