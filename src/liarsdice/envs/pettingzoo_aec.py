"""The AEC environment of PettingZoo: agents act one after another."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from gymnasium import spaces
from pettingzoo import AECEnv

from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.envs.pettingzoo_match import AgentObservation, MatchForAgents
from liarsdice.runtime.public_api import checked


class LiarsDiceAEC(AECEnv):  # type: ignore[misc]
    """One match, in which agents act one after another; out of turn they are asked whether they call."""

    metadata: ClassVar[dict[str, Any]] = {"name": "liars_dice_v1", "render_modes": ["ansi"], "is_parallelizable": True}

    def __init__(self, rules: str | Path | Ruleset, seats: int, seed: int, reward: str) -> None:
        super().__init__()
        self.agents: list[str] = []
        self.match = MatchForAgents(rules, seats, seed, reward)
        self.render_mode = "ansi"
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
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match; without a seed it goes on with its random numbers."""
        del options
        self.match.reset(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = str(self.match.selected)

    def observe(self, agent: str) -> AgentObservation:
        """Return an agent's `observation`, int16 [row size], and `action_mask`, int8 [action id]."""
        return self.match.observe(agent)

    def information_state(self, agent: str) -> str:
        """Return what an agent knows of the current round, as text."""
        return self.match.information_state(agent)

    def step(self, action: int | None) -> None:
        """Apply the action of the selected agent, None once the match is over.

        Raises `IllegalActionError` if it is not legal, and `MalformedError` for what is no action, and before `reset`.
        """
        if self.agents and self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self.match.step(self.match.action_number(str(self.match.selected), action))
        self._cumulative_rewards[self.agent_selection] = 0.0
        self.rewards = self.match.rewards()
        self._accumulate_rewards()
        if self.match.selected is None:
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.match.selected

    def close(self) -> None:
        """Release nothing: a match holds no resources."""

    def render(self) -> str | None:
        """Return what the selected agent knows, as text; None after the end."""
        return self.match.selected and self.information_state(self.match.selected)


def aec_env(
    rules: str | Path | Ruleset = "perudo", seats: int = 2, seed: int = 0, reward: str = "match"
) -> LiarsDiceAEC:
    """Return a match as an AEC environment of PettingZoo. Raises as `make_game` and `InPlaceEnv`."""
    return LiarsDiceAEC(rules, seats, seed, reward)
