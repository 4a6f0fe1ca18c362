"""Who asks for estimates at a training table learns nothing about hidden dice, and pays from the budget of the address.

The tables of a pair differ in hidden dice only.
"""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from liarsdice.core.rules.bids import Bid
from liarsdice.server.http import costly_work
from liarsdice.server.http.auth import COOKIE
from liarsdice.server.http.costly_work import TRAINING_COST
from liarsdice.server.http.limits import RateLimits
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.messages import CommandRequest
from liarsdice.server.table import commands as c
from tests.server.live_tables import begin_match, make_config, make_table
from tests.server.running_server import run_server
from tests.server.twin_tables import CODE, NAMES, SPECTATOR, STRANGER, TwinDiceSource, TwinTable

PATH = f"/api/tables/{CODE}/training"
PEOPLE = NAMES[:3]
BIDS = (Bid(2, 4), Bid(3, 4), Bid(3, 5))


async def estimates(number: int, observer: int | None, *, training: bool = True) -> list[dict[str, bytes]]:
    """What everybody is answered in the opening and after each bid of a round, by name.

    `number`: which of two tables this is; their dice differ in all hands but the observer's.
    """
    table = TwinTable(TwinDiceSource(3, number, observer, 1), io.StringIO())
    await table.open(make_config(training=training), len(PEOPLE))
    await table.send(PEOPLE[0], ENCODER.encode(CommandRequest("begin", c.Begin())).decode())
    await table.end_step()
    answers = []
    for bid in (*BIDS, None):
        answers.append({name: await table.request("GET", PATH, name) for name in (*PEOPLE, SPECTATOR, STRANGER)})
        match = table.table().match
        assert match is not None
        if bid is not None:
            move = CommandRequest(f"bid{match.turn_id}", bid, match.turn_id)
            await table.send(PEOPLE[match.state.turn], ENCODER.encode(move).decode())
            await table.end_step()
    await table.close()
    return answers


async def test_estimates_of_a_seat_are_the_same_whatever_dice_the_others_hold() -> None:
    for observer in range(len(PEOPLE)):
        first, second = [await estimates(number, observer) for number in range(2)]
        name = PEOPLE[observer]
        assert [step[name] for step in first] == [step[name] for step in second]
        others = set(PEOPLE) - {name}
        assert any(step[other] != again[other] for step, again in zip(first, second, strict=True) for other in others)


async def test_the_lengths_of_all_answers_are_the_same_whatever_dice_anybody_holds() -> None:
    first, second = [await estimates(number, None) for number in range(2)]
    assert first != second
    for step, again in zip(first, second, strict=True):
        assert {name: len(body) for name, body in step.items()} == {name: len(body) for name, body in again.items()}


async def test_only_players_are_answered_and_only_at_a_training_table() -> None:
    for step in await estimates(0, None):
        assert all(f"{PATH} 200".encode() in step[name] for name in PEOPLE)
        assert all(f"{PATH} 403".encode() in step[name] for name in (SPECTATOR, STRANGER))
    for step in await estimates(0, None, training=False):
        assert all(f"{PATH} 403".encode() in step[name] for name in step)
        assert b"no training table" in step[PEOPLE[0]]


async def test_estimates_are_paid_from_the_budget_of_the_address_once_for_each_situation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costly_work, "PREPAID_S", 3600.0)  # however slow the machine is
    async with run_server(tmp_path / "db", RateLimits(work_per_minute=TRAINING_COST + 5)) as server:
        live_table = await make_table(server.registry, "Ann", "Bo", config=make_config(training=True))
        await begin_match(server.registry, live_table)
        ann, bo = server.browser(), server.browser()
        ann.cookies.set(COOKIE, "Ann")
        bo.cookies.set(COOKIE, "Bo")
        path = f"/api/tables/{live_table.code}/training"
        first, again = await ann.get(path), await ann.get(path)
        assert (first.status_code, again.content) == (200, first.content)
        refused = await bo.get(path)
        assert refused.status_code == 429
        assert "no-store" in first.headers["cache-control"]


async def test_everybody_learns_that_a_table_is_for_training(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db") as server:
        client = server.browser()
        code = await server.open_table(client, training=True, listed=True)
        assert (await server.browser().get(f"/api/tables/{code}")).json()["training"] is True
        assert [table["training"] for table in (await server.browser().get("/api/lobby")).json()] == [True]
        plain = await server.open_table(client, name="Ann", listed=True)
        assert (await server.browser().get(f"/api/tables/{plain}")).json()["training"] is False
