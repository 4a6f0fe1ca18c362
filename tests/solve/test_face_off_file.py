"""Files of solved face-offs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from liarsdice.core.errors import MalformedError
from liarsdice.solve.face_off_solver import read_face_off, solve_face_off, write_face_off


def test_a_strategy_is_read_as_it_was_written_but_for_rounding(tmp_path: Path) -> None:
    solved = solve_face_off((2, 3), 50)
    write_face_off(tmp_path / "face-off.npz", solved)
    read = read_face_off(tmp_path / "face-off.npz")
    assert read.faces == (2, 3)
    assert read.probs == pytest.approx(solved.probs, abs=1e-4)
    assert read.value == pytest.approx(solved.value, abs=1e-3)
    assert read.exploitability == pytest.approx(solved.exploitability, abs=1e-3)


def test_a_file_of_something_else_is_refused_by_name(tmp_path: Path) -> None:
    text, other, wrong = (tmp_path / name for name in ("text.npz", "other.npz", "wrong.npz"))
    text.write_text("no archive")
    np.savez(other, weights=np.zeros(3))
    np.savez(wrong, faces=np.array([2, 3]), probs=np.zeros((3, 3, 3)))
    for file in (text, other, wrong):
        with pytest.raises(MalformedError, match=f"{file.name} is no file of a face-off"):
            read_face_off(file)
    with pytest.raises(FileNotFoundError):
        read_face_off(tmp_path / "absent.npz")
