"""The AEC environment of PettingZoo: agents act one after another."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv

from liarsdice.core.engine.view import view
from liarsdice.core.errors import IllegalActionError, MalformedError, described
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.public_api import checked
from liarsdice_lab.envs.gymnasium_envs import observation_box
from liarsdice_lab.envs.in_place import InPlaceEnv, action_number, require_started
from liarsdice_lab.envs.layout import make_game, observe_view
from liarsdice_lab.envs.match_tree import information_state, state_of_match

AgentObservation = dict[str, NDArray[Any]]


class MatchForAgents:
    """One match, its agents, and their spaces and observations."""

    def __init__(self, rules: str | Path | Ruleset, seats: int, seed: int, reward: str) -> None:
        self.env = InPlaceEnv(make_game(rules, seats), 1, seed=seed, reward=reward, resets=False)
        self.game = self.env.game
        self.agents = [f"seat_{seat}" for seat in range(seats)]
        actions = self.game.action_count
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": observation_box(self.game),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.agents}
        self.is_playing = False

    def reset(self, seed: int | None) -> None:
        """Begin a match; without a seed it goes on with its random numbers."""
        self.env.reset(seed)
        self.is_playing = True

    def step(self, action: int) -> None:
        """Apply the action id of the agent that acts next. Raises `IllegalActionError` if it is not legal."""
        self.env.step([action])
        self.is_playing = self.selected is not None

    def action_number(self, agent: str, action: object) -> int:
        """Return an agent's action id. Raises `MalformedError` for what is none, before `reset`, and after the end."""
        require_started(self.is_playing)
        try:
            return action_number(self.game, action)
        except MalformedError as error:
            raise MalformedError(f"{agent}: {error}") from error

    def require_agent(self, agent: str) -> None:
        """Raise `MalformedError` unless an agent has this name."""
        if agent not in self.agents:
            raise MalformedError(f"the agents are {', '.join(self.agents)}, not {described(agent)}")

    @property
    def selected(self) -> str | None:
        """The agent that acts next, None after the end."""
        seat = int(self.env.seats[0])
        return self.agents[seat] if seat >= 0 else None

    def information_state(self, agent: str) -> str:
        """What an agent knows of the current round, as text. Raises `MalformedError` as `require_agent`."""
        self.require_agent(agent)
        return information_state(view(state_of_match(self.env.matches, 0), self.agents.index(agent)))

    def observe(self, agent: str, *, silence: bool = False) -> AgentObservation:
        """Return an agent's `observation`, int16 [row size], and `action_mask`, int8 [action id].

        Only the agent that acts next may do something; with `silence`, the others may be silent. Raises
        `MalformedError` as `require_agent`.
        """
        self.require_agent(agent)
        buffers = self.env.buffers
        if agent == self.selected:
            return {"observation": buffers.observations[0].copy(), "action_mask": buffers.masks[0].astype(np.int8)}
        mask = np.zeros(self.game.action_count, np.int8)
        mask[self.game.silence] = silence
        row = observe_view(self.game, view(state_of_match(self.env.matches, 0), self.agents.index(agent)))
        return {"observation": row, "action_mask": mask}

    def rewards(self) -> dict[str, float]:
        """The rewards of the latest step."""
        return dict(zip(self.agents, self.env.buffers.rewards[0].tolist(), strict=True))


class _AgentSpaces:
    """The spaces of the agents of a match."""

    match: MatchForAgents

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations. Raises `MalformedError` for an argument of another kind."""
        self.match.require_agent(agent)
        return self.match.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions. Raises `MalformedError` for an argument of another kind."""
        self.match.require_agent(agent)
        return self.match.action_spaces[agent]


class LiarsDiceAEC(_AgentSpaces, AECEnv):  # type: ignore[misc]
    """One match, in which agents act one after another; out of turn they are asked whether they call."""

    metadata: ClassVar[dict[str, Any]] = {"name": "liars_dice_v1", "render_modes": ["ansi"], "is_parallelizable": True}

    def __init__(self, rules: str | Path | Ruleset, seats: int, seed: int, reward: str) -> None:
        super().__init__()
        self.agents: list[str] = []
        self.match = MatchForAgents(rules, seats, seed, reward)
        self.render_mode = "ansi"
        self.possible_agents = list(self.match.agents)
        self.observation_spaces, self.action_spaces = self.match.observation_spaces, self.match.action_spaces

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

    def last(self, observe: bool = True) -> tuple[Any, ...]:  # noqa: FBT001, FBT002  as PettingZoo has it
        """Return what the selected agent sees and what it has won. Raises `MalformedError` before `reset`."""
        require_started(bool(self.agents))
        return super().last(observe)  # type: ignore[no-any-return]  # PettingZoo has no types

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


class LiarsDiceParallel(_AgentSpaces, ParallelEnv):  # type: ignore[misc]
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
