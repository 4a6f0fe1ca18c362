"""An operator lists, reads, deletes, backs up and restores the tables of a database; the audit log says so."""

from __future__ import annotations

import asyncio
import os
import socket
import sqlite3
import stat
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import asyncpg
import msgspec
import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.atomic_files import try_lock
from liarsdice.server.run import serve
from liarsdice.server.settings import PostgresUrl, TokenScope, read_settings, signing_key_path
from liarsdice.server.storage import administration as administration_module
from liarsdice.server.storage import postgres, rows
from liarsdice.server.storage.administration import (
    NodeRow,
    SqliteAdministration,
    TableRow,
    new_session_name,
    read_session_name,
)
from liarsdice.server.storage.audit_log import AuditEntry, audit_path, audited
from liarsdice.server.storage.db_schema import LATEST_VERSION
from liarsdice.server.storage.group_rows import GroupRows
from liarsdice.server.storage.postgres import PostgresAdministration, PostgresStore
from liarsdice.server.storage.signing_keys import key_path, read_or_create_secret
from liarsdice.server.storage.sqlite import SqliteStore
from liarsdice.server.storage.store import LogAppend, ProgramToken, ServerBan, Store
from liarsdice.server.table.log_entries import LogRow, Resumed
from tests.postgres_server import PostgresServer
from tests.server.live_tables import PATIENCE_S
from tests.server.storage.stored_tables import PostgresTables, SqliteTables, StoredTables, append

T = TypeVar("T")
DAY_MS = 24 * 3600 * 1000


async def fill(database: StoredTables, *, stopped_at_ms: int = 0) -> None:
    """Three tables that changed on days 1, 2 and 3; the first one has a deadline at the end of day 5."""
    store = await database.open()
    await append(store, "OLDEST", DAY_MS, 5 * DAY_MS, listed=False)
    await append(store, "MIDDLE", 2 * DAY_MS, None, listed=True)
    await append(store, "LATEST", 3 * DAY_MS, None, listed=False)
    await store.heartbeat(stopped_at_ms)
    await store.close()


async def run(command: Callable[..., T], *arguments: object) -> T:
    """Run a command as the program does: without an event loop around it."""
    return await asyncio.to_thread(command, *arguments)


async def codes(database: StoredTables) -> list[str]:
    return [table.code for table in await run(database.administration.list_tables)]


async def test_tables_are_listed_with_the_latest_change_first_while_a_server_runs(database: StoredTables) -> None:
    await fill(database)
    tables = [
        TableRow("LATEST", 1, False, None, 3 * DAY_MS),
        TableRow("MIDDLE", 1, True, None, 2 * DAY_MS),
        TableRow("OLDEST", 1, False, 5 * DAY_MS, DAY_MS),
    ]
    assert await run(database.administration.list_tables) == tables
    store = await database.open(4 * DAY_MS)
    assert await codes(database) == [table.code for table in tables]
    await store.close()


async def test_all_logs_are_read_while_a_server_runs_or_that_of_one_table(database: StoredTables) -> None:
    await fill(database)
    store = await database.open()
    stored = {code: await store.load_state(code) for code in ("LATEST", "MIDDLE", "OLDEST")}
    rows = [(code, list(table.rows)) for code, table in stored.items() if table]
    assert await run(lambda: list(database.administration.read_logs())) == rows
    assert await run(lambda: list(database.administration.read_logs("MIDDLE"))) == [rows[1]]
    await store.close()
    with pytest.raises(UnavailableError, match="has no table 'NONE'"):
        await run(lambda: list(database.administration.read_logs("NONE")))


async def test_the_servers_that_use_a_database_are_listed_while_they_run(database: StoredTables) -> None:
    await fill(database)
    assert await run(database.administration.list_nodes) == []
    store = await database.open()
    nodes = await run(database.administration.list_nodes)
    assert [(node.machine[:20], node.process) for node in nodes] == [(socket.gethostname()[:20], str(os.getpid()))]
    await store.close()


async def test_a_removed_table_leaves_nothing_behind(database: StoredTables) -> None:
    await fill(database)
    await run(database.administration.remove_table, "MIDDLE")
    assert await codes(database) == ["LATEST", "OLDEST"]
    assert await database.execute("DELETE FROM entries WHERE code = 'MIDDLE'") == 0
    with pytest.raises(UnavailableError, match="has no table 'MIDDLE'"):
        await run(database.administration.remove_table, "MIDDLE")


async def test_pruning_deletes_old_tables_but_none_whose_clock_ran_when_the_server_stopped(
    database: StoredTables,
) -> None:
    await fill(database, stopped_at_ms=4 * DAY_MS)
    assert await run(database.administration.prune_tables, 3 * DAY_MS) == 1
    assert await codes(database) == ["LATEST", "OLDEST"]


async def test_pruning_deletes_a_table_whose_deadline_passed_before_the_server_stopped(database: StoredTables) -> None:
    await fill(database, stopped_at_ms=6 * DAY_MS)
    assert await run(database.administration.prune_tables, 3 * DAY_MS) == 2
    assert await codes(database) == ["LATEST"]


async def test_nothing_is_changed_while_a_server_runs(
    database: StoredTables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "LOCK_TIMEOUT_S", 0.05)
    await fill(database)
    administration = database.administration
    await run(administration.back_up, tmp_path / "copy")
    store = await database.open()
    running = r"another server \(.+\) uses the database"
    with pytest.raises(UnavailableError, match=running):
        await run(administration.remove_table, "MIDDLE")
    with pytest.raises(UnavailableError, match=running):
        await run(administration.prune_tables, 3 * DAY_MS)
    with pytest.raises(UnavailableError, match=running):
        await run(administration.restore, tmp_path / "copy")
    await store.close()
    assert await codes(database) == ["LATEST", "MIDDLE", "OLDEST"]


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_a_backup_of_either_kind_is_restored_to_either_kind_with_its_keys(
    database: StoredTables, kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """A backup therefore also moves tables from SQLite to PostgreSQL and back."""
    await fill(database, stopped_at_ms=4 * DAY_MS)
    store = await database.open(4 * DAY_MS)
    await store.save_ticket("hash", "MIDDLE", 7, 9 * DAY_MS)
    await GroupRows(store).create("SPOONSPOON", DAY_MS, None, b"{}")
    await GroupRows(store).add_result("SPOONSPOON", "MIDDLE", 1, DAY_MS, b"[]")
    secrets = [
        read_or_create_secret(key_path(database.key_base), "the key"),
        read_or_create_secret(signing_key_path(database.key_base), "the signing key"),
    ]
    await run(database.administration.back_up, tmp_path / "copy.db")
    logs = await run(lambda: list(database.administration.read_logs()))
    await store.close()

    target = new_database(kind, tmp_path / "new", request)
    await run(target.administration.restore, tmp_path / "copy.db")
    assert await codes(target) == ["LATEST", "MIDDLE", "OLDEST"]
    assert await target.execute("UPDATE tables SET listed = TRUE WHERE listed AND code = 'MIDDLE'") == 1
    for base in (tmp_path / "copy.db", target.key_base):
        keys = [key_path(base), signing_key_path(base)]
        assert [key.read_bytes() for key in keys] == secrets
        assert {stat.S_IMODE(key.stat().st_mode) for key in keys} == {0o600}
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600

    assert await run(lambda: list(target.administration.read_logs())) == logs
    restored = await target.open(4 * DAY_MS)
    assert await restored.last_heartbeat_ms() == 4 * DAY_MS
    assert await restored.redeem_ticket("hash", "MIDDLE", 8 * DAY_MS) == 7
    assert await GroupRows(restored).load("SPOONSPOON") == (1, b"{}")
    assert await GroupRows(restored).results("SPOONSPOON") == [b"[]"]
    await restored.close()


def new_database(kind: str, folder: Path, request: pytest.FixtureRequest) -> StoredTables:
    if kind == "sqlite":
        return SqliteTables(folder / "db")
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return PostgresTables(PostgresUrl(server.create_database()), folder / "postgresql")


async def test_a_backup_replaces_no_file(database: StoredTables, tmp_path: Path) -> None:
    await fill(database)
    (tmp_path / "copy").write_text("shopping list", encoding="utf-8")
    with pytest.raises(UnavailableError, match="there is a file already"):
        await run(database.administration.back_up, tmp_path / "copy")
    assert (tmp_path / "copy").read_text(encoding="utf-8") == "shopping list"


@pytest.mark.parametrize("suffix", [".key", ".signing-key"])
async def test_a_backup_is_not_restored_beside_keys_of_another_database(
    database: StoredTables, suffix: str, tmp_path: Path
) -> None:
    source = SqliteTables(tmp_path / "source")
    await fill(source)
    await run(source.administration.back_up, tmp_path / "copy")
    left = database.key_base.with_name(database.key_base.name + suffix)
    left.touch()
    with pytest.raises(UnavailableError, match=f"there is a file already: .*/{left.name};"):
        await run(database.administration.restore, tmp_path / "copy")


async def test_a_file_that_is_no_backup_is_refused(database: StoredTables, tmp_path: Path) -> None:
    await SqliteTables(tmp_path / "other").execute("CREATE TABLE recipes (name)")
    (tmp_path / "text").write_text("shopping list " * 100, encoding="utf-8")
    restore = database.administration.restore
    with pytest.raises(UnavailableError, match="there is no database"):
        await run(restore, tmp_path / "none")
    for name, reason in ("other", "is a database of another program"), ("text", "file is not a database"):
        before = content_of(tmp_path)
        with pytest.raises(UnavailableError, match=f"{reason}; name the file of a backup"):
            await run(restore, tmp_path / name)
        assert content_of(tmp_path) == before, "a file was left"


def content_of(folder: Path) -> dict[Path, tuple[bytes, int]]:
    """The content and the mode of all files in a folder."""
    return {file: (file.read_bytes(), file.stat().st_mode) for file in folder.iterdir() if file.is_file()}


@pytest.mark.parametrize("name", ["other", "text"])
async def test_a_file_of_another_program_is_not_touched(tmp_path: Path, name: str) -> None:
    await SqliteTables(tmp_path / "other").execute("CREATE TABLE recipes (name)")
    (tmp_path / "text").write_text("shopping list " * 100, encoding="utf-8")
    before = content_of(tmp_path)
    reason = "is a database of another program|file is not a database"
    path = tmp_path / name
    with pytest.raises(UnavailableError, match=reason):
        serve(read_settings({"database": f"sqlite:///{path}"}, {}), any_port_near=True, ready=print)
    with pytest.raises(UnavailableError, match=reason):
        await SqliteStore(path).open(0)
    with pytest.raises(UnavailableError, match=reason):
        SqliteAdministration(path).prune_tables(1)
    with pytest.raises(UnavailableError, match="there is a file already"):
        SqliteAdministration(path).restore(await _backup(tmp_path))
    assert content_of(tmp_path) == before


async def _backup(folder: Path) -> Path:
    await fill(SqliteTables(folder / "backups" / "db"))
    SqliteAdministration(folder / "backups" / "db").back_up(folder / "backups" / "copy")
    return folder / "backups" / "copy"


async def test_a_database_without_tables_of_a_server_is_refused(database: StoredTables, tmp_path: Path) -> None:
    administration = database.administration
    with pytest.raises(UnavailableError, match=r"there is no database|has no tables of a server"):
        await run(administration.require_database)
    with pytest.raises(UnavailableError, match=r"there is no database|has no tables of a server"):
        await run(administration.back_up, tmp_path / "copy")
    assert not await asyncio.to_thread(lambda: list(tmp_path.glob("copy*")))


def test_the_access_names_its_database(tmp_path: Path) -> None:
    assert str(SqliteAdministration(tmp_path / "db")) == str(tmp_path / "db")


@pytest.mark.parametrize("left", ["db", "db-wal"])
async def test_a_backup_is_not_restored_beside_a_file_of_another_database(tmp_path: Path, left: str) -> None:
    """SQLite would play the write-ahead log of another database into the restored one."""
    await fill(SqliteTables(tmp_path / "source"))
    SqliteAdministration(tmp_path / "source").back_up(tmp_path / "copy")
    folder = tmp_path / "server"
    folder.mkdir()
    (folder / left).touch()
    with pytest.raises(UnavailableError, match=f"there is a file already: .*/{left};"):
        SqliteAdministration(folder / "db").restore(tmp_path / "copy")


async def test_a_damaged_database_is_not_taken_for_a_backup(tmp_path: Path) -> None:
    path = tmp_path / "db"
    await fill(SqliteTables(path))
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'tables_due'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    with pytest.raises(UnavailableError, match=r"is damaged|malformed"):
        SqliteAdministration(path).back_up(tmp_path / "copy")
    assert not await asyncio.to_thread(lambda: list(tmp_path.glob("copy*")))


LAST_SEQ = 400


@pytest.fixture
def tables(postgres_url: PostgresUrl, tmp_path: Path) -> PostgresTables:
    return PostgresTables(postgres_url, tmp_path / "postgresql")


async def test_a_backup_has_one_state_of_all_tables_while_a_server_writes(
    tables: PostgresTables, tmp_path: Path
) -> None:
    """Each entry is appended to the second table only after the same one of the first table."""
    store = await tables.open()
    for code in ("AAAA", "BBBB"):
        await append(store, code, 1, None, listed=False)
    writing = asyncio.create_task(write_in_turns(store))
    copies = [tmp_path / f"copy{number}.db" for number in range(3)]
    for copy in copies:
        await run(tables.administration.back_up, copy)
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    await store.close()
    for copy in copies:
        with closing(sqlite3.connect(copy)) as connection:
            heads = dict(connection.execute("SELECT code, head FROM tables").fetchall())
            counts = dict(connection.execute("SELECT code, count(*) FROM entries GROUP BY code").fetchall())
        assert counts == heads, "a log has not the entries that its table counts"
        assert heads["AAAA"] - heads["BBBB"] in (0, 1)


async def write_in_turns(store: Store) -> None:
    for seq in range(1, LAST_SEQ):
        for code in ("AAAA", "BBBB"):
            row = LogRow(seq + 1, seq, "", Resumed())
            assert await store.append(LogAppend(code, seq, (row,), None, listed=False))


async def test_a_backup_is_restored_to_an_empty_database_only(tables: PostgresTables, tmp_path: Path) -> None:
    await fill(tables)
    source = SqliteTables(tmp_path / "source")
    await fill(source)
    await run(source.administration.remove_table, "LATEST")
    await run(source.administration.back_up, tmp_path / "copy")
    with pytest.raises(UnavailableError, match="has tables already"):
        await run(tables.administration.restore, tmp_path / "copy")
    assert await codes(tables) == ["LATEST", "MIDDLE", "OLDEST"]


async def test_a_database_of_another_release_is_not_backed_up(tables: PostgresTables, tmp_path: Path) -> None:
    await fill(tables)
    await tables.execute("UPDATE alembic_version SET version_num = '0001'")
    with pytest.raises(UnavailableError, match=rf"of another release \(schema 0001, not {LATEST_VERSION}\)"):
        await run(tables.administration.back_up, tmp_path / "copy")
    assert [file.name for file in await run(lambda: list(tmp_path.iterdir()))] == []


async def test_a_damaged_log_is_named_and_all_others_are_read(tables: PostgresTables) -> None:
    await fill(tables)
    await tables.execute("UPDATE entries SET body = 'nonsense' WHERE code = 'MIDDLE'")
    logs = await run(lambda: dict(tables.administration.read_logs()))
    assert str(logs["MIDDLE"]) == "the log of table MIDDLE cannot be read: entry 1 (DecodeError)"
    assert len(logs["LATEST"]) == len(logs["OLDEST"]) == 1  # type: ignore[arg-type]  # they are no errors


async def test_a_database_that_cannot_be_used_is_named_without_its_password(tmp_path: Path) -> None:
    url = PostgresUrl(f"postgresql://ann:s3cr3t@/dice?host={tmp_path}")
    with pytest.raises(UnavailableError, match="the database postgresql:///dice cannot be used") as caught:
        await run(PostgresAdministration(url, tmp_path / "postgresql").list_tables)
    assert "s3cr3t" not in str(caught.value)


MAX_LENGTH = 63
"""PostgreSQL cuts off longer names."""


def test_a_name_tells_the_node_and_fits_whatever_the_machine_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getpid", lambda: 4_194_304)
    for machine in ("dice.example", "a long name of a machine in the cellar", "würfel", ""):
        monkeypatch.setattr(socket, "gethostname", lambda machine=machine: machine)
        name = new_session_name("0" * 8, "abcdef")
        assert len(name) <= MAX_LENGTH
        node = read_session_name(name)
        assert node is not None
        assert (node.process, node.keys, node.settings) == ("4194304", "0" * 8, "abcdef")


def test_two_processes_never_have_the_same_name() -> None:
    assert new_session_name("", "") != new_session_name("", "")


def test_names_of_an_earlier_release_have_no_settings() -> None:
    assert read_session_name("liarsdice dice 7 0badcafe 01234567") == NodeRow("dice", "7", "01234567", "")
    assert read_session_name("liarsdice admin") is None


async def test_nodes_learn_who_has_other_settings_where_all_need_the_same(postgres_url: PostgresUrl) -> None:
    digests = [("0" * 8, "abcdef")] * 2 + [("0" * 8, "123456"), ("", "")]
    stores = [PostgresStore(postgres_url, keys_digest=keys, settings_digest=settings) for keys, settings in digests]
    for store in stores:
        await store.open(0)
    name = f"{socket.gethostname()[:20]} (process {os.getpid()})"
    differing = [[*await store.nodes_with_other_settings()] for store in stores[:3]]
    assert differing == [[name], [name], [name, name]]
    for store in stores:
        await store.close()


WAITING_LOCKS = "SELECT count(*) FROM pg_locks WHERE NOT granted"


async def test_the_bans_that_are_in_force_are_read_until_they_expire_or_are_lifted(database: StoredTables) -> None:
    store = await database.open()
    administration = database.administration
    for_good = await asyncio.to_thread(administration.add_ban, [("token", "a"), ("v4/32", "b")], None, 5, "noise")
    for_a_while = await asyncio.to_thread(administration.add_ban, [("token", "c")], 20, 6, "")
    good = (ServerBan("token", "a", for_good, None, 5, "noise"), ServerBan("v4/32", "b", for_good, None, 5, "noise"))
    assert await store.server_bans(19) == (*good, ServerBan("token", "c", for_a_while, 20, 6, ""))
    assert await asyncio.to_thread(administration.list_bans, 19) == await store.server_bans(19)
    assert await store.server_bans(20) == good
    await asyncio.to_thread(administration.lift_ban, for_good)
    assert await store.server_bans(20) == ()
    with pytest.raises(UnavailableError, match="there is no ban"):
        await asyncio.to_thread(administration.lift_ban, for_good)
    await store.close()


async def test_no_number_of_a_ban_is_given_twice(database: StoredTables) -> None:
    administration = database.administration
    await (await database.open()).close()
    numbers = []
    for now_ms in range(3):  # lifted, the highest and another, and ended
        numbers.append(await asyncio.to_thread(administration.add_ban, [("token", "a")], None, now_ms, ""))
        numbers.append(await asyncio.to_thread(administration.add_ban, [("token", "b")], now_ms + 1, now_ms, ""))
        for number in numbers[-1], numbers[-2]:
            await asyncio.to_thread(administration.lift_ban, number)
            with pytest.raises(UnavailableError, match="there is no ban"):
                await asyncio.to_thread(administration.lift_ban, number)
        numbers.append(await asyncio.to_thread(administration.add_ban, [("token", "c")], now_ms + 1, now_ms, ""))
    assert numbers == [*range(1, 10)]
    assert await asyncio.to_thread(administration.list_bans, 3) == ()


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
    monkeypatch.setattr(administration_module, "MAX_BAN_HASHES", 1)
    store = await database.open()
    administration = database.administration
    await asyncio.to_thread(administration.add_ban, [("token", "a")], 20, 5, "")
    with pytest.raises(UnavailableError, match="too many bans"):
        await asyncio.to_thread(administration.add_ban, [("token", "b")], None, 19, "")
    await asyncio.to_thread(administration.add_ban, [("token", "b")], None, 20, "")
    assert [ban.hash for ban in await store.server_bans(20)] == ["b"]
    await store.close()


async def test_bans_of_two_operators_at_once_have_numbers_of_their_own(
    postgres_url: PostgresUrl, administrator: asyncpg.Connection[asyncpg.Record], tmp_path: Path
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
    monkeypatch.setattr(administration_module, "MAX_TOKENS", 1)
    store = await database.open()
    await asyncio.to_thread(database.administration.add_token, ProgramToken("a", "bot", (READ,), 5, 20))
    with pytest.raises(UnavailableError, match="may be no more"):
        await asyncio.to_thread(database.administration.add_token, ProgramToken("b", "b", (READ,), 30, None))
    await store.close()


def test_a_scope_of_a_newer_release_is_left_out() -> None:
    assert rows.read_tokens([("a", "bot", "read fly", 5, None)])[0].scopes == (READ,)


ALONE_S = 0.2
"""How long an operator gets to write a line. Only one who need not wait is so fast."""


def entries(database: Path) -> list[AuditEntry]:
    return [msgspec.json.decode(line, type=AuditEntry) for line in audit_path(database).read_bytes().splitlines()]


def test_a_command_is_logged_before_and_after_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_USER", "ann")
    database = tmp_path / "server.db"
    with audited(database, "prune", days=90) as command:
        assert [entry.outcome for entry in entries(database)] == ["began"]
        command.result = "deleted 7"
    began, done = entries(database)
    assert (began.command, began.arguments, began.result) == ("prune", {"days": 90}, "")
    assert (done.outcome, done.result) == ("done", "deleted 7")
    assert done.account.endswith("(sudo by ann)")
    assert stat.S_IMODE(audit_path(database).stat().st_mode) == 0o600


def test_a_command_that_fails_is_logged_with_the_reason(tmp_path: Path) -> None:
    database = tmp_path / "server.db"
    with pytest.raises(UnavailableError), audited(database, "remove", table="ABCD"):
        raise UnavailableError("there is no such table")
    with pytest.raises(KeyboardInterrupt), audited(database, "remove", table="ABCD"):
        raise KeyboardInterrupt
    assert [(entry.outcome, entry.result) for entry in entries(database) if entry.outcome != "began"] == [
        ("failed", "there is no such table"),
        ("failed", "KeyboardInterrupt"),
    ]


def test_nothing_runs_that_cannot_be_logged(tmp_path: Path) -> None:
    audit_path(tmp_path / "server.db").mkdir()
    ran = False
    with pytest.raises(UnavailableError, match="cannot write the audit log"), audited(tmp_path / "server.db", "prune"):
        ran = True
    assert not ran


@pytest.mark.skipif(sys.platform == "win32", reason="files are not locked there")
def test_a_line_is_written_while_nobody_else_writes_one(tmp_path: Path) -> None:
    """What a full disk took of a line is cut off again, with all that others would have added since."""
    database = tmp_path / "server.db"

    def write(command: str) -> None:
        with audited(database, command):
            pass

    write("prune")
    descriptor = os.open(audit_path(database), os.O_RDWR)
    assert try_lock(descriptor)
    other = threading.Thread(target=write, args=("other",))
    other.start()
    other.join(ALONE_S)
    assert [entry.command for entry in entries(database)] == ["prune", "prune"]
    os.close(descriptor)
    other.join()
    assert [entry.command for entry in entries(database)] == ["prune", "prune", "other", "other"]


async def test_a_group_is_removed_with_its_results(database: StoredTables) -> None:
    await fill(database)
    store = await database.open()
    groups = GroupRows(store)
    await groups.create("SPOONSPOON", DAY_MS, None, b"{}")
    await groups.create("OTHERGROUP", DAY_MS, None, b"{}")
    for code in ("SPOONSPOON", "OTHERGROUP"):
        await groups.add_result(code, "MIDDLE", 1, DAY_MS, b"[]")
    await store.close()
    await run(database.administration.remove_table, "SPOONSPOON")
    with pytest.raises(UnavailableError, match="SPOONSPOON"):
        await run(database.administration.remove_table, "SPOONSPOON")
    groups = GroupRows(store := await database.open())
    assert await groups.load("SPOONSPOON") is None
    assert await groups.results("SPOONSPOON") == []
    assert await groups.results("OTHERGROUP") == [b"[]"]
    await store.close()
