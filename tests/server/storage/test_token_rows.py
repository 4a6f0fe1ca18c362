"""The tokens of programs in a database of either kind, written beside a server that has it open."""

import asyncio

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.server.settings import TokenScope
from liarsdice.server.storage import rows
from liarsdice.server.storage.store import ProgramToken
from tests.server.storage.stored_tables import StoredTables

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
