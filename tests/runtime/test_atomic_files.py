"""Files stay whole whatever goes wrong, and belong to one process at a time."""

import os
from pathlib import Path

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.atomic_files import (
    append_whole,
    check_writable,
    error_reason,
    replace_atomically,
    try_lock,
    write_atomically,
    write_new_file,
)


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "one.txt"
    for content in (b"first", b"second"):
        write_atomically(file, content)
        assert file.read_bytes() == content
    assert list(tmp_path.iterdir()) == [file]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "one.txt"
    file.write_bytes(b"old")

    def fill_disk(path: Path, _content: bytes) -> None:
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fill_disk)
    with pytest.raises(UnavailableError, match=r"cannot write .*one\.txt: No space left on device"):
        write_atomically(file, b"new")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_an_interrupt_while_a_file_is_written_leaves_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "one.npz"
    file.write_bytes(b"old")

    def write_half(temporary: Path) -> None:
        assert temporary.suffix == ".npz"
        temporary.write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), replace_atomically(file, durable=True) as temporary:
        write_half(temporary)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_two_processes_write_to_different_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary_files: set[Path] = set()
    for process in (1, 2):
        monkeypatch.setattr("os.getpid", lambda process=process: process)
        with replace_atomically(tmp_path / "one.txt") as temporary:
            temporary.touch()
            temporary_files.add(temporary)
    assert len(temporary_files) == 2


@pytest.mark.parametrize("name", ["folder", "missing/file.txt"])
def test_a_path_that_no_file_can_have_is_refused_before_the_work(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(UnavailableError, match="it is a folder, or its folder does not exist"):
        check_writable(tmp_path / name)
    check_writable(tmp_path / "file.txt")
    check_writable(None)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_device_is_not_replaced_by_a_file() -> None:
    with pytest.raises(UnavailableError, match="it is a device"):
        check_writable(Path(os.devnull))


def test_a_new_file_never_takes_the_place_of_another(tmp_path: Path) -> None:
    file = tmp_path / "one.txt"
    write_new_file(file, b"first")
    with pytest.raises(FileExistsError):
        write_new_file(file, b"second")
    assert file.read_bytes() == b"first"


def test_a_record_is_appended_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    descriptor = os.open(tmp_path / "lines.txt", os.O_RDWR | os.O_CREAT)
    append_whole(descriptor, b"first\n")
    write, written = os.write, 0

    def write_three_bytes(to: int, record: bytes) -> int:
        nonlocal written
        written += 1
        if written == 2:
            raise OSError(28, "No space left on device")
        return write(to, record[:3])

    with monkeypatch.context() as patch:
        patch.setattr("os.write", write_three_bytes)
        with pytest.raises(OSError, match="No space left"):
            append_whole(descriptor, b"second\n")
    append_whole(descriptor, b"third\n")
    os.close(descriptor)
    assert (tmp_path / "lines.txt").read_bytes() == b"first\nthird\n"


def test_a_file_is_locked_until_it_is_closed(tmp_path: Path) -> None:
    first, second = (os.open(tmp_path / "locked", os.O_RDWR | os.O_CREAT) for _ in range(2))
    assert try_lock(first)
    assert not try_lock(second)
    os.close(first)
    assert try_lock(second)
    os.close(second)


def test_the_reason_of_an_error_names_no_path() -> None:
    assert error_reason(FileNotFoundError(2, "No such file or directory", "one.txt")) == "No such file or directory"
    assert error_reason(ValueError("closed file")) == "closed file"


def test_what_is_no_file_stays_as_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UnavailableError, match="it is a device"):
        write_atomically(pipe, b"")
    assert pipe.is_fifo()
