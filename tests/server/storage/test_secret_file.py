"""A secret key outlives a restart, and only the user of the server can read it."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.server.storage.signing_keys import SECRET_BYTES, read_or_create_secret


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
