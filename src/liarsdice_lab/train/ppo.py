"""Proximal policy optimisation (PPO, Schulman et al. 2017) from the experience of many tables."""

import math
from collections.abc import Sequence
from copy import deepcopy
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from liarsdice.bots.neural.features import FloatArray, IntArray
from liarsdice_lab.train.config import PPOConfig
from liarsdice_lab.train.model import Critic, PolicyNetwork, move_towards
from liarsdice_lab.train.rollout import Experience

EVALUATION_BATCH = 4096
"""The number of rows for which log probabilities are computed again at a time."""
TEACHING_SHARE = 0.5
"""The share of the training in which teachers count; their weight falls linearly to 0 until then."""


ADVANTAGES = Experience._fields.index("advantages")


class UpdateStats(NamedTuple):
    """Means over the steps of an update: losses, entropy (nats), and approximate KL divergence (nats).

    `approx_kl` is the mean of log p_old - log p_new over the sampled actions.
    """

    policy_loss: float
    value_loss: float
    entropy: float
    approx_kl: float


NO_UPDATE = UpdateStats(math.nan, math.nan, math.nan, math.nan)
"""The statistics of an update without experience."""


class LossWeights(NamedTuple):
    """The weights of the terms of the loss beside the policy's and the critic's."""

    entropy: float
    teacher: float
    magnet: float
    kl: float


class Minibatch(NamedTuple):
    """Tensors of the rows of `Experience`, with normalised advantages.

    `old_log_probs`: float32 [decision, action], the logarithms of the policy's probabilities before the update; without
    actions where they are not used.
    """

    features: Tensor
    hidden_features: Tensor
    action_mask: Tensor
    actions: Tensor
    log_probs: Tensor
    advantages: Tensor
    returns: Tensor
    teacher_probs: Tensor
    old_log_probs: Tensor


class PPOLearner:
    """Updates a policy and a critic with Adam."""

    def __init__(self, policy: PolicyNetwork, critic: Critic, config: PPOConfig, seed: int) -> None:
        self.policy = policy
        self.critic = critic
        self.config = config
        self.optimizer = torch.optim.Adam(
            [*policy.parameters(), *critic.parameters()], lr=config.learning_rate, eps=1e-5
        )
        self.magnet = deepcopy(policy)
        self._rng = np.random.default_rng(seed)

    def update(self, tables: Sequence[Experience], progress: float, *, stale: bool = False) -> UpdateStats:
        """Update from the experience of each table, whose advantages are normalised on their own.

        `progress`: the share of the training that is over, 0..1; it determines the learning rate and the weights.
        `stale`: the experience is that of older weights, so that ratios are measured from the current probabilities.
        Returns `NO_UPDATE` if there is no experience.
        """
        config = self.config
        if not any(len(table.returns) for table in tables):
            return NO_UPDATE
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(config, progress)
        entropy_weight = config.entropy_weight + (config.final_entropy_weight - config.entropy_weight) * progress
        weights = LossWeights(
            entropy=entropy_weight,
            teacher=config.teacher_weight * max(0, 1 - progress / TEACHING_SHARE),
            magnet=magnet_weight(config, progress),
            kl=config.kl_weight,
        )
        normalized = [table._replace(advantages=_normalized(table.advantages)) for table in tables]
        device = next(self.policy.parameters()).device
        columns = [np.concatenate(column) for column in zip(*normalized, strict=True)]
        if config.sample_share < 1:
            learned = _largest(columns[ADVANTAGES], config.sample_share)
            columns = [column[learned] for column in columns]
        unused = np.zeros((len(columns[ADVANTAGES]), 0), np.float32)
        batch = Minibatch(*(torch.from_numpy(column).to(device) for column in (*columns, unused)))
        if stale or config.kl_weight:
            batch = batch._replace(old_log_probs=self._log_probs(batch))
        if stale:
            log_probs = batch.old_log_probs.gather(1, batch.actions.unsqueeze(1)).squeeze(1)
            batch = batch._replace(log_probs=log_probs)
        stats: list[Tensor] = []
        for _ in range(config.epochs):
            order = torch.from_numpy(self._rng.permutation(len(batch.returns))).to(device)
            for start in range(0, len(order), config.minibatch):
                rows = order[start : start + config.minibatch]
                minibatch = Minibatch(*(column[rows] for column in batch))
                stats.append(self._step(minibatch, weights))
        if config.magnet_weight:
            move_towards(self.magnet, self.policy, config.magnet_rate)
        return UpdateStats(*torch.stack(stats).mean(dim=0).tolist())

    def _log_probs(self, batch: Minibatch) -> Tensor:
        """Return the logarithms of the current probabilities of all actions, float32 [decision, action]."""
        with torch.no_grad():
            chunks = [
                torch.log_softmax(
                    self.policy(
                        batch.features[start : start + EVALUATION_BATCH],
                        batch.action_mask[start : start + EVALUATION_BATCH],
                    ),
                    dim=1,
                )
                for start in range(0, len(batch.actions), EVALUATION_BATCH)
            ]
        return torch.cat(chunks)

    def _step(self, batch: Minibatch, weights: LossWeights) -> Tensor:
        """Take one step of gradient descent, and return the values of `UpdateStats`, float32 [4].

        The loss is the clipped surrogate objective (Schulman et al. 2017, equations 7 and 9) with the cross entropy to
        the teacher's policy (kickstarting, Schmitt et al. 2018) and the KL divergences to the magnet and to the policy
        before the update (Sokota et al. 2023, equation 9).
        """
        all_log_probs = torch.log_softmax(self.policy(batch.features, batch.action_mask), dim=1)
        log_probs = all_log_probs.gather(1, batch.actions.unsqueeze(1)).squeeze(1)
        ratio = torch.exp(log_probs - batch.log_probs)
        clipped = ratio.clamp(1 - self.config.clip, 1 + self.config.clip)
        policy_loss = -torch.minimum(ratio * batch.advantages, clipped * batch.advantages).mean()
        entropy = -(all_log_probs.exp() * all_log_probs.clamp(min=-30)).sum(dim=1).mean()
        teacher_loss = -(batch.teacher_probs * all_log_probs).sum(dim=1).mean()
        value_loss = (self.critic(batch.features, batch.hidden_features) - batch.returns).square().mean()
        loss = policy_loss + value_loss - weights.entropy * entropy + weights.teacher * teacher_loss
        if weights.magnet:
            with torch.no_grad():
                magnet_log_probs = torch.log_softmax(self.magnet(batch.features, batch.action_mask), dim=1)
            loss = loss + weights.magnet * _divergence(all_log_probs, magnet_log_probs, batch.action_mask)
        if weights.kl:
            loss = loss + weights.kl * _divergence(all_log_probs, batch.old_log_probs, batch.action_mask)
        self.optimizer.zero_grad()
        loss.backward()
        for module in (self.policy, self.critic):
            torch.nn.utils.clip_grad_norm_(module.parameters(), self.config.max_grad_norm)
        self.optimizer.step()
        with torch.no_grad():
            approx_kl = (batch.log_probs - log_probs).mean()
        return torch.stack([policy_loss, value_loss, entropy, approx_kl]).detach()


def learning_rate(config: PPOConfig, progress: float) -> float:
    """Return the learning rate at a point of the training (`progress`, 0..1)."""
    if config.decay_power:
        return config.learning_rate * decayed(1.0, config.final_lr_ratio, progress, config.decay_power)
    return config.learning_rate * (1 - (1 - config.final_lr_ratio) * progress)


def magnet_weight(config: PPOConfig, progress: float) -> float:
    """Return the weight of the divergence to the magnet at a point of the training (`progress`, 0..1).

    >>> magnet_weight(PPOConfig(magnet_weight=0.1, final_magnet_weight=0.001), 0.5)
    0.01
    """
    return round(decayed(config.magnet_weight, config.final_magnet_weight, progress, config.decay_power), 12)


def decayed(first: float, last: float, progress: float, power: float) -> float:
    """Return a number that falls from `first` to `last` by a power of time, at a point of the training (0..1).

    It is `first` / (1 + c `progress`) ** `power`, where c follows from `last`. With the power 0 it falls geometrically,
    and linearly if one of the numbers is 0.

    >>> [decayed(1.0, 0.25, progress, 2.0) for progress in (0.0, 0.5, 1.0)]
    [1.0, 0.4444444444444444, 0.25]
    """
    if not first or not last:
        return first + (last - first) * progress
    ratio = last / first
    share: float = ratio**progress if not power else (1 + (ratio ** (-1 / power) - 1) * progress) ** -power
    return first * share


def _divergence(log_probs: Tensor, other_log_probs: Tensor, action_mask: Tensor) -> Tensor:
    """Return the mean of KL(policy, other policy) over the decisions in nats, float32 []."""
    ratios = (log_probs - other_log_probs).masked_fill(~action_mask, 0)
    return (log_probs.exp() * ratios).sum(dim=1).mean()


def _largest(advantages: FloatArray, share: float) -> IntArray:
    """Return the rows of a share of the decisions with the largest absolute advantages, int64 [row], in their order."""
    count = max(1, round(share * len(advantages)))
    rows: IntArray = np.sort(np.argpartition(-np.abs(advantages), count - 1)[:count])
    return rows


def _normalized(advantages: FloatArray) -> FloatArray:
    """Return advantages with mean 0 and standard deviation 1, float32 [decision]."""
    if not len(advantages):
        return advantages
    normalized: FloatArray = (advantages - advantages.mean()) / (advantages.std() + 1e-6)
    return normalized
