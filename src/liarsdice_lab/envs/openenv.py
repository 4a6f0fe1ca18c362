"""An environment served by the protocol of OpenEnv (version 0.3): reset, step and state over HTTP and WebSocket.

A learner plays one match after another against bots of the house. Each WebSocket has matches of its own; all HTTP
requests share one learner. An action is an id of `envs.layout` or a move as text.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from litestar import Litestar, Request, Response, WebSocket, get, post, websocket
from litestar.exceptions import WebSocketDisconnect
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_422_UNPROCESSABLE_ENTITY

from liarsdice.core.engine.view import view
from liarsdice.core.errors import LiarsDiceError, MalformedError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.move_reader import read_move
from liarsdice.core.text.turn_text import moves_text
from liarsdice.version import __version__
from liarsdice_lab.envs.layout import Game, make_game
from liarsdice_lab.envs.match_tree import information_state, state_of_match
from liarsdice_lab.envs.opponents import make_env

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
            action_id = game.action_id(read_move(action.move, game.rules.ruleset))
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


METADATA = {
    "name": "liarsdice",
    "description": "Liar's Dice by many rules, against bots of the house",
    "version": __version__,
}
SCHEMAS = {
    "action": msgspec.json.schema(OpenEnvAction),
    "observation": msgspec.json.schema(OpenEnvObservation),
    "state": msgspec.json.schema(EpisodeState),
}


def create_app(
    rules: str | Path | Ruleset = "perudo",
    seats: int = 2,
    opponents: str | Sequence[str] = "regular",
    reward: str = "match",
    max_sessions: int = 64,
) -> Litestar:
    """Return an ASGI application for `uvicorn.run`. Raises as `make_game` and `make_env`.

    `max_sessions`: how many WebSockets it serves at a time.
    """
    game = make_game(rules, seats)
    shared = Episodes(game, opponents, reward)
    open_sockets: set[int] = set()

    @post("/reset", status_code=HTTP_200_OK)
    async def reset(data: JSONBody[ResetData | None] = None) -> StepResult:
        return shared.reset(data or ResetData())

    @post("/step", status_code=HTTP_200_OK)
    async def step(data: JSONBody[StepData]) -> StepResult:
        return shared.step(data.action)

    @get("/state")
    async def state() -> EpisodeState:
        return shared.state

    @websocket("/ws")
    async def session(socket: WebSocket[Any, Any, Any]) -> None:
        await socket.accept()
        if len(open_sockets) >= max_sessions:
            await _send_error(socket, "CAPACITY_REACHED", f"{max_sessions} clients are connected already")
            await socket.close()
            return
        open_sockets.add(id(socket))
        try:
            await _serve(socket, Episodes(game, opponents, reward))
        finally:
            open_sockets.discard(id(socket))

    handlers = [reset, step, state, session, health, metadata, schema]
    return Litestar(handlers, exception_handlers={LiarsDiceError: _refuse}, openapi_config=None, logging_config=None)


@get("/health")
async def health() -> dict[str, str]:
    """Return that the server answers."""
    return {"status": "healthy"}


@get("/metadata")
async def metadata() -> dict[str, str]:
    """Return the name, the description and the version of the environment."""
    return METADATA


@get("/schema")
async def schema() -> dict[str, dict[str, Any]]:
    """Return the JSON schemas of actions, observations and states."""
    return SCHEMAS


def _refuse(_: Request[Any, Any, Any], error: LiarsDiceError) -> Response[dict[str, str]]:
    """Answer an illegal action over HTTP."""
    return Response({"detail": str(error)}, status_code=HTTP_422_UNPROCESSABLE_ENTITY)


async def _serve(socket: WebSocket[Any, Any, Any], episodes: Episodes) -> None:
    """Answer messages until the client closes."""
    with suppress(WebSocketDisconnect):
        while True:
            text = await socket.receive_text()
            try:
                message = msgspec.json.decode(text, type=Message)
                if message.type == "close":
                    await socket.close()
                    return
                answer = _answer(episodes, message)
            except msgspec.ValidationError as error:
                await _send_error(socket, "VALIDATION_ERROR", str(error))
            except msgspec.DecodeError as error:
                await _send_error(socket, "INVALID_JSON", str(error))
            except LiarsDiceError as error:
                await _send_error(socket, "EXECUTION_ERROR", str(error))
            else:
                await socket.send_text(msgspec.json.encode(answer).decode())


def _answer(episodes: Episodes, message: Message) -> dict[str, Any]:
    """Return the answer to a message. Raises what `Episodes` raises, and `ValidationError` for other data."""
    if message.type == "state":
        return {"type": "state", "data": episodes.state}
    if message.type == "reset":
        return {"type": "observation", "data": episodes.reset(msgspec.convert(message.data, ResetData))}
    return {"type": "observation", "data": episodes.step(msgspec.convert(message.data, OpenEnvAction))}


async def _send_error(socket: WebSocket[Any, Any, Any], code: str, text: str) -> None:
    await socket.send_text(msgspec.json.encode({"type": "error", "data": {"message": text, "code": code}}).decode())
