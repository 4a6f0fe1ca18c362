"""Matrices are transposed as numpy does it."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.solve.blueprint.compiled_functions import TILE, transpose, transpose_back


@pytest.mark.parametrize("rows, columns", [(1, 1), (3, 2), (TILE, TILE + 1), (2 * TILE + 5, 7)])
def test_matrices_are_transposed_to_flat_ones_and_back(rows: int, columns: int) -> None:
    matrix = np.random.default_rng(1).random((rows, columns), np.float32)
    flat = np.zeros(rows * columns + 3, np.float32)
    transpose(matrix, flat, rows, columns)
    np.testing.assert_array_equal(flat[:-3].reshape(columns, rows), matrix.T)
    assert not flat[-3:].any()
    back = np.zeros_like(matrix)
    transpose_back(flat, back, columns, rows)
    np.testing.assert_array_equal(back, -matrix)
