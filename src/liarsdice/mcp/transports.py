"""Runs the MCP server: over standard input and output for one agent, or over streamable HTTP for many."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import anyio
import uvicorn
from mcp.server.mcpserver import MCPServer
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from liarsdice.client.calls import new_token
from liarsdice.core.errors import UnavailableError
from liarsdice.mcp.agent import HOW_TO_MAKE_ONE, TOKEN, Agent, Agents
from liarsdice.mcp.tools import AgentContext, make_server

PATH = "/mcp"
SCHEME = "bearer"
MAX_BODY_BYTES = 64 * 1024
MAX_CONNECTIONS = 1_000
"""While so many connections are open, requests are answered with status 503."""

NO_STREAM = "nothing is sent here without a request; send requests by POST\n"
UNKNOWN = f"every request needs the header Authorization: Bearer TOKEN; {HOW_TO_MAKE_ONE}\n"


class BearerOnly:
    """Passes on requests whose header `Authorization` has a token, and refuses others with status 401.

    It refuses GET with status 405, because a server without sessions would keep such a stream open for nothing.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or an event of the server's life."""
        if scope["type"] == "http" and bearer_token(Headers(scope=scope).get("authorization", "")) is None:
            refusal = PlainTextResponse(UNKNOWN, status_code=401, headers={"www-authenticate": "Bearer"})
            await refusal(scope, receive, send)
        elif scope["type"] == "http" and scope["method"] == "GET":
            refusal = PlainTextResponse(NO_STREAM, status_code=405, headers={"allow": "POST"})
            await refusal(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def bearer_token(authorization: str) -> str | None:
    """Return the token of a header `Authorization`, None if it has none.

    >>> bearer_token("Bearer " + 43 * "x") == 43 * "x", bearer_token("Basic abc"), bearer_token("Bearer short")
    (True, None, None)
    """
    scheme, _, token = authorization.strip().partition(" ")
    return token.strip() if scheme.lower() == SCHEME and TOKEN.fullmatch(token.strip()) else None


def stdio_server(agents: Agents, token: str | None) -> MCPServer[None]:
    """Return the server whose calls are those of one agent. `token`: its token, None for a new one."""
    own_token = token or new_token()

    return make_server(lambda _: agents.call(own_token))


def http_app(agents: Agents, host: str) -> BearerOnly:
    """Return the ASGI application whose calls are those of the agents that send their tokens.

    A request is known by its own token alone; the server keeps no sessions that another could take over. `host`: where
    it listens; on loopback it answers under the names of loopback only.
    """

    def caller(context: AgentContext) -> AbstractAsyncContextManager[Agent]:
        return agents.call(bearer_token((context.headers or {}).get("authorization", "")) or "")

    app: Starlette = make_server(caller).streamable_http_app(
        streamable_http_path=PATH, stateless_http=True, max_request_body_size=MAX_BODY_BYTES, host=host
    )
    return BearerOnly(app)


def run_stdio(url: str, token: str | None) -> None:
    """Serve one agent until standard input ends. `url`: of the server with the tables.

    Ctrl-C ends the process at once: the thread that reads standard input cannot be interrupted, and there is nothing to
    save.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    agents = Agents(url)

    async def run() -> None:
        try:
            await stdio_server(agents, token).run_stdio_async()
        finally:
            await agents.close()

    anyio.run(run)


def run_http(url: str, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve agents over streamable HTTP until Ctrl-C. Port 0: any free one.

    `ready` is called with the URL once connections are accepted. Raises `UnavailableError` if the port is taken.
    """
    agents = Agents(url)
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise UnavailableError(
            f"cannot listen on {host}:{port}: {error.strerror}; choose another with --http"
        ) from error
    shown = f"[{host}]" if ":" in host else host
    ready(f"http://{shown}:{listener.getsockname()[1]}{PATH}")

    async def run() -> None:
        config = uvicorn.Config(
            http_app(agents, host), log_level="warning", access_log=False, limit_concurrency=MAX_CONNECTIONS
        )
        try:
            await uvicorn.Server(config).serve(sockets=[listener])
        finally:
            await agents.close()

    anyio.run(run)
