"""Files that are written whole or not at all, extended by whole records, and locked by one process at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from liarsdice.core.errors import UnavailableError

if sys.platform != "win32":
    import fcntl


def check_writable(path: Path | None) -> None:
    """Raise `UnavailableError` unless a file can be written; for use before long work. None is always writable."""
    if path is None:
        return
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise UnavailableError(f"cannot write {path}: it is a folder, or its folder does not exist")
    _refuse_device(path)
    temporary = _temporary_path(path)
    try:
        temporary.touch()
        temporary.unlink()
    except (OSError, ValueError) as error:
        raise UnavailableError(f"cannot write {path}: {error_reason(error)}") from error


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all. Raises `UnavailableError` if it cannot be written."""
    try:
        with replace_atomically(path) as temporary:
            temporary.write_bytes(content)
    except (OSError, ValueError) as error:
        raise UnavailableError(f"cannot write {path}: {error_reason(error)}") from error


@contextmanager
def replace_atomically(path: Path, *, durable: bool = False) -> Iterator[Path]:
    """Yield a temporary path with the same suffix, which takes the place of `path` at the end of the context.

    If the body or the move fails, `path` stays as it was, the temporary file is removed and the error is passed on.
    `durable`: flush the file to the disk first, so that it survives a power failure. Raises `UnavailableError` if the
    path is a device.
    """
    _refuse_device(path)
    temporary = _temporary_path(path)
    try:
        yield temporary
        if durable:
            with temporary.open("r+b") as file:
                os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink()  # after Ctrl-C, or on a full disk


def write_new_file(path: Path, content: bytes) -> None:
    """Write a file that must not exist yet, for its owner alone; no part of one is left behind. Raises `OSError`."""
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        try:
            file.write(content)
            file.flush()
        except OSError:
            path.unlink(missing_ok=True)
            raise


def append_whole(descriptor: int, record: bytes) -> None:
    """Append to an open file, all of `record` or nothing. Raises `OSError` if it cannot be written."""
    end = os.lseek(descriptor, 0, os.SEEK_END)
    try:
        while record:
            record = record[os.write(descriptor, record) :]  # a disk that is nearly full takes a part
    except BaseException:
        os.ftruncate(descriptor, end)
        raise


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed; returns False if another process holds the lock.

    Where files cannot be locked (Windows, some network drives) it returns True.
    """
    if sys.platform == "win32":
        return True
    with suppress(OSError):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def wait_for_lock(descriptor: int) -> None:
    """Lock an open file or folder until it is closed, once no other process holds the lock.

    Where it cannot be locked (Windows, some network drives), nothing happens.
    """
    if sys.platform != "win32":
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)


def error_reason(error: OSError | ValueError) -> str:
    """What went wrong, without the number and the path that an `OSError` adds."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _refuse_device(path: Path) -> None:
    if path.exists() and not path.is_file() and not path.is_dir():
        raise UnavailableError(f"cannot write {path}: it is a device, and would be replaced by a file")


def _temporary_path(path: Path) -> Path:
    """A path beside `path`, different for every process."""
    return path.with_name(f"{path.stem}.{os.getpid()}.part{path.suffix}")
