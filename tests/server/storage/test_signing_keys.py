"""The key that signs records is replaced, and the old ones are kept for the matches that began under them."""

import secrets
import stat
import sys
import threading
from pathlib import Path

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.server.storage.signing_keys import (
    SECRET_BYTES,
    read_or_create_secret,
    read_signing_keys,
    retired_keys_path,
    rotate_signing_key,
)

ALONE_S = 0.2
"""How long a second operator gets to finish before the first one goes on. Only one who need not wait is so fast."""


def test_a_rotated_key_is_retired_and_both_files_are_private(tmp_path: Path) -> None:
    key_file = tmp_path / "db.signing-key"
    first, none = read_signing_keys(key_file)
    assert none == ()
    rotate_signing_key(key_file)
    second, retired = read_signing_keys(key_file)
    assert retired == [first]
    rotate_signing_key(key_file)
    third, retired = read_signing_keys(key_file)
    assert retired == [second, first]
    assert len({first, second, third}) == 3
    assert {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}
    assert {file.name for file in tmp_path.iterdir()} == {"db.signing-key", "db.signing-key.retired"}


def test_a_key_is_never_lost_when_its_replacement_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key_file = tmp_path / "db.signing-key"
    first, _ = read_signing_keys(key_file)
    replace = Path.replace

    def fail_for_the_key(path: Path, target: Path) -> Path:
        if target == key_file:
            raise OSError(28, "No space left on device")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", fail_for_the_key)
    with pytest.raises(UnavailableError, match="cannot be replaced: No space left on device"):
        rotate_signing_key(key_file)
    monkeypatch.undo()
    assert read_signing_keys(key_file) == (first, [first])
    rotate_signing_key(key_file)
    assert read_signing_keys(key_file)[1] == [first]


def test_no_key_is_lost_when_two_operators_rotate_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one begins before the first one is done."""
    key_file = tmp_path / "db.signing-key"
    first, _ = read_signing_keys(key_file)
    made = [first]
    second_operator = threading.Thread(target=rotate_signing_key, args=(key_file,))

    def make_key(length: int) -> bytes:
        if len(made) == 1:
            made.append(b"1" * length)
            second_operator.start()
            second_operator.join(ALONE_S)
            return made[1]
        made.append(b"2" * length)
        return made[-1]

    monkeypatch.setattr(secrets, "token_bytes", make_key)
    rotate_signing_key(key_file)
    second_operator.join()
    present, retired = read_signing_keys(key_file)
    assert {present, *retired} == set(made)
    assert len(made) == 3


def test_a_damaged_file_of_retired_keys_is_refused(tmp_path: Path) -> None:
    key_file = tmp_path / "db.signing-key"
    retired_keys_path(key_file).write_bytes(b"x" * 33)
    with pytest.raises(UnavailableError, match="are damaged: 33 bytes"):
        read_signing_keys(key_file)


def test_a_secret_is_created_once(tmp_path: Path) -> None:
    secret = read_or_create_secret(tmp_path / "new" / "server.db.key", "the key")
    assert len(secret) == SECRET_BYTES
    assert read_or_create_secret(tmp_path / "new" / "server.db.key", "the key") == secret
    assert read_or_create_secret(tmp_path / "other.key", "the key") != secret


@pytest.mark.skipif(sys.platform == "win32", reason="files there have no permission bits")
def test_nobody_else_can_read_the_secret(tmp_path: Path) -> None:
    path = tmp_path / "state" / "liarsdice" / "key"
    for _ in range(2):
        read_or_create_secret(path, "the key")
        assert path.stat().st_mode & 0o777 == 0o600
        assert [folder.stat().st_mode & 0o777 for folder in (path.parent, path.parent.parent)] == [0o700, 0o700]
        path.chmod(0o644)  # as a restored backup may be


def test_a_file_that_is_no_secret_is_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"short")
    with pytest.raises(UnavailableError, match=r"the key, .* has 5 bytes"):
        read_or_create_secret(tmp_path / "key", "the key")
    with pytest.raises(UnavailableError, match="cannot be used"):
        read_or_create_secret(tmp_path, "the key")


def test_servers_that_create_a_secret_at_the_same_time_get_the_same_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One creates it while the other one has begun to, as on a volume that two containers share."""
    path, others = tmp_path / "key", list[bytes]()

    def be_overtaken(size: int) -> bytes:
        monkeypatch.undo()
        others.append(read_or_create_secret(path, "the key"))
        return secrets.token_bytes(size)

    monkeypatch.setattr(secrets, "token_bytes", be_overtaken)
    assert [read_or_create_secret(path, "the key")] == others
    assert [file.name for file in tmp_path.iterdir()] == ["key"]
