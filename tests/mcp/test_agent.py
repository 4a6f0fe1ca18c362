"""What an agent is told at a real table: its own dice and no others, what is legal, and what moved on meanwhile."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Awaitable
from typing import Any

import pytest

from liarsdice.client.async_client import AsyncClient
from liarsdice.core.errors import LiarsDiceError, MalformedError
from liarsdice.core.events import Dealt
from liarsdice.core.text.turn_text import move_text
from liarsdice.mcp.agent import LONGEST_WAIT_S, MAX_TABLES, WAIT_AGAIN, Agent, Agents, MoveRefusedError
from tests.mcp.playing import OVER, choose, play
from tests.processes import Server

HAND = re.compile(r"\b\d(?: \d)+\b")


def new_token() -> str:
    return secrets.token_urlsafe(32)


@pytest.fixture
async def agents(server: Server) -> AsyncIterator[Agents]:
    known = Agents(server.address)
    yield known
    await known.close()


async def agent_of(agents: Agents, token: str) -> Agent:
    async with agents.call(token) as agent:
        return agent


def tools_of(agent: Agent) -> Any:  # noqa: ANN401  a function that takes a tool's arguments
    """The agent's methods as tools with the defaults of the MCP server."""

    def call(tool: str, /, **arguments: Any) -> Awaitable[str]:  # noqa: ANN401  what the tool takes
        if tool == "wait_for_turn":
            arguments = {"wait_s": LONGEST_WAIT_S, "out_of_turn": False, "odds": False, **arguments}
        return getattr(agent, tool)(**arguments)  # type: ignore[no-any-return]

    return call


async def opened(agent: Agent, *bots: str, **options: Any) -> str:  # noqa: ANN401  each option has a type of its own
    """Open a table with bots; return its code."""
    return (await agent.open_table("Ada", "perudo", bots, **options)).split()[3]


async def test_no_text_holds_the_dice_of_others_before_they_are_shown(server: Server, agents: Agents) -> None:
    token = new_token()
    agent = await agent_of(agents, token)
    code = await opened(agent, "random", "regular", begin=True)
    told = await play(tools_of(agent), code)
    async with AsyncClient(server.address, token=token) as client:
        record = await client.record(code, 1)
    deals = [event.hands for event in record.events if isinstance(event, Dealt)]
    own_seat = record.state.names.index("Ada")
    checked = 0
    for text in told:
        found = re.search(r"^Round (\d+)\.", text, re.MULTILINE)
        if found is None:
            continue
        hands = [" ".join(map(str, sorted(hand))) for hand in deals[int(found[1]) - 1]]
        now = "\n".join(line for line in text.splitlines() if not line.startswith(("Latest reveal", "- ")))
        if hands[own_seat]:
            assert f"Your dice: {hands[own_seat]}." in now
        assert [shown for shown in HAND.findall(now) if shown != hands[own_seat]] == []
        checked += 1
    assert checked > 5


async def test_a_move_after_the_match_has_gone_on_says_what_is_so_now(server: Server, agents: Agents) -> None:
    token = new_token()
    agent = await agent_of(agents, token)
    code = await opened(agent, "random", begin=True)
    await agent.wait_for_turn(code, wait_s=20, out_of_turn=False, odds=False)
    async with AsyncClient(server.address, token=token) as client:  # another device of the same agent
        view = await client.view(code)
        await client.act(view, view.moves[0])
        await client.wait_for_turn(code)
    with pytest.raises(MoveRefusedError, match="Nothing was done") as refused:
        await agent.act(code, f"[{move_text(view.moves[0])}]")
    assert refused.value.table.startswith(f"Table {code} ")


async def test_a_move_is_not_made_before_the_agent_has_seen_the_table(server: Server, agents: Agents) -> None:
    token = new_token()
    before = await agent_of(agents, token)
    code = await opened(before, "random", begin=True)
    seen = await before.wait_for_turn(code, wait_s=20, out_of_turn=False, odds=False)
    anew = Agents(server.address)  # as after a restart of the program
    try:
        after = await agent_of(anew, token)
        with pytest.raises(MoveRefusedError, match="not seen this table") as refused:
            await after.act(code, choose(seen))
        assert "It is your turn" in refused.value.table
        assert "is made" in await after.act(code, choose(refused.value.table))
    finally:
        await anew.close()


async def test_waiting_ends_in_time_and_says_to_wait_again(agents: Agents) -> None:
    ann, bo = await agent_of(agents, new_token()), await agent_of(agents, new_token())
    code = await opened(ann, seats=2)
    assert "You are the host: begin starts a match." in await ann.look(code)
    assert "The host begins the next match." in await bo.sit(code.lower(), "Bo")
    await ann.begin(code)
    waits = [agent.wait_for_turn(code, wait_s=2, out_of_turn=False, odds=False) for agent in (ann, bo)]
    texts = await asyncio.gather(*waits)
    assert sorted(WAIT_AGAIN in text for text in texts) == [False, True]
    with pytest.raises(LiarsDiceError):
        await (bo if WAIT_AGAIN in texts[1] else ann).act(code, "liar")
    assert await bo.leave(code) == f"You left table {code}."


async def test_only_matches_that_are_over_are_reviewed(agents: Agents) -> None:
    agent = await agent_of(agents, new_token())
    code = await opened(agent, "random", begin=True)
    with pytest.raises(MalformedError, match="none yet"):
        await agent.review(code, None, wait_s=1)
    told = await play(tools_of(agent), code)
    assert OVER in told[-1]
    with pytest.raises(MalformedError, match="1 to 1"):
        await agent.review(code, 2, wait_s=1)


async def test_the_views_of_a_few_tables_are_kept(agents: Agents) -> None:
    agent = await agent_of(agents, new_token())
    codes = [await opened(agent) for _ in range(MAX_TABLES + 1)]
    assert "Since your last look" in await agent.look(codes[0])
    assert "Since your last look" not in await agent.look(codes[-1])
