"""The audit log beside a database: what operators did with its tables, as JSON lines that are only appended."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.runtime.atomic_files import append_whole
from liarsdice.server.storage.database_file import FILE_MODE

if sys.platform != "win32":
    import pwd

AUDIT_SUFFIX = ".audit.jsonl"


class AuditEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line: when (UTC), which account of the machine, which command with which arguments, and how it went.

    `outcome`: `began`, then `done` or `failed`. `result`: what the command did, or the reason of its failure.
    """

    at: str
    account: str
    command: str
    arguments: dict[str, str | int]
    outcome: str
    result: str = ""


class AuditedCommand:
    """A command that is running; its `result` goes into the log when it is done."""

    def __init__(self) -> None:
        self.result = ""


def audit_path(database: Path) -> Path:
    """Return the path of a database's audit log."""
    return database.with_name(database.name + AUDIT_SUFFIX)


@contextmanager
def audited(database: Path, command: str, **arguments: str | int) -> Iterator[AuditedCommand]:
    """Log that a command begins, and how it ends.

    Raises `UnavailableError` if that is impossible; nothing is run then.
    """
    running = AuditedCommand()
    _append(database, command, arguments, "began", "")
    try:
        yield running
    except BaseException as error:
        reason = str(error) if isinstance(error, LiarsDiceError) else type(error).__name__
        _append(database, command, arguments, "failed", reason)
        raise
    _append(database, command, arguments, "done", running.result)


def _append(database: Path, command: str, arguments: dict[str, str | int], outcome: str, result: str) -> None:
    at = datetime.now(UTC).isoformat(timespec="seconds")
    line = msgspec.json.encode(AuditEntry(at, _account(), command, arguments, outcome, result)) + b"\n"
    path = audit_path(database)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, FILE_MODE)
        try:
            append_whole(descriptor, line)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise UnavailableError(f"cannot write the audit log {path}: {error.strerror}") from error


def _account() -> str:
    """Return the account of the machine that runs this, with the one that called sudo."""
    if sys.platform == "win32":
        return os.environ.get("USERNAME", "unknown")
    try:
        account = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container may run under a number without a name
        account = f"user {os.getuid()}"
    caller = os.environ.get("SUDO_USER")
    return f"{account} (sudo by {caller})" if caller else account
