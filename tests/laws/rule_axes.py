"""The axes on which rules differ, derived from the field types of a ruleset."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from enum import Enum

import msgspec

from liarsdice.core.rules.ruleset import Ruleset


def rule_axes(kind: type[msgspec.Struct] = Ruleset, prefix: str = "") -> Iterator[tuple[str, tuple[object, ...]]]:
    """Yield the path of every field with an enum or a bool, and the values that it may have."""
    hints = typing.get_type_hints(kind)
    for field in msgspec.structs.fields(kind):
        hint, path = hints[field.name], prefix + field.encode_name
        options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
        values: list[object] = []
        for option in options:
            for inner in typing.get_args(option)[:1] or (option,):
                if inner is bool:
                    values += [False, True]
                elif isinstance(inner, type) and issubclass(inner, Enum):
                    values += list(inner)
                elif isinstance(inner, type) and issubclass(inner, msgspec.Struct):
                    yield from rule_axes(inner, path + ".")
        if values:
            yield path, tuple(values)
