"""Files of solved face-offs: the probability of each action, as 16-bit numbers in a compressed `.npz` file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from liarsdice.core.errors import MalformedError
from liarsdice.runtime.atomic_files import replace_atomically
from liarsdice.solve.face_off_solver import FaceOffStrategy, assess_face_off

UNITS = 65_535
"""The stored number of a probability of 1."""


def write_face_off(path: Path, strategy: FaceOffStrategy) -> None:
    """Write a strategy to an `.npz` file, whole or not at all. Raises `OSError` if it cannot be written."""
    stored = np.rint(strategy.probs * UNITS).astype(np.uint16)
    with replace_atomically(path) as temporary:
        np.savez_compressed(temporary, allow_pickle=False, faces=np.array(strategy.faces), probs=stored)


def read_face_off(path: Path) -> FaceOffStrategy:
    """Return the strategy in a file, with its value and exploitability.

    Raises `OSError` if the file cannot be opened, and `MalformedError` if it is no file of a face-off.
    """
    with path.open("rb") as file:
        try:
            arrays = np.load(file, allow_pickle=False)
            opener, responder = (int(faces) for faces in arrays["faces"])
            return assess_face_off((opener, responder), arrays["probs"].astype(np.float64))
        except (EOFError, KeyError, TypeError, ValueError) as error:
            raise MalformedError(f"{path} is no file of a face-off: {error}") from error
