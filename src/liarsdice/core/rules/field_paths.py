"""The fields of a ruleset by dotted path, such as `bidding.raise`: their types, defaults and values."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from liarsdice.core.rules.call_parts import ExactCall
from liarsdice.core.rules.parts import RuleChoices, SpecialRound

OPTIONAL_PARTS: dict[str, type[msgspec.Struct]] = {"exact_call": ExactCall, "special_round": SpecialRound}
"""The parts that a ruleset can lack, with their types."""


def field_value(rules: RuleChoices, path: str) -> object:
    """Return the value of the field at a path; None if it is unset.

    >>> field_value(RuleChoices(), "bidding.raise")
    Raise.QUANTITY_FIRST
    """
    value: object = rules
    for step in path.split("."):
        value = getattr(value, "raise_" if step == "raise" else step)
    return None if value is msgspec.UNSET else value


def flatten(rules: RuleChoices) -> dict[str, object]:
    """Return the value of every field, by path.

    An optional part has a path of its own: True if the rules have it, else None.

    >>> flatten(RuleChoices())["bidding.no_repeat"]
    False
    """
    values: dict[str, object] = {}
    _flatten_into(values, rules, "")
    return values


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def _flatten_into(values: dict[str, object], part: msgspec.Struct, prefix: str) -> None:
    for field in _fields(type(part)):
        value: object = getattr(part, field.name)
        path = prefix + field.encode_name
        if not isinstance(value, msgspec.Struct):
            values[path] = None if value is msgspec.UNSET else value
            continue
        if field.default is None:
            values[path] = True
        _flatten_into(values, value, f"{path}.")


DEFAULTS: dict[str, object] = flatten(RuleChoices(exact_call=ExactCall(), special_round=SpecialRound()))
"""The default of every field, by path, the fields of the optional parts among them."""

UNSET_BY_DEFAULT: tuple[str, ...] = tuple(
    f"{part.encode_name}.{field.encode_name}"
    for part in msgspec.structs.fields(RuleChoices)
    if isinstance(part.type, type) and issubclass(part.type, msgspec.Struct)
    for field in msgspec.structs.fields(part.type)
    if field.default is msgspec.UNSET
)
"""The fields that plain values of a ruleset lack unless they are set, by path."""

PARTS: frozenset[str] = frozenset(path.partition(".")[0] for path in DEFAULTS if "." in path)
"""The names of the parts, which hold the fields."""


def _field_types() -> Iterator[tuple[str, Any]]:
    for name, hint in typing.get_type_hints(RuleChoices).items():
        if name not in PARTS:
            yield name, hint
            continue
        part = OPTIONAL_PARTS.get(name, hint)
        hints = typing.get_type_hints(part)
        for field in msgspec.structs.fields(part):
            yield f"{name}.{field.encode_name}", hints[field.name]


FIELD_TYPES: dict[str, Any] = dict(_field_types())  # a type annotation of any shape
"""The type of every field, by path."""
