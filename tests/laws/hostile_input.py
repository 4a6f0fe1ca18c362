"""Hostile values for the parsers, which must accept them or refuse them with an error of the package."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from liarsdice.core.errors import LiarsDiceError

any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
STRANGE_NUMBERS = [
    *("0", "-1", "1e999", "NaN", "1.5", "9" * 25, "9" * 5000),
    *('"1"', "null", "true", "[]", "{}", '"\\ud800"'),
]
"""JSON values that are no sensible number, or none at all."""


def is_accepted(read: Callable[[], object]) -> bool:
    """Whether `read` succeeds; any error other than `LiarsDiceError` fails the test."""
    try:
        read()
    except LiarsDiceError:
        return False
    return True
