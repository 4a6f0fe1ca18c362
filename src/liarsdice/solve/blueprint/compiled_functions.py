"""How the functions of the blueprint kernels are compiled, and how these transpose matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

from liarsdice.solve.blueprint.learned_arrays import Float32Array

OPTIONS: dict[str, Any] = {"fastmath": True, "nogil": True, "error_model": "numpy"}
TILE = 16
"""Matrices are transposed in squares of so many rows and columns."""

Function = TypeVar("Function", bound=Callable[..., Any])


def inlined(function: Function) -> Function:
    """Compile a function into the kernel."""
    return cast("Function", njit(forceinline=True, **OPTIONS)(function))


def compiled(function: Function) -> Function:
    """Compile a function that the kernel calls."""
    return cast("Function", njit(**OPTIONS)(function))


@compiled
def transpose(source: Float32Array, target: Float32Array, rows: int, columns: int) -> None:
    """Write the first rows and columns of a matrix to a flat one, with rows and columns exchanged.

    `source`: float32 [row, column], `target`: float32 [column * row].
    """
    for top in range(0, rows, TILE):
        for left in range(0, columns, TILE):
            for row in range(top, min(top + TILE, rows)):
                for column in range(left, min(left + TILE, columns)):
                    target[column * rows + row] = source[row, column]


@compiled
def transpose_back(source: Float32Array, target: Float32Array, rows: int, columns: int) -> None:
    """Write a flat matrix of so many rows and columns to another, with rows and columns exchanged and negated.

    `source`: float32 [row * column], `target`: float32 [column, row].
    """
    for top in range(0, rows, TILE):
        for left in range(0, columns, TILE):
            for column in range(left, min(left + TILE, columns)):
                for row in range(top, min(top + TILE, rows)):
                    target[column, row] = -source[row * columns + column]
