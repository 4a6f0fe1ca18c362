"""The agents of one MCP server, each known by its own token."""

from __future__ import annotations

import hashlib
import re
import ssl
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from liarsdice.client.async_client import AsyncClient
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.mcp.agent import Agent
from liarsdice.mcp.review import MatchReviews

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
HOW_TO_MAKE_ONE = (
    "a token has 43 letters, digits, - and _; make one with: "
    "python -c 'import secrets; print(secrets.token_urlsafe(32))'"
)
MAX_AGENTS = 500
"""How many agents are kept. Those that were idle longest are forgotten, and begin anew with their next call."""

FULL = f"{MAX_AGENTS} agents are playing here already; try again in a minute"


class Agents:
    """The agents at the server at `url`. They share nothing, so that nobody acts on another's seat."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._tls = ssl.create_default_context()  # one for all agents, because it takes a tenth of a second to make
        self._agents: OrderedDict[bytes, Agent] = OrderedDict()
        self._call_count: Counter[bytes] = Counter()

    @asynccontextmanager
    async def call(self, token: str) -> AsyncIterator[Agent]:
        """Lend the agent with a token for one call; an agent with a call in progress is not forgotten.

        Raises `MalformedError` for a text that is no token, and `UnavailableError` if `MAX_AGENTS` others have calls in
        progress.
        """
        if not TOKEN.fullmatch(token):
            raise MalformedError(HOW_TO_MAKE_ONE)
        key = hashlib.sha256(token.encode()).digest()
        if key not in self._agents:
            await self._forget_idle()
            self._agents.setdefault(key, self._make(token))
        self._agents.move_to_end(key)
        self._call_count[key] += 1
        try:
            yield self._agents[key]
        finally:
            self._call_count[key] -= 1
            if not self._call_count[key]:
                del self._call_count[key]

    async def _forget_idle(self) -> None:
        """Make room for one more agent. Raises `UnavailableError` if all have calls in progress."""
        while len(self._agents) >= MAX_AGENTS:
            idle = next((key for key in self._agents if key not in self._call_count), None)
            if idle is None:
                raise UnavailableError(FULL)
            await self._agents.pop(idle).close()

    def _make(self, token: str) -> Agent:
        transport, review_transport = (httpx.AsyncHTTPTransport(verify=self._tls) for _ in range(2))
        client = AsyncClient(self._url, token=token, transport=transport)
        return Agent(client, MatchReviews(self._url, token, review_transport))

    async def close(self) -> None:
        """Close the connections of all agents. The seats stay those of their tokens."""
        while self._agents:
            _, agent = self._agents.popitem()
            await agent.close()
