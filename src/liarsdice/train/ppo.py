"""Proximal policy optimisation (Schulman and others 2017) from experience of many tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from liarsdice.bots.neural.observation import FloatArray
from liarsdice.train.config import PPOConfig
from liarsdice.train.model import Critic, PolicyNetwork
from liarsdice.train.rollout import Experience

LOGS = Experience._fields.index("logs")
EVALUATION_BATCH = 4096
TEACHERS_UNTIL = 0.5
"""After how much of the training teachers are no longer heard; until then ever less, in a straight line."""


class UpdateStats(NamedTuple):
    """What an update came to: losses, how uncertain play is (nats), and how far it moved."""

    policy: float
    value: float
    entropy: float
    moved: float


NO_UPDATE = UpdateStats(math.nan, math.nan, math.nan, math.nan)
"""What nothing was learned from."""


class PPOLearner:
    """Teaches a player and a critic. `done`: how much of the training is over, 0 to 1."""

    def __init__(self, player: PolicyNetwork, critic: Critic, recipe: PPOConfig, seed: int) -> None:
        self.player = player
        self.critic = critic
        self.recipe = recipe
        self.optimizer = torch.optim.Adam(
            [*player.parameters(), *critic.parameters()], lr=recipe.learning_rate, eps=1e-5
        )
        self._order = np.random.default_rng(seed)

    def learn(self, parts: Sequence[Experience], done: float, *, stale: bool = False) -> UpdateStats:
        """Update from experience. `stale`: it is that of older weights; steps are then measured from those of now.

        Where no match came to anything there is nothing to learn, and it came to no numbers (NaN).
        """
        recipe = self.recipe
        if not any(len(part.target) for part in parts):
            return NO_UPDATE
        for group in self.optimizer.param_groups:
            group["lr"] = recipe.learning_rate * (1 - (1 - recipe.final_lr_ratio) * done)
        weights = (
            recipe.entropy_weight + (recipe.final_entropy_weight - recipe.entropy_weight) * done,
            recipe.teacher_weight * max(0, 1 - done / TEACHERS_UNTIL),
        )
        advantage = np.concatenate([_normalized(part.advantage) for part in parts])
        columns = [np.concatenate([part[place] for part in parts]) for place in range(5)]
        target = np.concatenate([part.target for part in parts])
        device = next(self.player.parameters()).device
        taught = np.concatenate([part.taught for part in parts])
        tensors = [torch.from_numpy(column).to(device) for column in (*columns, advantage, target, taught)]
        if stale:
            tensors[LOGS] = self._logs(*(tensors[place] for place in (0, 2, 3)))
        outcomes: list[Tensor] = []
        for _ in range(recipe.epochs):
            order = torch.from_numpy(self._order.permutation(len(target))).to(device)
            for start in range(0, len(target), recipe.minibatch):
                chosen = order[start : start + recipe.minibatch]
                outcomes.append(self._step([tensor[chosen] for tensor in tensors], *weights))
        return UpdateStats(*torch.stack(outcomes).mean(dim=0).tolist())

    def _logs(self, numbers: Tensor, legal: Tensor, answers: Tensor) -> Tensor:
        """The logarithms of answers' chances now."""
        with torch.no_grad():
            parts = [
                torch.log_softmax(
                    self.player(numbers[start : start + EVALUATION_BATCH], legal[start : start + EVALUATION_BATCH]),
                    dim=1,
                )
                for start in range(0, len(answers), EVALUATION_BATCH)
            ]
        return torch.cat(parts).gather(1, answers.unsqueeze(1)).squeeze(1)

    def _step(self, part: list[Tensor], uncertain: float, like: float) -> Tensor:
        numbers, hidden, legal, answers, before, advantage, target, taught = part
        logs = torch.log_softmax(self.player(numbers, legal), dim=1)
        log = logs.gather(1, answers.unsqueeze(1)).squeeze(1)
        ratio = torch.exp(log - before)
        clipped = ratio.clamp(1 - self.recipe.clip, 1 + self.recipe.clip)
        policy = -torch.minimum(ratio * advantage, clipped * advantage).mean()
        entropy = -(logs.exp() * logs.clamp(min=-30)).sum(dim=1).mean()
        unlike = -(taught * logs).sum(dim=1).mean()  # cross entropy
        value = (self.critic(numbers, hidden) - target).square().mean()
        loss = policy + value - uncertain * entropy + like * unlike
        self.optimizer.zero_grad()
        loss.backward()
        for module in (self.player, self.critic):
            torch.nn.utils.clip_grad_norm_(module.parameters(), self.recipe.max_grad_norm)
        self.optimizer.step()
        with torch.no_grad():
            moved = (before - log).mean()
        return torch.stack([policy, value, entropy, moved]).detach()


def _normalized(advantage: FloatArray) -> FloatArray:
    """Advantages with mean 0 and spread 1, each table for itself."""
    if not len(advantage):
        return advantage
    even: FloatArray = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
    return even
