"""Proximal policy optimisation in one file, after CleanRL: a learner against bots, under rules that are simulated.

    python examples/ppo.py --rules perudo --seats 2 --opponents threshold --updates 100

It needs PyTorch and Gymnasium: pip install 'liarsdice-engine[train,research]'
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from torch import Tensor, nn

from liarsdice_lab.envs import vector_env

GAMMA, GAE_LAMBDA, CLIP, ENTROPY_WEIGHT = 1.0, 0.95, 0.2, 0.01
EPOCHS, MINIBATCHES, LEARNING_RATE = 3, 4, 1e-3


class Agent(nn.Module):
    """Logits of actions, and the value of the situation, from an observation."""

    def __init__(self, row_size: int, actions: int, width: int = 128) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(row_size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.actor, self.critic = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, rows: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Return log probabilities, float32 [row, action], and values, float32 [row]."""
        hidden = self.body(torch.log1p(rows))
        logits: Tensor = self.actor(hidden).masked_fill(~masks, -1e9)
        values: Tensor = self.critic(hidden).squeeze(1)
        return torch.log_softmax(logits, dim=1), values


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="perudo")
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--opponents", nargs="+", default=["threshold"])
    parser.add_argument("--reward", default="round", help="match, round, dice or placing")
    parser.add_argument("--matches", type=int, default=128, help="played side by side")
    parser.add_argument("--steps", type=int, default=32, help="of each match in an update")
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> list[float]:
    """Train, print the mean of the rewards in each update that are not 0, and return these means."""
    options = parse_arguments(arguments)
    torch.set_num_threads(1)  # small networks gain nothing from more
    torch.manual_seed(options.seed)
    env = vector_env(
        options.rules,
        options.seats,
        options.seed,
        options.matches,
        opponents=options.opponents,
        reward=options.reward,
    )
    game, shape = env.env.game, (options.steps, options.matches)
    agent = Agent(game.row_size, game.action_count)
    optimizer = torch.optim.Adam(agent.parameters(), lr=LEARNING_RATE)
    rows, masks = torch.zeros(*shape, game.row_size), torch.zeros(*shape, game.action_count, dtype=torch.bool)
    actions, log_probs, values = torch.zeros(shape, dtype=torch.long), torch.zeros(shape), torch.zeros(shape)
    rewards, ends = torch.zeros(shape), torch.zeros(shape)
    observations, infos = env.reset(seed=options.seed)
    means = []
    for update in range(options.updates):
        results: list[float] = []
        for step in range(options.steps):
            rows[step] = torch.from_numpy(observations)  # copies: the next step overwrites the arrays
            masks[step] = torch.from_numpy(infos["action_mask"])
            with torch.no_grad():
                all_log_probs, values[step] = agent(rows[step], masks[step])
                actions[step] = torch.multinomial(all_log_probs.exp(), 1).squeeze(1)
            log_probs[step] = all_log_probs.gather(1, actions[step, :, None]).squeeze(1)
            observations, reward, terminated, _, infos = env.step(actions[step].numpy())
            rewards[step], ends[step] = torch.from_numpy(reward), torch.from_numpy(terminated).float()
            results += reward[reward != 0].tolist()
        with torch.no_grad():
            _, last_values = agent(torch.from_numpy(observations).float(), torch.from_numpy(infos["action_mask"]))
        advantages = torch.zeros(shape)
        following, next_values = torch.zeros(options.matches), last_values
        for step in reversed(range(options.steps)):  # generalised advantage estimation
            delta = rewards[step] + GAMMA * next_values * (1 - ends[step]) - values[step]
            following = delta + GAMMA * GAE_LAMBDA * (1 - ends[step]) * following
            advantages[step], next_values = following, values[step]
        batch = [part.flatten(0, 1) for part in (rows, masks, actions, log_probs, advantages, advantages + values)]
        improve(agent, optimizer, batch)
        means.append(float(np.mean(results)) if results else 0.0)
        print(f"update {update + 1}: mean of {len(results)} rewards {means[-1]:+.3f}")
    return means


def improve(agent: Agent, optimizer: torch.optim.Optimizer, batch: list[Tensor]) -> None:
    """Take gradient steps on a batch: rows, masks, actions, log probabilities, advantages, returns."""
    for _ in range(EPOCHS):
        for part in torch.randperm(len(batch[0])).chunk(MINIBATCHES):
            rows, masks, actions, old_log_probs, advantages, returns = (column[part] for column in batch)
            all_log_probs, values = agent(rows, masks)
            ratio = (all_log_probs.gather(1, actions[:, None]).squeeze(1) - old_log_probs).exp()
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            policy_loss = -torch.minimum(ratio * advantages, ratio.clamp(1 - CLIP, 1 + CLIP) * advantages).mean()
            entropy = -(all_log_probs.exp() * all_log_probs).sum(1).mean()
            loss = policy_loss + 0.5 * (values - returns).square().mean() - ENTROPY_WEIGHT * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


if __name__ == "__main__":
    main()
