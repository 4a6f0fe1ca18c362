"""Where the host decides who sits down, people ask for a seat, and sit down only when the host gives it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from liarsdice.core.errors import IllegalActionError
from liarsdice.server.errors import BannedError, ForbiddenError, NameTakenError, StaleError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.protocol.views import table_setup
from liarsdice.server.table import commands as c
from liarsdice.server.table.seating import MAX_OPEN_PER_ADDRESS, MAX_OPEN_REQUESTS
from tests.server.live_tables import RecordingSubscriber, begin_match, make_config, make_table, open_registry

ANN, BO, CY = map(hash_token, ("Ann", "Bo", "Cy"))
CONFIG = msgspec.structs.replace(make_config(), approval=True)


async def ask(registry: TableRegistry, live_table: LiveTable, name: str, address: str = "") -> int | None:
    """Let somebody ask for a seat, whose token is their name."""
    return await registry.take_seat(live_table, name, hash_token(name), "", f"ask-{name}", address)


async def test_a_person_sits_down_only_when_the_host_agrees(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", config=CONFIG)
        page = RecordingSubscriber(BO)
        live_table.subscribe(page)
        assert await ask(registry, live_table, "Bo") is None
        assert await ask(registry, live_table, "Bo") is None
        table = await live_table.state()
        assert [player.name for player in table.players] == ["Ann"]
        assert [(request.number, request.name) for request in table_setup(table).requests] == [(1, "Bo")]
        await registry.submit(live_table, ANN, "give", c.AnswerSeat(1, give=True))
        table = await live_table.state()
        assert [player.name for player in table.players] == ["Ann", "Bo"]
        assert table_setup(table).requests == ()
        assert page.player == 2


async def test_only_the_host_answers_a_request_and_only_once(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Cy")
        await registry.submit(live_table, ANN, "config", c.Change(CONFIG))
        await ask(registry, live_table, "Bo")
        with pytest.raises(ForbiddenError, match="only the host"):
            await registry.submit(live_table, CY, "give", c.AnswerSeat(1, give=True))
        with pytest.raises(ForbiddenError):
            await registry.submit(live_table, BO, "give", c.AnswerSeat(1, give=True))
        await registry.submit(live_table, ANN, "give", c.AnswerSeat(1, give=True))
        with pytest.raises(StaleError, match="answered already"):
            await registry.submit(live_table, ANN, "again", c.AnswerSeat(1, give=False))


async def test_a_refused_person_may_ask_again_after_the_next_match_has_begun(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Cy")
        await registry.submit(live_table, ANN, "config", c.Change(CONFIG))
        await ask(registry, live_table, "Bo")
        await registry.submit(live_table, ANN, "no", c.AnswerSeat(1, give=False))
        with pytest.raises(BannedError, match="next match"):
            await registry.take_seat(live_table, "Bo", BO, "", "again")
        await begin_match(registry, live_table)
        assert (await live_table.state()).seat_requests == ()


async def test_a_refused_person_cannot_ask_again_with_another_browser_from_the_same_address(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", config=CONFIG)
        await ask(registry, live_table, "Bo", "192.0.2.1")
        await ask(registry, live_table, "Cy", "192.0.2.1")
        await registry.submit(live_table, ANN, "no", c.AnswerSeat(1, give=False))
        with pytest.raises(BannedError, match="next match"):
            await ask(registry, live_table, "Dee", "192.0.2.1")
        assert await ask(registry, live_table, "Cy", "192.0.2.1") is None  # this request is still open
        assert await ask(registry, live_table, "Eve", "192.0.2.2") is None


async def test_an_address_that_others_at_the_table_share_may_ask_again(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", config=CONFIG)
        await ask(registry, live_table, "Bo", "192.0.2.1")
        await ask(registry, live_table, "Cy", "192.0.2.1")
        await registry.submit(live_table, ANN, "no", c.AnswerSeat(1, give=False))
        await registry.submit(live_table, ANN, "yes", c.AnswerSeat(2, give=True))
        assert await ask(registry, live_table, "Dee", "192.0.2.1") is None
        with pytest.raises(BannedError, match="next match"):
            await registry.take_seat(live_table, "Bo", BO, "", "again", "192.0.2.1")


async def test_a_seat_link_answers_the_request_of_its_device_so_that_it_gets_one_seat(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Cy")
        await registry.submit(live_table, ANN, "config", c.Change(CONFIG))
        await ask(registry, live_table, "Bo")
        await registry.add_device(live_table, 2, BO)
        with pytest.raises(StaleError, match="answered already"):
            await registry.submit(live_table, ANN, "give", c.AnswerSeat(1, give=True))
        assert [player.name for player in (await live_table.state()).players] == ["Ann", "Cy"]


async def test_open_requests_are_bounded(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", config=CONFIG)
        for number in range(MAX_OPEN_PER_ADDRESS):
            await ask(registry, live_table, f"Guest {number}", "192.0.2.1")
        with pytest.raises(IllegalActionError, match="try again"):
            await ask(registry, live_table, "Bo", "192.0.2.1")
        for number in range(MAX_OPEN_PER_ADDRESS, MAX_OPEN_REQUESTS):
            await ask(registry, live_table, f"Guest {number}", f"192.0.2.{number + 2}")
        with pytest.raises(IllegalActionError, match="try again"):
            await ask(registry, live_table, "Bo", "192.0.2.99")


async def test_a_name_that_was_taken_meanwhile_is_refused_to_the_host(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", config=CONFIG)
        await ask(registry, live_table, "Bo")
        await registry.take_seat(live_table, "BO", CY, "", "ask")
        await registry.submit(live_table, ANN, "give", c.AnswerSeat(1, give=True))
        with pytest.raises(NameTakenError):
            await registry.submit(live_table, ANN, "give2", c.AnswerSeat(2, give=True))


async def test_whoever_opened_the_table_needs_nobodys_consent(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        await registry.submit(live_table, ANN, "config", c.Change(CONFIG))
        await registry.submit(live_table, ANN, "leave", c.Leave())
        assert await ask(registry, live_table, "Ann") == 3


async def test_without_approval_open_requests_are_dropped_and_everybody_may_sit_down(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", config=CONFIG)
        await ask(registry, live_table, "Bo")
        await registry.submit(live_table, ANN, "config", c.Change(make_config()))
        assert (await live_table.state()).seat_requests == ()
        assert await registry.take_seat(live_table, "Bo", BO, "", "sit") == 2
