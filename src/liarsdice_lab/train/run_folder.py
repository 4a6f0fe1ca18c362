"""The folder of a training run: locked by one program at a time, with files that are replaced atomically."""

import csv
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.atomic_files import error_reason, replace_atomically, try_lock

LOCK_FILE = ".lock"


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Make a folder, and lock it for the duration of the context.

    Raises `UnavailableError` if the folder cannot be written to, or if another program holds the lock.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o644)
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


def replace_file(file: Path, write: Callable[[Path], object]) -> None:
    """Call `write` with a temporary path, and move the complete file to `file`.

    Raises `UnavailableError` if the file cannot be written; an older one is then unchanged.
    """
    try:
        with replace_atomically(file, durable=True) as temporary:
            write(temporary)
    except (OSError, ValueError) as error:  # a zip file that cannot be closed raises the latter
        raise UnavailableError(
            f"cannot write {file}: {error_reason(error)}; the earlier files are intact, and the same command continues"
        ) from error


def append_row(file: Path, columns: Sequence[str], row: Sequence[object]) -> None:
    """Append a row to a CSV file; a new file begins with the names of the columns."""
    lines = StringIO(newline="")
    writer = csv.writer(lines)
    content = _read(file)
    if not content:
        writer.writerow(columns)
    writer.writerow(row)
    _write(file, content + lines.getvalue().encode())


def drop_rows(file: Path, later_than: int) -> None:
    """Drop the rows of a CSV file whose first cell is greater than `later_than` or no number; the header stays."""
    content = _read(file)
    header, *rows = content.splitlines(keepends=True) or [b""]
    remaining = b"".join((header, *(row for row in rows if _starts_up_to(row, later_than))))
    if remaining != content:
        _write(file, remaining)


def _starts_up_to(row: bytes, latest: int) -> bool:
    """Whether the first cell of a row is a number up to `latest`."""
    cell = row.split(b",")[0]
    return cell.isdigit() and len(cell) < 20 and int(cell) <= latest


def _read(file: Path) -> bytes:
    """Read a file; one that does not exist is empty. Raises `UnavailableError` if it cannot be read."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise UnavailableError(f"{file} cannot be read: {error.strerror or error}") from error


def _write(file: Path, content: bytes) -> None:
    replace_file(file, lambda temporary: temporary.write_bytes(content))
