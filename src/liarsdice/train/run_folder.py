"""What keeps a run's folder whole: one program at a time, and files that are written whole or not at all."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.atomic_files import error_reason, replace_atomically, try_lock

LOCK = ".lock"


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Make a folder, and let no other program train in it meanwhile.

    Raises `UnavailableError` where it cannot be written to, or another program holds it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise UnavailableError(f"cannot write to {folder}: {error.strerror or error}") from error
    try:
        if not try_lock(descriptor):
            raise UnavailableError(
                f"another program trains in {folder} already; wait until it ends, or choose another folder"
            )
        yield
    finally:
        os.close(descriptor)


def keep(file: Path, write: Callable[[Path], object]) -> None:
    """Have a file written beside its place, and put it there once it is whole. Raises `UnavailableError`."""
    try:
        with replace_atomically(file, durable=True) as temporary:
            write(temporary)
    except (OSError, ValueError) as error:  # a zip file that cannot be closed raises the latter
        raise UnavailableError(
            f"cannot write {file}: {error_reason(error)}; what was kept before is whole, and the same command goes on from"
            " there"
        ) from error


def append_row(file: Path, columns: Sequence[str], row: Sequence[object]) -> None:
    """Add a line to a table, with a head where it is new."""
    lines = StringIO(newline="")
    writer = csv.writer(lines)
    known = _read(file)
    if not known:
        writer.writerow(columns)
    writer.writerow(row)
    _rewrite(file, known + lines.getvalue().encode())


def drop_rows(file: Path, later_than: int) -> None:
    """Drop the lines of a table, under its head, that begin with no number or a later one."""
    known = _read(file)
    head, *rows = known.splitlines(keepends=True) or [b""]
    kept = b"".join((head, *(row for row in rows if _begins_by(row, later_than))))
    if kept != known:
        _rewrite(file, kept)


def _begins_by(row: bytes, latest: int) -> bool:
    number = row.split(b",")[0]
    return number.isdigit() and len(number) < 20 and int(number) <= latest


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise UnavailableError(f"{file} cannot be read: {error.strerror or error}") from error


def _rewrite(file: Path, content: bytes) -> None:
    keep(file, lambda beside: beside.write_bytes(content))
