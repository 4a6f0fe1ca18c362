"""Files that stay whole: written all or not at all, added to by whole lines, and held by one program at a time."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from liarsdice.core.errors import UnavailableError

if sys.platform != "win32":
    import fcntl


def need_writable(path: Path | None) -> None:
    """Raise `UnavailableError` where a file could not be written; tried before the work, not after it."""
    if path is None:
        return
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise UnavailableError(f"cannot write {path}: it is a folder, or is to stand in one that does not exist")
    if path.exists() and not path.is_file():
        raise UnavailableError(f"cannot write {path}: it is a device, and would be replaced by a file")
    beside = _beside(path)
    try:
        beside.touch()
        beside.unlink()
    except OSError as error:
        raise UnavailableError(f"cannot write {path}: {error.strerror}") from error


def write_whole(path: Path, raw: bytes) -> None:
    """Write a file, whole or not at all. Raises `UnavailableError` where it can't be written."""
    beside = _beside(path)
    try:
        beside.write_bytes(raw)
        beside.replace(path)
    except OSError as error:
        raise UnavailableError(f"cannot write {path}: {error.strerror}") from error
    finally:
        with suppress(OSError):
            beside.unlink()  # after Ctrl-C, or on a full disk


def _beside(path: Path) -> Path:
    """Where a file is written until it is whole: another place for every process."""
    return path.with_name(f"{path.name}.{os.getpid()}.part")


def reason(error: OSError | ValueError) -> str:
    """What went wrong, without the number and the path that an error of the system tells as well."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def append(descriptor: int, raw: bytes) -> None:
    """Write to the end of an open file, all of it or nothing. Raises `OSError` where it can't be written."""
    end = os.lseek(descriptor, 0, os.SEEK_END)
    try:
        while raw:
            raw = raw[os.write(descriptor, raw) :]  # a disk that is nearly full takes a part
    except BaseException:
        os.ftruncate(descriptor, end)
        raise


def lock(descriptor: int) -> bool:
    """Hold an open file until it is closed; False where another program holds it already."""
    if sys.platform == "win32":
        return True
    with suppress(OSError):  # some network drives lock nothing
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
