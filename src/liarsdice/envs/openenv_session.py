"""The messages of OpenEnv (version 0.3) about this game, and the matches of one learner that they are about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec

from liarsdice.core.bids.notation import parse
from liarsdice.core.engine.view import view
from liarsdice.core.errors import MalformedError
from liarsdice.core.text.turn_text import SILENT, moves_text
from liarsdice.envs.information_state import information_state
from liarsdice.envs.layout import Game
from liarsdice.envs.match_state import state_of_match
from liarsdice.envs.opponents import make_env

Seed = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Name = Annotated[str, msgspec.Meta(max_length=255)]


class OpenEnvAction(msgspec.Struct, forbid_unknown_fields=True):
    """An action: its id, or the move as text, such as `3x4`, `liar` or `silent`."""

    action_id: int | None = None
    move: Name | None = None
    metadata: dict[str, Any] = {}


class OpenEnvObservation(msgspec.Struct):
    """What the learner knows: as text, its legal moves as text, the row of `envs.layout` and the mask (0 or 1)."""

    text: str
    legal_moves: str
    observation: list[int]
    action_mask: list[int]


class ResetData(msgspec.Struct):
    """The seed of the next match, and a name for it."""

    seed: Seed | None = None
    episode_id: Name | None = None


class StepData(msgspec.Struct):
    """An action over HTTP."""

    action: OpenEnvAction


class StepResult(msgspec.Struct):
    """An observation, the reward of the step, and whether the match is over."""

    observation: OpenEnvObservation
    reward: float | None = None
    done: bool = False


class EpisodeState(msgspec.Struct):
    """The match in progress: its name, the decisions of the learner so far, and the environment."""

    episode_id: str | None
    step_count: int
    rules: str
    seats: int


class Message(msgspec.Struct):
    """A message of a client over a WebSocket."""

    type: Literal["reset", "step", "state", "close"]
    data: dict[str, Any] = {}


class Episodes:
    """The matches of one learner, one after another."""

    def __init__(self, game: Game, opponents: str | Sequence[str], reward: str) -> None:
        self._env = make_env(game, 1, opponents=opponents, reward=reward)
        self._done = False
        self.state = EpisodeState(None, 0, game.rules.ruleset.labels.game, game.rules.seat_count)

    def reset(self, data: ResetData) -> StepResult:
        """Begin another match; without a seed it goes on with its random numbers."""
        self._env.reset(data.seed)
        self._done, self.state.episode_id, self.state.step_count = False, data.episode_id, 0
        return StepResult(self._observation())

    def step(self, action: OpenEnvAction) -> StepResult:
        """Apply an action. Raises `MalformedError` after the end, and `IllegalActionError` for an illegal one."""
        if self._done:
            raise MalformedError("the match is over; reset begins another one")
        game, action_id = self._env.game, action.action_id
        if action.move is not None:
            action_id = game.silence if action.move == SILENT else game.action_id(parse(action.move))
        if action_id is None or not 0 <= action_id < game.action_count:
            raise MalformedError(f"an action has an id from 0 to {game.action_count - 1} or a move, not {action}")
        self._env.step([action_id])
        self.state.step_count += 1
        self._done = bool(self._env.buffers.terminals[0])
        reward = float(self._env.buffers.rewards[0, int(self._env.seats[0])])
        return StepResult(self._observation(), reward, self._done)

    def _observation(self) -> OpenEnvObservation:
        buffers, seat = self._env.buffers, int(self._env.seats[0])
        mask = buffers.masks[0]
        if self._done:
            return OpenEnvObservation("the match is over", "", [], [0] * mask.size)
        text = information_state(view(state_of_match(self._env.matches, 0), seat))
        moves = moves_text(map(self._env.game.action_from_id, mask.nonzero()[0].tolist()))
        return OpenEnvObservation(text, moves, buffers.observations[0].tolist(), mask.astype(int).tolist())
