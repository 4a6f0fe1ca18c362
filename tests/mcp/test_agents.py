"""Agents are known by their tokens, and none is forgotten in the middle of a call."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator

import pytest

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.mcp.agent import Agent, Agents


def new_token() -> str:
    return secrets.token_urlsafe(32)


async def agent_of(agents: Agents, token: str) -> Agent:
    async with agents.call(token) as agent:
        return agent


@pytest.fixture
async def agents(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Agents]:
    """Agents of which three are kept, at a server that is not there."""
    monkeypatch.setattr("liarsdice.mcp.agent.MAX_AGENTS", 3)
    known = Agents("http://127.0.0.1:1")
    yield known
    await known.close()


async def test_an_agent_is_known_by_its_token(agents: Agents) -> None:
    token = new_token()
    agent = await agent_of(agents, token)
    assert await agent_of(agents, token) is agent
    assert await agent_of(agents, new_token()) is not agent
    for text in ("", "short", f"{token}x", f"{token[:-1]}é"):
        with pytest.raises(MalformedError, match="a token has 43"):
            await agent_of(agents, text)


async def test_the_agents_that_were_idle_longest_are_forgotten(agents: Agents) -> None:
    first, second = new_token(), new_token()
    ann, bo = await agent_of(agents, first), await agent_of(agents, second)
    await agent_of(agents, first)
    for _ in range(2):
        await agent_of(agents, new_token())
    assert await agent_of(agents, first) is ann
    assert await agent_of(agents, second) is not bo


async def test_an_agent_in_a_call_is_kept_and_a_new_one_waits_until_others_are_idle(agents: Agents) -> None:
    token = new_token()
    async with agents.call(token) as ann:
        for _ in range(5):
            await agent_of(agents, new_token())
        async with agents.call(token) as again, agents.call(new_token()), agents.call(new_token()):
            assert again is ann
            with pytest.raises(UnavailableError, match="try again"):
                await agent_of(agents, new_token())
    await agent_of(agents, new_token())
