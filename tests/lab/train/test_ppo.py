"""PPO updates: better actions become likelier, stale experience, teachers, and no experience."""

import math

import msgspec
import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from liarsdice.bots.neural.features import ACTION_COUNT, BID_ACTIONS, FEATURE_COUNT
from liarsdice_lab.train.config import PPOConfig
from liarsdice_lab.train.model import HIDDEN_FEATURE_COUNT, Critic, PolicyNetwork, export_network
from liarsdice_lab.train.ppo import TEACHING_SHARE, PPOLearner, decayed, learning_rate, magnet_weight
from liarsdice_lab.train.rollout import Experience

Floats = NDArray[np.float32]


def experience_of(
    features: Floats, actions: NDArray[np.int64], advantages: Floats, log_probs: Floats | None = None
) -> Experience:
    """Return experience with the actions that somebody has chosen among those that occur, by chance if not told."""
    legal, rows = np.unique(actions), len(actions)
    action_mask = np.zeros((rows, ACTION_COUNT), np.bool_)
    action_mask[:, legal] = True
    return Experience(
        features=features,
        hidden_features=np.zeros((rows, HIDDEN_FEATURE_COUNT), np.float32),
        action_mask=action_mask,
        actions=actions,
        log_probs=np.full(rows, -np.log(len(legal)), np.float32) if log_probs is None else log_probs,
        advantages=advantages,
        returns=advantages,
        teacher_probs=np.zeros(action_mask.shape, np.float32),
    )


def chosen_experience(*legal: int, rows: int = 512) -> Experience:
    """Return experience of actions by chance, of which 7 was better."""
    rng = np.random.default_rng(2)
    features, actions = rng.random((rows, FEATURE_COUNT)).astype(np.float32), rng.choice(legal, rows)
    return experience_of(features, actions, (actions == 7).astype(np.float32))


def probs_of(policy: PolicyNetwork, experience: Experience) -> Floats:
    return export_network(policy).action_probs(experience.features, experience.action_mask)


def new_learner(config: PPOConfig, width: int = 32) -> tuple[PolicyNetwork, PPOLearner]:
    torch.manual_seed(1)
    policy, critic = PolicyNetwork(FEATURE_COUNT, width, 1), Critic(FEATURE_COUNT, width, 1)
    return policy, PPOLearner(policy, critic, config, seed=1)


def test_an_update_makes_better_actions_likelier() -> None:
    experience = chosen_experience(3, 7, BID_ACTIONS)
    policy, learner = new_learner(PPOConfig(minibatch=128, entropy_weight=0.0, final_entropy_weight=0.0))
    stats = [learner.update([experience], 0.0) for _ in range(20)]
    probs = probs_of(policy, experience)
    assert probs[:, 7].mean() > 0.6
    assert probs.sum(axis=1) == pytest.approx(np.ones(512), abs=1e-5)
    assert probs[~experience.action_mask].max() == 0
    assert stats[-1].value_loss < stats[0].value_loss


def test_ratios_of_stale_experience_are_measured_from_the_current_probabilities() -> None:
    rng, rows = np.random.default_rng(2), 256
    features = rng.random((rows, FEATURE_COUNT)).astype(np.float32)
    experience = experience_of(features, rng.choice([3, 7], rows), rng.random(rows).astype(np.float32))
    probs_after = []
    for stale in (False, True):
        policy, learner = new_learner(PPOConfig(minibatch=64), width=16)
        log_probs = np.log(probs_of(policy, experience)[np.arange(rows), experience.actions])
        given = experience._replace(log_probs=experience.log_probs * 3 if stale else log_probs)
        learner.update([given], 0.0, stale=stale)
        probs_after.append(probs_of(policy, experience))
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
    config = PPOConfig(
        learning_rate=5e-3, minibatch=128, entropy_weight=0.0, final_entropy_weight=0.0, teacher_weight=teacher_weight
    )
    (policy, learner), experience = new_learner(config), taught_experience(7)
    for _ in range(40):
        learner.update([experience], progress)
    assert probs_of(policy, experience)[:, 7].mean() == pytest.approx(prob, abs=0.05)


def test_the_weight_of_a_teacher_falls_linearly() -> None:
    experience, probs = taught_experience(7), []
    for progress, teacher_weight in ((0.0, 1.0), (TEACHING_SHARE / 2, 2.0), (TEACHING_SHARE / 2, 1.0)):
        config = PPOConfig(
            learning_rate=5e-3,
            final_lr_ratio=1.0,
            minibatch=128,
            entropy_weight=0.5,
            final_entropy_weight=0.5,
            teacher_weight=teacher_weight,
        )
        policy, learner = new_learner(config)
        for _ in range(40):
            learner.update([experience], progress)
        probs.append(probs_of(policy, experience)[:, 7].mean())
    assert probs[0] == pytest.approx(probs[1], abs=1e-4)
    assert probs[2] < probs[0] - 0.05


def test_an_update_without_experience_changes_nothing() -> None:
    empty = taught_experience(7, rows=0)
    policy, learner = new_learner(PPOConfig(), width=8)
    before = export_network(policy).weights[0].copy()
    stats = learner.update([empty, empty], 0.0, stale=True)
    assert all(map(math.isnan, stats))
    assert np.array_equal(export_network(policy).weights[0], before)


def test_a_magnet_holds_the_policy_back() -> None:
    experience, learned = chosen_experience(3, 7), []
    for weight in (0.0, 1.0, 100.0):
        config = PPOConfig(minibatch=128, entropy_weight=0.0, final_entropy_weight=0.0, magnet_weight=weight)
        policy, learner = new_learner(config)
        for _ in range(10):
            learner.update([experience], 0.0, stale=True)
        learned.append(probs_of(policy, experience)[:, 7].mean())
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
    experience, learned = chosen_experience(3, 7), []
    for weight in (0.0, 1.0, 100.0):
        config = PPOConfig(
            learning_rate=3e-3, epochs=30, minibatch=128, entropy_weight=0.0, final_entropy_weight=0.0, kl_weight=weight
        )
        policy, learner = new_learner(config)
        before = probs_of(policy, experience)
        log_probs = np.log(before[np.arange(len(before)), experience.actions])
        learner.update([experience._replace(log_probs=log_probs)], 0.0, stale=stale)
        learned.append((probs_of(policy, experience) - before)[:, 7].mean())
    free, held, fixed = learned
    assert free > held + 0.02 > fixed + 0.04
    assert fixed == pytest.approx(0, abs=0.03)


def test_only_the_decisions_with_the_largest_advantages_are_learned_from() -> None:
    rng, rows = np.random.default_rng(2), 400
    actions = np.where(np.arange(rows) < rows // 4, 7, 3)
    advantages = np.where(actions == 7, 5.0, rng.normal(scale=0.1, size=rows) + 1).astype(np.float32)
    experience = experience_of(np.zeros((rows, FEATURE_COUNT), np.float32), actions, advantages)
    policy, learner = new_learner(PPOConfig(minibatch=1000, epochs=1, sample_share=0.25), width=8)
    seen: list[int] = []
    policy.register_forward_hook(lambda _module, inputs, _output: seen.append(len(inputs[0])))
    learner.update([experience], 0.0)
    assert seen == [rows // 4]
