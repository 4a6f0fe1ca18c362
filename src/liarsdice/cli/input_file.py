"""Files that a command is given, read up to a length beyond which nobody means them."""

from __future__ import annotations

from pathlib import Path

from liarsdice.core.errors import MalformedError, UnavailableError


def read_file(file: str, longest: int) -> bytes:
    """The bytes of a file. Raises `UnavailableError` where it cannot be read, `MalformedError` beyond `longest`."""
    try:
        with Path(file).open("rb") as opened:
            raw = opened.read(longest + 1)
    except (OSError, ValueError) as error:
        raise UnavailableError(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from error
    if len(raw) > longest:
        raise MalformedError(f"{file} is longer than {longest} bytes")
    return raw
