"""The audit log says what was done with a database, by whom, and how it ended."""

import stat
from pathlib import Path

import msgspec
import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.server.storage.audit_log import AuditEntry, audit_path, audited


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
