"""Odd values for the parsers, and the one thing that is asked of all: to understand, or to refuse."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from liarsdice.core.errors import LiarsDiceError

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
NUMBERS = ["0", "-1", "1e999", "NaN", "1.5", "9" * 25, "9" * 5000, '"1"', "null", "true", "[]", "{}", '"\\ud800"']


def understood(read: Callable[[], object]) -> bool:
    """Whether it can be read; any error but one of ours fails the test."""
    try:
        read()
    except LiarsDiceError:
        return False
    return True
