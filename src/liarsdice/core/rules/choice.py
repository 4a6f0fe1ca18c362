"""The base of the rule choices in `choices`."""

from __future__ import annotations

from enum import Enum


class Choice(Enum):
    """Base of the rule choices. The value of a member is its name in files; its `repr` can be pasted back."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __str__(self) -> str:
        return str(self.value)

    # Members are single objects, so identity is enough, and rulesets are looked up often.
    __hash__ = object.__hash__
