"""The files of a SQLite database: only their owner may read them, and one server at a time uses them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.atomic_files import try_lock

FILE_MODE, FOLDER_MODE = 0o600, 0o700
LOCK_SUFFIX = ".lock"
WAL_SUFFIX = "-wal"
SIDE_SUFFIXES = (WAL_SUFFIX, "-shm", "-journal")
"""What SQLite adds to the name of a database for its other files. It creates them with the mode of the database."""

FileId = tuple[int, int]
"""The device and the number of a file, which stay the same under another name."""

FileIds = tuple[FileId | None, FileId | None]
"""Those of a database and of its write-ahead log, None for a missing file."""


def lock_database(path: Path) -> int:
    """Lock a database for this process; return the descriptor that holds the lock until it is closed.

    The lock is on a file beside the database, so a killed process never leaves it behind. Missing folders are created
    for their owner only. Raises `UnavailableError` if another server uses the database, and `OSError` if the file or
    its folder cannot be created.
    """
    make_folder(path.parent)
    target = path.resolve()
    descriptor = os.open(target.with_name(target.name + LOCK_SUFFIX), os.O_RDWR | os.O_CREAT, FILE_MODE)
    if not try_lock(descriptor):
        process = os.read(descriptor, 20).decode("ascii", "replace").strip()
        os.close(descriptor)
        raise UnavailableError(
            f"another server{f' (process {process})' if process else ''} uses the database {path};"
            " stop that one first, or name another file with --database"
        )
    with suppress(OSError):  # the number only helps to find the process
        os.ftruncate(descriptor, 0)
        os.write(descriptor, b"%d\n" % os.getpid())
    return descriptor


def lock_holder(path: Path) -> str | None:
    """Return the process that has locked a database (`lock_database`), None if there is none. Raises `OSError`."""
    target = path.resolve()
    try:
        descriptor = os.open(target.with_name(target.name + LOCK_SUFFIX), os.O_RDWR)
    except FileNotFoundError:
        return None
    try:
        return None if try_lock(descriptor) else os.read(descriptor, 20).decode("ascii", "replace").strip()
    finally:
        os.close(descriptor)


def create_private(path: Path) -> None:
    """Create a database file that only its owner may read, unless there is one.

    Raises `OSError`, and `UnavailableError` if the file has a hard link: SQLite names its other files after the
    database, so that under another name it would miss what was written last, and could damage the file.
    """
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE))
    names = path.stat().st_nlink
    if names > 1:
        raise UnavailableError(
            f"the database {path} has {names} names (hard links), under which two servers could damage it; delete the"
            " others, or copy the file"
        )


def file_id(path: Path) -> FileId | None:
    """Return what identifies the file that has a path now, None if there is none."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def file_ids(path: Path) -> FileIds:
    """Return what identifies the files that a database and its write-ahead log have now.

    As long as a connection is open, SQLite itself neither deletes nor replaces either of them.
    """
    return file_id(path), file_id(path.with_name(path.name + WAL_SUFFIX))


def make_private(path: Path) -> None:
    """Take the permissions of everybody but the owner from a database and its other files.

    A file of another owner keeps its mode.
    """
    for file in (path, *(path.with_name(path.name + suffix) for suffix in SIDE_SUFFIXES)):
        with suppress(FileNotFoundError, PermissionError):
            file.chmod(FILE_MODE)


def make_folder(folder: Path) -> None:
    """Create a folder and those above it for their owner only; existing ones keep their mode. Raises `OSError`."""
    for missing in reversed([above for above in (folder, *folder.parents) if not above.exists()]):
        missing.mkdir(FOLDER_MODE, exist_ok=True)
