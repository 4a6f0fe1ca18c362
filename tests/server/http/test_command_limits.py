"""Programs talk and change tables as often as a connection of a page may, and move as often as they can."""

from __future__ import annotations

import pytest

from liarsdice.server.errors import RateLimitError
from liarsdice.server.http import command_limits
from liarsdice.server.http.command_limits import CommandLimits
from liarsdice.server.http.table_session import BURST, CHANGE_COST, PER_S
from tests.server.running_server import RunningServer


def allowed(limits: CommandLimits, token_hash: str, tag: object, most: int = 1_000) -> int:
    """How many commands are allowed before one is refused, at most so many."""
    for count in range(most):
        try:
            limits.check(token_hash, tag)
        except RateLimitError:
            return count
    return most


def test_each_program_has_the_budget_of_a_connection() -> None:
    now_s = [0.0]
    limits = CommandLimits(lambda: now_s[0])
    assert (allowed(limits, "a", "say"), allowed(limits, "b", "say")) == (BURST, BURST)
    now_s[0] += 1.0
    assert allowed(limits, "a", "say") == PER_S
    assert allowed(limits, "c", "change") == BURST // CHANGE_COST


@pytest.mark.parametrize("tag", ["bid", "challenge", "exact", "set_direction", "declare_special"])
def test_moves_are_not_counted(tag: str) -> None:
    assert allowed(CommandLimits(), "a", tag) == 1_000


def test_a_tag_of_any_type_counts() -> None:
    limits = CommandLimits(lambda: 0.0)
    assert allowed(limits, "a", None) == BURST
    assert allowed(limits, "b", ["bid"]) == BURST


def test_the_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_limits, "MAX_REMEMBERED", 1)
    limits = CommandLimits(lambda: 0.0)
    assert allowed(limits, "a", "say") == BURST
    limits.check("b", "say")
    limits.check("a", "say")


async def test_a_program_that_floods_a_table_is_refused(server: RunningServer) -> None:
    client = server.program()
    code = await server.open_table(client)
    statuses = []
    for number in range(3 * BURST):
        body = {"id": f"{number}", "command": {"type": "say", "text": "hello"}}
        answer = await client.post(f"/api/tables/{code}/act", json=body)
        statuses.append(answer.status_code)
        if answer.status_code != 200:
            break
    assert statuses[:BURST] == [200] * BURST
    assert statuses[-1] == 429
