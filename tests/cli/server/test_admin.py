"""`liarsdice admin`: its commands, what they print, and that each leaves its trace in the audit log."""

from pathlib import Path

import msgspec
import pytest

from liarsdice.cli.stdio import EXIT_ERROR
from liarsdice.server.storage.administration import list_tables
from liarsdice.server.storage.audit_log import AuditEntry, audit_path
from liarsdice.server.storage.sqlite import SqliteStore
from tests.cli.run_cli import run_captured
from tests.cli.server.test_export_records import play_match
from tests.server.live_tables import START_MS, make_table, open_registry

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
    assert {table.code for table in list_tables(database)} == {other, waiting}

    monkeypatch.setattr("time.time", lambda: START_MS / 1000 + 100 * 24 * 3600)
    assert admin(monkeypatch, capsys, database, "prune", "--days", "101")[1] == "Tables deleted: 0.\n"
    assert admin(monkeypatch, capsys, database, "prune", "--days", "99")[1] == "Tables deleted: 2.\n"
    assert list_tables(database) == []
    commands = ["export", "remove", "prune", "prune"]
    assert audit(database) == [(name, outcome) for name in commands for outcome in ("began", "done")]


async def test_a_backup_is_made_beside_a_running_server_and_restored_without_one(
    tmp_path: Path, monkeypatch: Patch, capsys: Captured
) -> None:
    database, copy, target = tmp_path / "db", tmp_path / "copy", tmp_path / "new" / "db"
    async with open_registry(database) as registry:
        code = (await make_table(registry, "Ann")).code
        assert admin(monkeypatch, capsys, database, "backup", copy)[0] == 0
    status, printed, _ = admin(monkeypatch, capsys, target, "restore", copy)
    assert (status, printed) == (0, f"The database {target} is restored from {copy}.\n")
    assert [table.code for table in list_tables(target)] == [code]
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


@pytest.mark.parametrize("arguments", [("tables",), ("export", "records"), ("remove", "ABCD")])
def test_a_postgresql_database_is_refused_without_its_password(
    monkeypatch: Patch, capsys: Captured, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv("LIARSDICE_DATABASE", "postgresql://ann:s3cr3t@db.example/dice")
    status, _, complaint = run_captured(monkeypatch, capsys, "admin", *arguments)
    assert status == EXIT_ERROR
    assert "use the tools of PostgreSQL for postgresql://db.example/dice" in complaint
    assert "s3cr3t" not in complaint
