"""The key that signs records is replaced, and the old ones are kept for the matches that began under them."""

import stat
from pathlib import Path

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.server.storage.signing_keys import read_signing_keys, retired_keys_path, rotate_signing_key


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


def test_a_damaged_file_of_retired_keys_is_refused(tmp_path: Path) -> None:
    key_file = tmp_path / "db.signing-key"
    retired_keys_path(key_file).write_bytes(b"x" * 33)
    with pytest.raises(UnavailableError, match="are damaged: 33 bytes"):
        read_signing_keys(key_file)
