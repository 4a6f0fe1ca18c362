"""The files of secrets: the key of addresses, the key that signs records, and the keys that it has replaced."""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from liarsdice.core.errors import UnavailableError, counted
from liarsdice.runtime.atomic_files import replace_atomically, wait_for_lock
from liarsdice.server.storage.database_file import FILE_MODE, create_private, make_folder

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
        raise UnavailableError(f"{name}, {path}, has {counted(len(secret), 'byte')}, not {SECRET_BYTES}; delete it")
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


NAME = "the signing key"


def retired_keys_path(key_file: Path) -> Path:
    """Return the path of the retired keys, which stand one after another, the latest first."""
    return key_file.with_name(f"{key_file.name}.retired")


def read_signing_keys(key_file: Path) -> tuple[bytes, Sequence[bytes]]:
    """Return the present key, which is created if there is none, and the retired ones.

    Raises `UnavailableError` if a file cannot be read or written, or contains something else.
    """
    return read_or_create_secret(key_file, NAME), _read_retired(retired_keys_path(key_file))


def rotate_signing_key(key_file: Path) -> None:
    """Retire the present key and create another one. Raises `UnavailableError` as `read_signing_keys`.

    The old key is in the file of the retired ones before it is replaced, so that it is never lost. Of two operators who
    rotate at once, one waits for the other.
    """
    try:
        with _locked_folder(key_file.parent):
            present, retired = read_signing_keys(key_file)
            _replace(retired_keys_path(key_file), b"".join(dict.fromkeys((present, *retired))))
            _replace(key_file, secrets.token_bytes(SECRET_BYTES))
    except OSError as error:
        raise UnavailableError(f"{NAME}, {key_file}, cannot be replaced: {error.strerror}") from error


@contextmanager
def _locked_folder(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder. Raises `OSError`."""
    if sys.platform == "win32":  # it opens no folders
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        wait_for_lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _read_retired(path: Path) -> Sequence[bytes]:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise UnavailableError(f"the retired signing keys, {path}, cannot be read: {error.strerror}") from error
    if len(content) % SECRET_BYTES:
        raise UnavailableError(f"the retired signing keys, {path}, are damaged: {counted(len(content), 'byte')}")
    return [content[start : start + SECRET_BYTES] for start in range(0, len(content), SECRET_BYTES)]


def _replace(path: Path, content: bytes) -> None:
    """Replace a file that only its owner may read. Raises `OSError`."""
    with replace_atomically(path, durable=True) as temporary:
        create_private(temporary)
        temporary.write_bytes(content)
