"""The operator's bans in a database of either kind, written beside a server that has it open."""

import asyncio
from pathlib import Path

import asyncpg
import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.server.settings import PostgresUrl, TokenScope
from liarsdice.server.storage import rows
from liarsdice.server.storage.store import ProgramToken, ServerBan
from tests.server.live_tables import PATIENCE_S
from tests.server.storage.stored_tables import PostgresTables, StoredTables

WAITING_LOCKS = "SELECT count(*) FROM pg_locks WHERE NOT granted"


async def test_the_bans_that_are_in_force_are_read_until_they_expire_or_are_lifted(database: StoredTables) -> None:
    store = await database.open()
    administration = database.administration
    for_good = await asyncio.to_thread(administration.add_ban, [("token", "a"), ("v4/32", "b")], None, 5, "noise")
    for_a_while = await asyncio.to_thread(administration.add_ban, [("token", "c")], 20, 6, "")
    good = (ServerBan("token", "a", for_good, None, 5, "noise"), ServerBan("v4/32", "b", for_good, None, 5, "noise"))
    assert await store.server_bans(19) == (*good, ServerBan("token", "c", for_a_while, 20, 6, ""))
    assert await asyncio.to_thread(administration.list_bans, 19) == [*await store.server_bans(19)]
    assert await store.server_bans(20) == good
    await asyncio.to_thread(administration.lift_ban, for_good)
    assert await store.server_bans(20) == ()
    with pytest.raises(UnavailableError, match="there is no ban"):
        await asyncio.to_thread(administration.lift_ban, for_good)
    await store.close()


async def test_what_is_banned_again_belongs_to_the_new_ban(database: StoredTables) -> None:
    store = await database.open()
    administration = database.administration
    await asyncio.to_thread(administration.add_ban, [("token", "a")], 20, 5, "")
    again = await asyncio.to_thread(administration.add_ban, [("token", "a")], None, 6, "")
    assert await store.server_bans(30) == (ServerBan("token", "a", again, None, 6, ""),)
    await store.close()


async def test_the_number_of_bans_is_bounded_and_expired_ones_make_room(
    database: StoredTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "MAX_BAN_HASHES", 1)
    store = await database.open()
    administration = database.administration
    await asyncio.to_thread(administration.add_ban, [("token", "a")], 20, 5, "")
    with pytest.raises(UnavailableError, match="too many bans"):
        await asyncio.to_thread(administration.add_ban, [("token", "b")], None, 19, "")
    await asyncio.to_thread(administration.add_ban, [("token", "b")], None, 20, "")
    assert [ban.hash for ban in await store.server_bans(20)] == ["b"]
    await store.close()


async def test_bans_of_two_operators_at_once_have_numbers_of_their_own(
    postgres_url: PostgresUrl, administrator: "asyncpg.Connection[asyncpg.Record]", tmp_path: Path
) -> None:
    """Lifting one would lift both. In SQLite, one transaction writes at a time."""
    tables = PostgresTables(postgres_url, tmp_path / "postgresql")
    await (await tables.open()).close()
    other = administrator.transaction()
    await other.start()
    await administrator.execute("INSERT INTO server_bans VALUES ('token', 'a', 1, NULL, 5, '')")
    adding = asyncio.create_task(asyncio.to_thread(tables.administration.add_ban, [("token", "b")], None, 6, ""))
    async with asyncio.timeout(PATIENCE_S):
        while not adding.done() and not await administrator.fetchval(WAITING_LOCKS):
            pass
    await other.commit()
    assert await adding == 2


READ, PLAY = TokenScope.READ, TokenScope.PLAY


async def test_tokens_are_kept_also_after_their_end(database: StoredTables) -> None:
    store = await database.open()
    administration = database.administration
    first, second = ProgramToken("a", "bot", (READ, PLAY), 5, None), ProgramToken("b", "other", (READ,), 6, 20)
    for token in (first, second):
        await asyncio.to_thread(administration.add_token, token)
    assert await store.program_tokens() == (first, second)
    assert await asyncio.to_thread(administration.list_tokens) == (first, second)
    await asyncio.to_thread(administration.revoke_token, "bot", 9)
    assert await store.program_tokens() == (ProgramToken("a", "bot", (READ, PLAY), 5, 9), second)
    with pytest.raises(UnavailableError, match="there is no token 'bot'"):
        await asyncio.to_thread(administration.revoke_token, "bot", 10)
    await store.close()


async def test_a_name_is_free_again_when_its_token_has_ended(database: StoredTables) -> None:
    store = await database.open()
    administration = database.administration
    await asyncio.to_thread(administration.add_token, ProgramToken("a", "bot", (READ,), 5, 20))
    with pytest.raises(UnavailableError, match="already; revoke it"):
        await asyncio.to_thread(administration.add_token, ProgramToken("b", "bot", (READ,), 19, None))
    await asyncio.to_thread(administration.add_token, ProgramToken("b", "bot", (READ,), 20, None))
    await asyncio.to_thread(administration.revoke_token, "bot", 30)
    assert [token.until_ms for token in await store.program_tokens()] == [20, 30]
    await store.close()


async def test_the_number_of_tokens_is_bounded(database: StoredTables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MAX_TOKENS", 1)
    store = await database.open()
    await asyncio.to_thread(database.administration.add_token, ProgramToken("a", "bot", (READ,), 5, 20))
    with pytest.raises(UnavailableError, match="may be no more"):
        await asyncio.to_thread(database.administration.add_token, ProgramToken("b", "b", (READ,), 30, None))
    await store.close()


def test_a_scope_of_a_newer_release_is_left_out() -> None:
    assert rows.read_tokens([("a", "bot", "read fly", 5, None)])[0].scopes == (READ,)
