"""The parallel environment of PettingZoo: all agents answer at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from gymnasium import spaces
from pettingzoo import ParallelEnv

from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.envs.pettingzoo_match import AgentObservation, MatchForAgents


class LiarsDiceParallel(ParallelEnv):  # type: ignore[misc]
    """One match, in which all agents answer at once; only the answer of the agent that is to act counts.

    The others may only be silent.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "liars_dice_v1", "render_modes": []}

    def __init__(self, rules: str | Path | Ruleset, seats: int, seed: int, reward: str) -> None:
        self.match = MatchForAgents(rules, seats, seed, reward)
        self.render_mode = None
        self.possible_agents = list(self.match.agents)
        self.observation_spaces, self.action_spaces = self.match.observation_spaces, self.match.action_spaces

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, AgentObservation], dict[str, dict[str, Any]]]:
        """Begin a match; without a seed it goes on with its random numbers.

        Returns by agent its `observation`, int16 [row size], and `action_mask`, int8 [action id].
        """
        del options
        self.match.env.reset(seed)
        self.agents = list(self.possible_agents)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> tuple[dict[str, Any], ...]:
        """Apply the action of the agent that is to act. Raises `IllegalActionError` if it is not legal."""
        self.match.env.step([actions[str(self.match.selected)]])
        over = self.match.selected is None
        agents, observations, rewards = self.agents, self._observations(), self.match.rewards()
        self.agents = [] if over else agents
        return (
            observations,
            rewards,
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, False),
            {agent: {} for agent in agents},
        )

    def _observations(self) -> dict[str, AgentObservation]:
        return {agent: self.match.observe(agent, silence=True) for agent in self.agents}


def parallel_env(
    rules: str | Path | Ruleset = "perudo", seats: int = 2, seed: int = 0, reward: str = "match"
) -> LiarsDiceParallel:
    """Return a match as a parallel environment of PettingZoo. Raises as `make_game` and `InPlaceEnv`."""
    return LiarsDiceParallel(rules, seats, seed, reward)
