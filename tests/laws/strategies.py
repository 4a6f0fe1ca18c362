"""Strategies that draw members of enums, values and numbers."""

from __future__ import annotations

from enum import Enum
from functools import cache, lru_cache
from typing import TypeVar

from hypothesis import strategies as st

Member = TypeVar("Member", bound=Enum)
Value = TypeVar("Value")

# Every strategy is built once: hypothesis validates a new one before it draws, which takes longer than the draw.


@cache
def member(kind: type[Member]) -> st.SearchStrategy[Member]:
    return st.sampled_from(list(kind))


@lru_cache(maxsize=None, typed=True)
def one_of(*values: Value) -> st.SearchStrategy[Value]:
    return st.sampled_from(values)


@cache
def optional(low: int, high: int) -> st.SearchStrategy[int | None]:
    return st.none() | st.integers(low, high)


@cache
def countdown(high: int) -> st.SearchStrategy[int]:
    """Numbers from 1 to `high`; the highest is the simplest."""
    return st.integers(0, high - 1).map(lambda fewer: high - fewer)


@cache
def optional_countdown(high: int) -> st.SearchStrategy[int | None]:
    return st.none() | countdown(high)


@cache
def subset(*of: Member) -> st.SearchStrategy[tuple[Member, ...]]:
    return st.permutations(of).flatmap(lambda order: st.integers(0, len(of)).map(lambda size: tuple(order[:size])))
