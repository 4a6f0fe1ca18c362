"""The folder of a run: one program at a time, and rows of a learning curve."""

from __future__ import annotations

from pathlib import Path

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice_lab.train.run_folder import append_row, drop_rows, lock_folder, replace_file
from liarsdice_lab.train.trainer import CURVE_FILE


def test_a_folder_is_locked_by_one_program_at_a_time(tmp_path: Path) -> None:
    with (
        lock_folder(tmp_path / "run"),
        pytest.raises(UnavailableError, match="another program trains in"),
        lock_folder(tmp_path / "run"),
    ):
        pass
    with lock_folder(tmp_path / "run"):
        pass


def test_a_curve_that_does_not_exist_has_no_rows_to_drop(tmp_path: Path) -> None:
    drop_rows(tmp_path / CURVE_FILE, later_than=3)
    assert not (tmp_path / CURVE_FILE).exists()


def test_rows_of_later_iterations_and_incomplete_rows_are_dropped(tmp_path: Path) -> None:
    file = tmp_path / CURVE_FILE
    for iteration in (2, 4, 6):
        append_row(file, ["iteration", "strength"], [iteration, 0.5])
    with file.open("a", newline="") as opened:
        opened.write("abc")
    drop_rows(file, later_than=4)
    assert file.read_bytes() == b"iteration,strength\r\n2,0.5\r\n4,0.5\r\n"


def test_a_file_that_cannot_be_written_leaves_the_older_one(tmp_path: Path) -> None:
    file = tmp_path / "best.npz"
    replace_file(file, lambda temporary: temporary.write_bytes(b"older"))

    def fail(temporary: Path) -> None:
        temporary.write_bytes(b"new")
        raise OSError(28, "No space left on device")

    with pytest.raises(UnavailableError, match=r"cannot write .*best\.npz: No space left"):
        replace_file(file, fail)
    assert file.read_bytes() == b"older"
    assert [path.name for path in tmp_path.iterdir()] == ["best.npz"]
