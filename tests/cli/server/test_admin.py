"""`liarsdice admin`: its commands, what they print, and that each leaves its trace in the audit log."""

import asyncio
import os
import sys
from pathlib import Path

import msgspec
import pytest

from liarsdice.core.records.record import read_record
from liarsdice.play.provable_dice import verify_dice
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.settings import PostgresUrl
from liarsdice.server.storage import postgres
from liarsdice.server.storage.administration import SqliteAdministration
from liarsdice.server.storage.audit_log import AuditEntry, audit_path
from liarsdice.server.storage.postgres import PostgresStore
from liarsdice.server.storage.sqlite import SqliteStore
from liarsdice.server.table import commands as c
from tests.cli.run_cli import run_captured
from tests.cli.server.test_export_records import play_match
from tests.server.live_tables import START_MS, FakeClockServices, fake_clock, make_table, open_registry

Patch = pytest.MonkeyPatch
Captured = pytest.CaptureFixture[str]


def admin(
    monkeypatch: Patch, capsys: Captured, database: Path, *arguments: str | Path
) -> tuple[int | str | None, str, str]:
    monkeypatch.setenv("LIARSDICE_DATABASE", f"sqlite:///{database}")
    return run_captured(monkeypatch, capsys, "admin", *arguments)


def audit(database: Path) -> list[tuple[str, str]]:
    lines = audit_path(database).read_bytes().splitlines()
    entries = [msgspec.json.decode(line, type=AuditEntry) for line in lines]
    return [(entry.command, entry.outcome) for entry in entries]


async def test_tables_are_listed_exported_removed_and_pruned(
    tmp_path: Path, monkeypatch: Patch, capsys: Captured
) -> None:
    database = tmp_path / "db"
    async with open_registry(database) as registry:
        played, other = await play_match(registry), await play_match(registry)
        waiting = (await make_table(registry, "Bo")).code
    capsys.readouterr()  # what the server logged
    status, listing, _ = admin(monkeypatch, capsys, database, "tables")
    assert status == 0
    assert {line.split()[0] for line in listing.splitlines()} == {"code", played, other, waiting}
    assert "2026-09-21 14:13" in listing

    status, _, _ = admin(monkeypatch, capsys, database, "export", tmp_path / "records", "--table", played)
    assert status == 0
    assert [file.name for file in (tmp_path / "records").iterdir()] == [f"20260921-{played}-1.jsonl"]

    status, printed, _ = admin(monkeypatch, capsys, database, "remove", played)
    assert (status, printed) == (0, f"Table {played} is deleted.\n")
    assert {table.code for table in SqliteAdministration(database).list_tables()} == {other, waiting}

    monkeypatch.setattr("time.time", lambda: START_MS / 1000 + 100 * 24 * 3600)
    assert admin(monkeypatch, capsys, database, "prune", "--days", "101")[1] == "Tables deleted: 0.\n"
    assert admin(monkeypatch, capsys, database, "prune", "--days", "99")[1] == "Tables deleted: 2.\n"
    assert SqliteAdministration(database).list_tables() == []
    commands = ["export", "remove", "prune", "prune"]
    assert audit(database) == [(name, outcome) for name in commands for outcome in ("began", "done")]


async def test_reports_of_players_are_listed_with_what_was_said(
    tmp_path: Path, monkeypatch: Patch, capsys: Captured
) -> None:
    database = tmp_path / "db"
    assert admin(monkeypatch, capsys, database, "reports") == (0, "", "")
    async with open_registry(database) as registry:
        fake_clock(registry).key_base = database
        live_table = await make_table(registry, "Ann", "Bo")
        await registry.submit(live_table, hash_token("Bo"), "say", c.Say("something bad"))
        await registry.submit(live_table, hash_token("Ann"), "report", c.Report(2))
    admin(monkeypatch, capsys, database, "prune", "--days", "1")
    with audit_path(database).open("a") as log:
        log.write("half a li\n")
    status, printed, _ = admin(monkeypatch, capsys, database, "reports")
    report, said = printed.splitlines()
    assert (status, said) == (0, "    something bad")
    assert report.endswith(f"  table {live_table.code}: Bo, reported by Ann")


async def test_a_backup_is_made_beside_a_running_server_and_restored_without_one(
    tmp_path: Path, monkeypatch: Patch, capsys: Captured
) -> None:
    database, copy, target = tmp_path / "db", tmp_path / "copy", tmp_path / "new" / "db"
    async with open_registry(database) as registry:
        code = (await make_table(registry, "Ann")).code
        assert admin(monkeypatch, capsys, database, "backup", copy)[0] == 0
    status, printed, _ = admin(monkeypatch, capsys, target, "restore", copy)
    assert (status, printed) == (0, f"The database {target} is restored from {copy}.\n")
    assert [table.code for table in SqliteAdministration(target).list_tables()] == [code]
    assert audit(database) == [("backup", "began"), ("backup", "done")]
    assert audit(target) == [("restore", "began"), ("restore", "done")]


async def test_a_change_is_refused_while_a_server_runs(tmp_path: Path, monkeypatch: Patch, capsys: Captured) -> None:
    store = SqliteStore(tmp_path / "db")
    await store.open(0)
    status, _, error = admin(monkeypatch, capsys, tmp_path / "db", "prune", "--days", "1")
    await store.close()
    assert status == 2
    assert "another server" in error
    assert "stop that one first" in error
    assert audit(tmp_path / "db") == [("prune", "began"), ("prune", "failed")]


@pytest.mark.parametrize("arguments", [("remove", "ABCD"), ("prune", "--days", "9"), ("backup", "copy"), ("tables",)])
def test_a_database_that_is_not_there_is_not_created(
    tmp_path: Path, monkeypatch: Patch, capsys: Captured, arguments: tuple[str, ...]
) -> None:
    status, _, error = admin(monkeypatch, capsys, tmp_path / "db", *arguments)
    assert status == 2
    assert "there is no database" in error
    assert list(tmp_path.iterdir()) == []


async def test_the_table_to_export_must_be_there(tmp_path: Path, monkeypatch: Patch, capsys: Captured) -> None:
    async with open_registry(tmp_path / "db") as registry:
        await make_table(registry, "Ann")
    status, _, error = admin(monkeypatch, capsys, tmp_path / "db", "export", tmp_path / "records", "--table", "NONE")
    assert status == 2
    assert "has no table 'NONE'" in error


async def test_the_commands_work_with_postgresql_and_are_logged_beside_its_keys(
    tmp_path: Path, monkeypatch: Patch, capsys: Captured, postgres_url: PostgresUrl
) -> None:
    """Only `restore` needs another database; it is told from the file that `backup` wrote."""
    monkeypatch.setenv("LIARSDICE_DATABASE", postgres_url.url)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(postgres, "LOCK_TIMEOUT_S", 0.05)

    async def run(*arguments: str | Path) -> tuple[int | str | None, str, str]:
        return await asyncio.to_thread(run_captured, monkeypatch, capsys, "admin", *arguments)

    services = FakeClockServices(PostgresStore(postgres_url))
    registry = TableRegistry(services)
    await services.open()
    played = await play_match(registry)
    waiting = (await make_table(registry, "Bo")).code
    capsys.readouterr()  # what the server logged
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

    assert (await run("remove", waiting))[1] == f"Table {waiting} is deleted.\n"
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
    tmp_path: Path, monkeypatch: Patch, capsys: Captured, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv("LIARSDICE_DATABASE", f"postgresql://ann:s3cr3t@/dice?host={tmp_path}")
    status, _, error = run_captured(monkeypatch, capsys, "admin", *arguments)
    assert status == 2
    assert "the database postgresql:///dice cannot be used" in error
    assert "s3cr3t" not in error
    assert list(tmp_path.iterdir()) == []


def test_the_driver_of_postgresql_is_asked_for_by_its_name(monkeypatch: Patch, capsys: Captured) -> None:
    monkeypatch.setenv("LIARSDICE_DATABASE", "postgresql://db.example/dice")
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    status, _, error = run_captured(monkeypatch, capsys, "admin", "tables")
    assert status == 2
    assert "pip install 'liarsdice-engine[postgresql]'" in error
