"""What both kinds of environments of PettingZoo share: one match, its agents, their spaces and observations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from liarsdice.core.engine.view import view
from liarsdice.core.errors import MalformedError, described
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.envs.gymnasium_spaces import observation_box
from liarsdice.envs.in_place import InPlaceEnv, action_number, require_started
from liarsdice.envs.information_state import information_state
from liarsdice.envs.layout import make_game, observe_view
from liarsdice.envs.match_state import state_of_match

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
        """What an agent knows of the current round, as text.

        Raises `MalformedError` for an argument of another kind.
        """
        self.require_agent(agent)
        return information_state(view(state_of_match(self.env.matches, 0), self.agents.index(agent)))

    def observe(self, agent: str, *, silence: bool = False) -> AgentObservation:
        """Return an agent's `observation`, int16 [row size], and `action_mask`, int8 [action id].

        Raises `MalformedError` for an argument of another kind.

        Only the agent that acts next may do something; with `silence`, the others may be silent.
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
