"""Only its owner may read a database, and only one server at a time uses it."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.server.storage.database_file import SIDE_SUFFIXES, lock_database
from liarsdice.server.storage.sqlite import SqliteStore
from tests.server.storage.stored_tables import append

USUAL_UMASK = 0o022


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    """New files may be read by everybody unless a program says otherwise."""
    before = os.umask(USUAL_UMASK)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def modes_in(folder: Path) -> set[int]:
    return {mode(file) for file in folder.iterdir()}


async def test_a_new_database_can_be_read_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "state" / "liarsdice" / "server.db"
    store = SqliteStore(path)
    await store.open(0)
    await append(store, "ABCD", 1_000, None, listed=True)
    files = sorted(file.name for file in path.parent.iterdir())
    assert files == ["server.db", "server.db-shm", "server.db-wal", "server.db.lock"]
    assert modes_in(path.parent) == {0o600}
    assert [mode(folder) for folder in (path.parent, path.parent.parent)] == [0o700, 0o700]
    await store.close()


async def test_a_database_that_others_could_read_is_closed_to_them_and_its_folder_keeps_its_mode(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "shared"
    folder.mkdir(0o755)
    path = folder / "server.db"
    path.touch(0o644)
    store = SqliteStore(path)
    await store.open(0)
    await append(store, "ABCD", 1_000, None, listed=True)
    assert modes_in(folder) == {0o600}
    assert mode(folder) == 0o755
    await store.close()


async def test_the_files_that_a_killed_server_left_are_closed_to_others(tmp_path: Path) -> None:
    path = tmp_path / "server.db"
    store = SqliteStore(path)
    await store.open(0)
    left = [path.with_name(path.name + suffix) for suffix in SIDE_SUFFIXES]
    for file in (path, *left):
        if file.exists():
            file.chmod(0o644)
    copies = {file.name: file.read_bytes() for file in (path, *left) if file.exists()}
    await store.close()
    for name, content in copies.items():
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o644)
    again = SqliteStore(path)
    await again.open(0)
    assert modes_in(tmp_path) == {0o600}
    await again.close()


async def test_a_second_server_on_a_database_is_refused_until_the_first_has_closed_it(tmp_path: Path) -> None:
    path = tmp_path / "server.db"
    (tmp_path / "link.db").symlink_to(path)
    first = SqliteStore(path)
    await first.open(0)
    for name in ("server.db", "link.db"):
        second = SqliteStore(tmp_path / name)
        with pytest.raises(UnavailableError, match=rf"another server \(process {os.getpid()}\) uses the database"):
            await second.open(0)
        await second.close()
    await first.close()
    third = SqliteStore(path)
    await third.open(0)
    await third.close()


async def test_a_database_with_a_hard_link_is_refused_under_both_names(tmp_path: Path) -> None:
    path, other = tmp_path / "server.db", tmp_path / "other.db"
    first = SqliteStore(path)
    await first.open(0)
    other.hardlink_to(path)
    with pytest.raises(UnavailableError, match="2 names"):
        await SqliteStore(other).open(0)
    await first.close()
    with pytest.raises(UnavailableError, match="2 names"):
        await SqliteStore(path).open(0)
    other.unlink()
    again = SqliteStore(path)
    await again.open(0)
    await again.close()


async def test_a_database_that_cannot_be_used_is_not_left_locked(tmp_path: Path) -> None:
    path = tmp_path / "server.db"
    path.write_bytes(b"shopping list: milk, dice, cups " * 100)
    path.chmod(0o644)
    with pytest.raises(UnavailableError, match="file is not a database"):
        await SqliteStore(path).open(0)
    assert mode(path) == 0o644, "a file that is no database was changed"
    os.close(lock_database(path))
