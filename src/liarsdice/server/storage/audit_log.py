"""The audit log beside a database, or beside the keys of one in PostgreSQL: what operators did and players reported."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.runtime.atomic_files import append_whole, wait_for_lock
from liarsdice.server.storage.database_file import FILE_MODE, make_folder

if sys.platform != "win32":
    import pwd

AUDIT_SUFFIX = ".audit.jsonl"
REPORTED = "reported"


class AuditEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line: when (UTC), which account of the machine, which command with which arguments, and how it went.

    `outcome`: `began`, then `done` or `failed`; `reported` for what a player
    at a table reports. `result`: what the command did, or the reason of its failure.
    """

    at: str
    account: str
    command: str
    arguments: Mapping[str, str | int]
    outcome: str
    result: str = ""


class AuditedCommand:
    """A command that is running; its `result` goes into the log when it is done."""

    def __init__(self) -> None:
        self.result = ""


def audit_path(key_base: Path) -> Path:
    """Return the path of an audit log. `key_base`: as in `Settings`."""
    return key_base.with_name(key_base.name + AUDIT_SUFFIX)


@contextmanager
def audited(key_base: Path, command: str, **arguments: str | int) -> Iterator[AuditedCommand]:
    """Log that a command begins, and how it ends, in a file that is only appended to.

    Raises `UnavailableError` if that is impossible; nothing is run then.
    """
    running = AuditedCommand()
    _append(key_base, command, arguments, "began", "")
    try:
        yield running
    except BaseException as error:
        reason = str(error) if isinstance(error, LiarsDiceError) else type(error).__name__
        _append(key_base, command, arguments, "failed", reason)
        raise
    _append(key_base, command, arguments, "done", running.result)


def append_report(key_base: Path, arguments: Mapping[str, str | int]) -> None:
    """Log what a player reported of another one. Raises `UnavailableError` if that is impossible."""
    _append(key_base, "report", arguments, REPORTED, "")


def read_reports(key_base: Path) -> Iterator[AuditEntry]:
    """Yield what players reported, the earliest first. Lines that cannot be read are left out.

    Raises `UnavailableError` if there is an audit log that cannot be read.
    """
    path = audit_path(key_base)
    try:
        lines = path.read_bytes().splitlines() if path.exists() else []
    except OSError as error:
        raise UnavailableError(f"cannot read the audit log {path}: {error.strerror}") from error
    for line in lines:
        with suppress(msgspec.DecodeError):
            entry = msgspec.json.decode(line, type=AuditEntry)
            if entry.outcome == REPORTED:
                yield entry


def _append(key_base: Path, command: str, arguments: Mapping[str, str | int], outcome: str, result: str) -> None:
    at = datetime.now(UTC).isoformat(timespec="seconds")
    line = msgspec.json.encode(AuditEntry(at, _account(), command, arguments, outcome, result)) + b"\n"
    path = audit_path(key_base)
    try:
        make_folder(path.parent)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, FILE_MODE)
        try:
            wait_for_lock(descriptor)  # what fails is cut off again, and nobody else's line with it
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
