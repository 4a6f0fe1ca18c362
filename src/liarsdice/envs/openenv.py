"""An environment served by the protocol of OpenEnv (version 0.3): reset, step and state over HTTP and WebSocket.

A learner plays one match after another against bots of the house. Each WebSocket has matches of its own; all HTTP
requests share one learner. An action is an id of `envs.layout` or a move as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from litestar import Litestar, Request, Response, WebSocket, get, post, websocket
from litestar.exceptions import WebSocketDisconnect
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_422_UNPROCESSABLE_ENTITY

from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.envs.layout import make_game
from liarsdice.envs.openenv_session import (
    Episodes,
    EpisodeState,
    Message,
    OpenEnvAction,
    OpenEnvObservation,
    ResetData,
    StepData,
    StepResult,
)
from liarsdice.version import __version__

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
