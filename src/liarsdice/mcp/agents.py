"""The agents of one MCP server, each known by its own token."""

from __future__ import annotations

import hashlib
import re
import ssl
from collections import OrderedDict

import httpx

from liarsdice.client.async_client import AsyncClient
from liarsdice.core.errors import MalformedError
from liarsdice.mcp.agent import Agent
from liarsdice.mcp.review import MatchReviews

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
HOW_TO_MAKE_ONE = (
    "a token has 43 letters, digits, - and _; make one with: "
    "python -c 'import secrets; print(secrets.token_urlsafe(32))'"
)
MAX_AGENTS = 500
"""How many agents are kept; those that were idle longest are forgotten, and begin anew with their next call."""


class Agents:
    """The agents at the server at `url`. They share nothing, so that nobody acts on another's seat."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._tls = ssl.create_default_context()  # one for all agents, because it takes a tenth of a second to make
        self._agents: OrderedDict[bytes, Agent] = OrderedDict()

    async def get(self, token: str) -> Agent:
        """Return the agent with a token. Raises `MalformedError` for a text that is none."""
        if not TOKEN.fullmatch(token):
            raise MalformedError(HOW_TO_MAKE_ONE)
        key = hashlib.sha256(token.encode()).digest()
        agent = self._agents.get(key)
        if agent is None:
            agent = self._agents[key] = self._make(token)
        self._agents.move_to_end(key)
        if len(self._agents) > MAX_AGENTS:
            _, idle = self._agents.popitem(last=False)
            await idle.close()
        return agent

    def _make(self, token: str) -> Agent:
        transport, review_transport = (httpx.AsyncHTTPTransport(verify=self._tls) for _ in range(2))
        client = AsyncClient(self._url, token=token, transport=transport)
        return Agent(client, MatchReviews(self._url, token, review_transport))

    async def close(self) -> None:
        """Close the connections of all agents. The seats stay those of their tokens."""
        while self._agents:
            _, agent = self._agents.popitem()
            await agent.close()
