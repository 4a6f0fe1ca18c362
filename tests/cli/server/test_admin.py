"""`liarsdice admin`: its commands, what they print, and that each leaves its trace in the audit log."""

import asyncio
import os
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest

from liarsdice.cli.server.admin import export_records, table_lines
from liarsdice.cli.stdio import EXIT_ERROR
from liarsdice.core.errors import UnavailableError
from liarsdice.core.records.record import read_record
from liarsdice.play.provable_dice import verify_dice
from liarsdice.play.verify_record import RecordSigner, verify_record
from liarsdice.server.http.auth import hash_token, is_token
from liarsdice.server.http.server_bans import TOKEN_SCOPE, network_hash
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.live.table_services import AddressPolicy
from liarsdice.server.settings import PostgresUrl, TokenScope, signing_key_path
from liarsdice.server.storage import postgres
from liarsdice.server.storage.administration import SqliteAdministration, TableRow
from liarsdice.server.storage.audit_log import AuditEntry, audit_path
from liarsdice.server.storage.postgres import PostgresStore
from liarsdice.server.storage.signing_keys import key_path, read_or_create_secret
from liarsdice.server.storage.sqlite import SqliteStore
from liarsdice.server.storage.store import ProgramToken
from liarsdice.server.table import commands as c
from tests.cli.run_cli import error_line, run_captured
from tests.server.live_tables import (
    START_MS,
    FakeClockServices,
    fake_clock,
    is_over,
    log_of,
    make_config,
    make_table,
    open_registry,
    record_in,
    wait_until,
)

ANN = hash_token("Ann")


def export(database: Path, folder: Path) -> int:
    return export_records(str(folder), SqliteAdministration(database), signing_key_path(database))


async def play_match(registry: TableRegistry) -> str:
    live_table = await make_table(registry, "Ann", config=make_config(seats=2), bots=("random",))
    await registry.submit(live_table, ANN, "begin", c.Begin())
    await registry.submit(live_table, ANN, "bot", c.StandIn(1, bot=True))
    await wait_until(live_table, is_over)
    return live_table.code


async def test_every_finished_match_is_exported_once_beside_a_running_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new" / "records"
    async with open_registry(tmp_path / "db") as registry:
        codes = [await play_match(registry) for _ in range(2)]
        await make_table(registry, "Bo")
        assert export(tmp_path / "db", folder) == 0
        logs = {code: log_of(registry, code) for code in codes}
    assert {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()} == {
        f"20260921-{code}-1.jsonl": unsigned.text for code, log in logs.items() if (unsigned := record_in(log, 1))
    }
    for file in folder.iterdir():
        assert verify_dice(read_record(file)).dice > 0
    assert export(tmp_path / "db", folder) == 0
    assert f"Records written to {folder}: 0. Records that were there already: 2." in capsys.readouterr().out


async def test_exported_records_are_signed_if_the_key_file_is_beside_the_database(tmp_path: Path) -> None:
    signer = RecordSigner(read_or_create_secret(tmp_path / "db.signing-key", "the signing key"))
    async with open_registry(tmp_path / "db", signer=signer) as registry:
        code = await play_match(registry)
    assert export(tmp_path / "db", tmp_path / "records") == 0
    record = (tmp_path / "records" / f"20260921-{code}-1.jsonl").read_bytes()
    assert verify_record(record, keys=[signer.public_key]).fairness.key


@pytest.mark.parametrize("body", ["nonsense", '{"type":"was_ready","player":9}'])
async def test_a_damaged_table_is_named_and_all_others_are_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], body: str
) -> None:
    async with open_registry(tmp_path / "db") as registry:
        damaged = (await make_table(registry, "Bo")).code
        await play_match(registry)
    with closing(sqlite3.connect(tmp_path / "db")) as connection:
        connection.execute("UPDATE entries SET body = ? WHERE code = ? AND seq = 3", (body, damaged))
        connection.commit()
    assert export(tmp_path / "db", tmp_path / "records") == EXIT_ERROR
    assert f"the log of table {damaged} cannot be read: entry 3" in capsys.readouterr().err
    assert len(list((tmp_path / "records").iterdir())) == 1


def test_a_folder_that_cannot_be_created_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").touch()
    with pytest.raises(UnavailableError, match="cannot write to"):
        export_records(str(tmp_path / "text" / "records"), SqliteAdministration(tmp_path / "none"), tmp_path / "key")


Patch = pytest.MonkeyPatch


def admin(database: Path, *arguments: str | Path) -> tuple[int | str | None, str, str]:
    with patch.dict(os.environ, LIARSDICE_DATABASE=f"sqlite:///{database}"):
        return run_captured("admin", *arguments)


def audit(database: Path) -> list[tuple[str, str]]:
    lines = audit_path(database).read_bytes().splitlines()
    entries = [msgspec.json.decode(line, type=AuditEntry) for line in lines]
    return [(entry.command, entry.outcome) for entry in entries]


async def test_tables_are_listed_exported_removed_and_pruned(tmp_path: Path, monkeypatch: Patch) -> None:
    database = tmp_path / "db"
    async with open_registry(database) as registry:
        played, other = await play_match(registry), await play_match(registry)
        waiting = (await make_table(registry, "Bo")).code
    status, listing, _ = admin(database, "tables")
    assert status == 0
    assert {line.split()[0] for line in listing.splitlines()} == {"code", played, other, waiting}
    assert "2026-09-21 14:13" in listing

    status, _, _ = admin(database, "export", tmp_path / "records", "--table", played)
    assert status == 0
    assert [file.name for file in (tmp_path / "records").iterdir()] == [f"20260921-{played}-1.jsonl"]

    status, printed, _ = admin(database, "remove", played)
    assert (status, printed) == (0, f"Deleted: {played}.\n")
    assert {table.code for table in SqliteAdministration(database).list_tables()} == {other, waiting}

    monkeypatch.setattr("time.time", lambda: START_MS / 1000 + 100 * 24 * 3600)
    assert admin(database, "prune", "--days", "101")[1] == "Tables deleted: 0.\n"
    assert admin(database, "prune", "--days", "99")[1] == "Tables deleted: 2.\n"
    assert SqliteAdministration(database).list_tables() == []
    commands = ["export", "remove", "prune", "prune"]
    assert audit(database) == [(name, outcome) for name in commands for outcome in ("began", "done")]


async def test_reports_of_players_are_listed_with_what_was_said(tmp_path: Path) -> None:
    database = tmp_path / "db"
    assert admin(database, "reports") == (0, "", "")
    async with open_registry(database) as registry:
        fake_clock(registry).key_base = database
        live_table = await make_table(registry, "Ann", "Bo")
        await registry.submit(live_table, hash_token("Bo"), "say", c.Say("something bad"))
        await registry.submit(live_table, hash_token("Ann"), "report", c.Report(2))
    admin(database, "prune", "--days", "1")
    with audit_path(database).open("a") as log:
        log.write("half a li\n")
    status, printed, _ = admin(database, "reports")
    report, said = printed.splitlines()
    assert (status, said) == (0, "    something bad")
    assert report.endswith(f"  table {live_table.code}: Bo, reported by Ann")


async def test_a_backup_is_made_beside_a_running_server_and_restored_without_one(tmp_path: Path) -> None:
    database, copy, target = tmp_path / "db", tmp_path / "copy", tmp_path / "new" / "db"
    async with open_registry(database) as registry:
        code = (await make_table(registry, "Ann")).code
        assert admin(database, "backup", copy)[0] == 0
    status, printed, _ = admin(target, "restore", copy)
    assert (status, printed) == (0, f"The database {target} is restored from {copy}.\n")
    assert [table.code for table in SqliteAdministration(target).list_tables()] == [code]
    assert audit(database) == [("backup", "began"), ("backup", "done")]
    assert audit(target) == [("restore", "began"), ("restore", "done")]


async def test_a_change_is_refused_while_a_server_runs(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "db")
    await store.open(0)
    status, _, error = admin(tmp_path / "db", "prune", "--days", "1")
    await store.close()
    assert status == 2
    assert "another server" in error
    assert "stop that one first" in error
    assert audit(tmp_path / "db") == [("prune", "began"), ("prune", "failed")]


@pytest.mark.parametrize("arguments", [("remove", "ABCD"), ("prune", "--days", "9"), ("backup", "copy"), ("tables",)])
def test_a_database_that_is_not_there_is_not_created(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    status, _, error = admin(tmp_path / "db", *arguments)
    assert status == 2
    assert "there is no database" in error
    assert list(tmp_path.iterdir()) == []


async def test_the_table_to_export_must_be_there(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        await make_table(registry, "Ann")
    status, _, error = admin(tmp_path / "db", "export", tmp_path / "records", "--table", "NONE")
    assert status == 2
    assert "has no table 'NONE'" in error


async def test_the_commands_work_with_postgresql_and_are_logged_beside_its_keys(
    tmp_path: Path, monkeypatch: Patch, postgres_url: PostgresUrl
) -> None:
    """Only `restore` needs another database; it is told from the file that `backup` wrote."""
    monkeypatch.setenv("LIARSDICE_DATABASE", postgres_url.url)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(postgres, "LOCK_TIMEOUT_S", 0.05)

    async def run(*arguments: str | Path) -> tuple[int | str | None, str, str]:
        return await asyncio.to_thread(run_captured, "admin", *arguments)

    services = FakeClockServices(PostgresStore(postgres_url))
    registry = TableRegistry(services)
    await services.open()
    played = await play_match(registry)
    waiting = (await make_table(registry, "Bo")).code
    status, listing, _ = await run("tables")
    assert (status, {line.split()[0] for line in listing.splitlines()}) == (0, {"code", played, waiting})
    assert (await run("export", tmp_path / "records"))[0] == 0
    (record,) = await asyncio.to_thread(lambda: list((tmp_path / "records").iterdir()))
    assert verify_dice(read_record(record)).dice > 0
    assert (await run("backup", tmp_path / "copy.db"))[0] == 0
    status, _, error = await run("remove", waiting)
    assert status == 2
    assert "another server" in error
    head, node = (await run("nodes"))[1].splitlines()
    assert head.split() == ["machine", "process", "keys", "settings"]
    assert str(os.getpid()) in node.split()
    await services.close()

    assert (await run("remove", waiting))[1] == f"Deleted: {waiting}.\n"
    monkeypatch.setattr("time.time", lambda: START_MS / 1000 + 100 * 24 * 3600)
    assert (await run("prune", "--days", "99"))[1] == "Tables deleted: 1.\n"
    status, printed, error = await run("restore", tmp_path / "copy.db")
    assert (status, error) == (0, "")
    assert printed == f"The database {postgres_url} is restored from {tmp_path / 'copy.db'}.\n"
    assert {line.split()[0] for line in (await run("tables"))[1].splitlines()} == {"code", played, waiting}
    outcomes = {"remove": ("began", "failed", "began", "done")}
    commands = ("export", "backup", "remove", "prune", "restore")
    assert audit(tmp_path / "state" / "liarsdice" / "postgresql") == [
        (name, outcome) for name in commands for outcome in outcomes.get(name, ("began", "done"))
    ]


@pytest.mark.parametrize("arguments", [("tables",), ("export", "records"), ("remove", "ABCD"), ("backup", "copy")])
def test_a_postgresql_database_that_cannot_be_reached_is_named_without_its_password(
    tmp_path: Path, monkeypatch: Patch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv("LIARSDICE_DATABASE", f"postgresql://ann:s3cr3t@/dice?host={tmp_path}")
    error = error_line("admin", *arguments)
    assert "the database postgresql:///dice cannot be used" in error
    assert "s3cr3t" not in error
    assert list(tmp_path.iterdir()) == []


def test_the_driver_of_postgresql_is_asked_for_by_its_name(monkeypatch: Patch) -> None:
    monkeypatch.setenv("LIARSDICE_DATABASE", "postgresql://db.example/dice")
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    error = error_line("admin", "tables")
    assert "pip install 'liarsdice-engine[postgresql]'" in error


def test_a_line_says_when_a_table_changed_and_what_it_waits_for() -> None:
    changed_ms, due_ms = 1_790_000_000_000, 1_790_000_060_000
    lines = table_lines(
        [TableRow("ABCD", 1_234, True, due_ms, changed_ms), TableRow("EFGH", 7, False, None, changed_ms)]
    )
    assert [line.split() for line in lines[1:]] == [
        ["ABCD", "1,234", "yes", "2026-09-21", "14:14", "2026-09-21", "14:13"],
        ["EFGH", "7", "no", "none", "2026-09-21", "14:13"],
    ]
    assert len({len(line) for line in lines}) == 1


ADDRESS = "192.0.2.7"


async def sit_down(registry: TableRegistry, live_table: LiveTable, name: str, address: str) -> int:
    player_id = await registry.take_seat(live_table, name, hash_token(name), "", f"sit-{name}", address)
    assert player_id is not None
    return player_id


async def test_a_network_is_banned_for_some_hours_listed_and_let_in_again(tmp_path: Path, monkeypatch: Patch) -> None:
    database = tmp_path / "db"
    monkeypatch.setattr("time.time", lambda: START_MS / 1000)
    async with open_registry(database) as registry:
        store = registry.services.store
        status, printed, _ = admin(database, "ban", "add", "192.0.2.0/24", "--hours", "2", "--note", "spam")
        assert (status, printed) == (0, "Ban 1 is in force (IPv4 /24). `liarsdice admin ban lift 1` lifts it.\n")
        secret = read_or_create_secret(key_path(database), "the key")
        (ban,) = await store.server_bans(START_MS + 2 * 3_600_000 - 1)
        assert (ban.scope, ban.hash) == network_hash(secret, "192.0.2.99/24")
        assert await store.server_bans(START_MS + 2 * 3_600_000) == ()
        head, line = admin(database, "ban", "list")[1].splitlines()
        assert head.split()[0] == "ban"
        assert re.split(r"  +", line) == ["1", "IPv4 /24", "2026-09-21 14:13", "2026-09-21 16:13", "spam"]
        assert admin(database, "ban", "lift", "1")[1] == "Ban 1 is lifted.\n"
        assert await store.server_bans(START_MS) == ()
    status, _, error = admin(database, "ban", "lift", "1")
    assert status == 2
    assert "there is no ban 1" in error
    assert audit(database) == [
        *(("ban add", "began"), ("ban add", "done"), ("ban lift", "began"), ("ban lift", "done")),
        *(("ban lift", "began"), ("ban lift", "failed")),
    ]


async def test_neither_the_database_nor_the_audit_log_has_a_banned_address(tmp_path: Path) -> None:
    database = tmp_path / "db"
    async with open_registry(database):
        assert admin(database, "ban", "add", ADDRESS)[0] == 0
    assert ADDRESS.encode() not in database.read_bytes()
    assert ADDRESS.encode() not in audit_path(database).read_bytes()
    assert b'"of":"IPv4 /32"' in audit_path(database).read_bytes()


async def test_a_ban_of_this_machine_s_address_says_whom_it_may_exclude(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        key = read_or_create_secret(key_path(tmp_path / "db"), "the key")
        registry.services.address_policy = AddressPolicy(key, 10)
        live_table = await make_table(registry, "Ann")
        for name, address in ("Bo", ADDRESS), ("Cy", "::1"):
            await sit_down(registry, live_table, name, address)
        for arguments, warns in (
            ([ADDRESS], False),
            (["127.0.0.1"], True),
            (["::1/128"], True),
            (["--table", live_table.code, "--player", "Bo"], False),
            (["--table", live_table.code, "--player", "Cy"], True),
        ):
            status, _, warning = admin(tmp_path / "db", "ban", "add", *arguments)
            assert (status, "Everybody has it" in warning) == (0, warns), arguments


async def test_a_player_is_banned_by_devices_and_address_also_after_leaving(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann")
        bo = await sit_down(registry, live_table, "Bo", ADDRESS)
        await registry.add_device(live_table, bo, hash_token("Bo's phone"))
        await registry.submit(live_table, hash_token("Bo"), "leave", c.Leave())
        status, printed, _ = admin(tmp_path / "db", "ban", "add", "--table", live_table.code.lower(), "--player", "Bo")
        assert status == 0
        assert f"({live_table.code} address, 2 devices)" in printed
        bans = {(ban.scope, ban.hash) for ban in await registry.services.store.server_bans(START_MS)}
        assert bans == {
            (TOKEN_SCOPE, hash_token("Bo")),
            (TOKEN_SCOPE, hash_token("Bo's phone")),
            (live_table.code, registry.services.hash_address(live_table.code, ADDRESS)),
        }


async def test_an_address_that_others_at_the_table_share_is_not_banned_with_a_player(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann")
        for name in ("Bo", "Cy"):
            await sit_down(registry, live_table, name, ADDRESS)
        printed = admin(tmp_path / "db", "ban", "add", "--table", live_table.code, "--player", "Bo")[1]
        assert "(1 device)" in printed
        status, _, error = admin(tmp_path / "db", "ban", "add", "--table", live_table.code, "--player", "Dee")
        assert status == 2
        assert "has had no player 'Dee'" in error


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--table", "ABCD"),
        (ADDRESS, "--table", "ABCD", "--player", "Bo"),
        ("Ann",),
        (ADDRESS, "--note", "x" * 201),
    ],
)
async def test_a_ban_of_nobody_or_of_two_things_is_refused(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    async with open_registry(tmp_path / "db"):
        status, _, error = admin(tmp_path / "db", "ban", "add", *arguments)
    assert status == 2
    assert error.count("\n") == 1
    assert not audit_path(tmp_path / "db").exists()


DAY_MS = 24 * 3_600_000


async def test_a_token_is_shown_once_listed_and_revoked(tmp_path: Path, monkeypatch: Patch) -> None:
    database = tmp_path / "db"
    monkeypatch.setattr("time.time", lambda: START_MS / 1000)
    async with open_registry(database) as registry:
        store = registry.services.store
        words = ("token", "add", "ladder", "--scope", "play", "--scope", "read", "--expires", "2")
        status, printed, _ = admin(database, *words)
        token = printed.strip()
        assert status == 0
        assert is_token(token)
        until_ms = START_MS + 2 * DAY_MS
        scopes = (TokenScope.READ, TokenScope.PLAY)
        assert await store.program_tokens() == (ProgramToken(hash_token(token), "ladder", scopes, START_MS, until_ms),)
        admin(database, "token", "add", "other", "--scope", "open")
        _, first, second = admin(database, "token", "list")[1].splitlines()
        assert re.split(r"  +", first) == ["ladder", "read play", "2026-09-21 14:13", "2026-09-23 14:13"]
        assert re.split(r"  +", second) == ["other", "open", "2026-09-21 14:13", "until revoked"]
        assert admin(database, "token", "revoke", "ladder")[1] == "The token ladder is revoked.\n"
        assert len(admin(database, "token", "list")[1].splitlines()) == 2
    status, _, error = admin(database, "token", "revoke", "ladder")
    assert status == 2
    assert "there is no token 'ladder'" in error
    commands = ["token add", "token add", "token revoke", "token revoke"]
    outcomes = ["done", "done", "done", "failed"]
    assert audit(database) == [
        entry
        for command, outcome in zip(commands, outcomes, strict=True)
        for entry in ((command, "began"), (command, outcome))
    ]
    assert token not in audit_path(database).read_text()
    assert token.encode() not in database.read_bytes()


@pytest.mark.parametrize("name", ["", " a", "a" * 41, "a\nb"])
async def test_a_name_that_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    async with open_registry(tmp_path / "db"):
        status, _, error = admin(tmp_path / "db", "token", "add", name, "--scope", "read")
    assert status == 2
    assert "a name has 1 to 40" in error
