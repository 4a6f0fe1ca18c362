"""The audit log says what was done with a database, by whom, and how it ended."""

import os
import stat
import sys
import threading
from pathlib import Path

import msgspec
import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.atomic_files import try_lock
from liarsdice.server.storage.audit_log import AuditEntry, audit_path, audited

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
