"""A secret key in a file that only the user of the server can read."""

from __future__ import annotations

import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path

from liarsdice.core.errors import UnavailableError
from liarsdice.server.storage.database_file import FILE_MODE, make_folder

SECRET_BYTES = 32
DIGEST_LENGTH = 8


def key_path(database: Path) -> Path:
    """Return the path of the key of the addresses, which belongs to a database."""
    return database.with_name(f"{database.name}.key")


def read_or_create_secret(path: Path, name: str) -> bytes:
    """Return the secret in a file, which is created with 256 random bits of the operating system if there is none.

    Servers that start at the same time and share the file all get the same secret. Nobody but its owner may read the
    file, also if it was left open to others.

    `name`: what it is, for messages. Raises `UnavailableError` if the file cannot be read or written, or contains
    something else.
    """
    try:
        if not path.exists():
            _create(path)
        with suppress(PermissionError):  # a file of another owner keeps its mode
            path.chmod(FILE_MODE)
        secret = path.read_bytes()
    except OSError as error:
        raise UnavailableError(f"{name}, {path}, cannot be used: {error.strerror}") from error
    if len(secret) != SECRET_BYTES:
        raise UnavailableError(f"{name}, {path}, has {len(secret)} bytes, not {SECRET_BYTES}; delete it")
    return secret


def keys_digest(*keys: bytes) -> str:
    """Return a short text that is the same for the same secret keys, and from which nobody can tell them.

    >>> keys_digest(b"one", b"two") == keys_digest(b"one", b"two"), keys_digest(b"one", b"two") == keys_digest(b"one")
    (True, False)
    """
    digests = [hashlib.sha256(key).digest() for key in keys]
    return hashlib.sha256(b"".join(digests)).hexdigest()[:DIGEST_LENGTH]


def _create(path: Path) -> None:
    """Create a file with a new secret, unless another server creates it first. Nobody ever reads a part of it."""
    make_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE), "wb") as file:
            file.write(secrets.token_bytes(SECRET_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
