"""The parallel environment of PettingZoo: all agents answer at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from gymnasium import spaces
from pettingzoo import ParallelEnv

from liarsdice.core.errors import IllegalActionError, MalformedError, described
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.envs.pettingzoo_match import AgentObservation, MatchForAgents
from liarsdice.runtime.public_api import checked


class LiarsDiceParallel(ParallelEnv):  # type: ignore[misc]
    """One match, in which all agents answer at once; only the answer of the agent that is to act counts.

    The others may only be silent. An illegal action loses the match: it ends with a reward of -1, and the others share
    +1. Programs for parallel environments sample actions without a mask.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "liars_dice_v1", "render_modes": []}

    def __init__(self, rules: str | Path | Ruleset, seats: int, seed: int, reward: str) -> None:
        self.match = MatchForAgents(rules, seats, seed, reward)
        self.render_mode = None
        self.agents: list[str] = []
        self.possible_agents = list(self.match.agents)
        self.observation_spaces, self.action_spaces = self.match.observation_spaces, self.match.action_spaces

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations.

        Raises `MalformedError` for an argument of another kind.
        """
        self.match.require_agent(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions.

        Raises `MalformedError` for an argument of another kind.
        """
        self.match.require_agent(agent)
        return self.action_spaces[agent]

    @checked
    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, AgentObservation], dict[str, dict[str, Any]]]:
        """Begin a match; without a seed it goes on with its random numbers.

        Returns by agent its `observation`, int16 [row size], and `action_mask`, int8 [action id].
        """
        del options
        self.match.reset(seed)
        self.agents = list(self.possible_agents)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> tuple[dict[str, Any], ...]:
        """Apply the action of the agent that is to act.

        Raises `MalformedError` unless each agent has an action, and before `reset`.
        """
        if not isinstance(actions, dict):
            raise MalformedError(f"actions are a dict with the action id of each agent, not {described(actions)}")
        acting = str(self.match.selected)
        ids = {agent: self.match.action_number(agent, actions.get(agent)) for agent in self.agents or [acting]}
        try:
            self.match.step(ids[acting])
            rewards = self.match.rewards()
        except IllegalActionError:
            self.match.is_playing = False
            share = 1 / (len(self.agents) - 1)
            rewards = {agent: -1.0 if agent == acting else share for agent in self.agents}
        over, agents, observations = not self.match.is_playing, self.agents, self._observations()
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
