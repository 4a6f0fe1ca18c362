"""Counting and settling in the kernels; whole matches are compared with the engine in `test_vector_env.py`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.rules.tally import is_stairs as is_stairs_in_core
from liarsdice.sim.kernels import transitions


@given(st.lists(st.integers(1, 6), max_size=8).map(sorted))
def test_stairs_are_those_of_the_core(hand: list[int]) -> None:
    counts = np.bincount(hand, minlength=7)[1:].astype(np.int32)
    assert transitions.is_stairs(counts, len(hand)) == is_stairs_in_core(tuple(hand))


@pytest.mark.parametrize("hand, stairs", [((1, 2, 3), True), ((1,), True), ((2, 3), False), ((1, 1, 2), False)])
def test_stairs_are_one_die_of_each_face_from_the_first_up(hand: tuple[int, ...], stairs: bool) -> None:
    counts = np.bincount(hand, minlength=7)[1:].astype(np.int32)
    assert transitions.is_stairs(counts, len(hand)) == stairs
