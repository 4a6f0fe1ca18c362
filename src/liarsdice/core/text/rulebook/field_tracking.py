"""Reading a ruleset and remembering what was read, so that every sentence knows which rule choices it depends on."""

from __future__ import annotations

from functools import cache
from typing import cast

import msgspec

from liarsdice.core.rules.ruleset import Ruleset


class _Watched:
    """A part of a ruleset that notes the path of every field read from it."""

    def __init__(self, part: msgspec.Struct, path: str, seen: set[str]) -> None:
        self._part = part
        self._path = path
        self._seen = seen

    def __getattr__(self, name: str) -> object:
        value: object = getattr(self._part, name)
        path = f"{self._path}{name.removesuffix('_')}"
        self._seen.add(path)
        return _Watched(value, f"{path}.", self._seen) if isinstance(value, msgspec.Struct) else value


def watched(rules: Ruleset, seen: set[str]) -> Ruleset:
    """A ruleset that puts the dotted path of each field into `seen` when the field is read.

    >>> seen = set()
    >>> watched(Ruleset(), seen).dice.faces, sorted(seen)
    (6, ['dice', 'dice.faces'])
    """
    return cast("Ruleset", _Watched(rules, "", seen))  # it answers to every field of one, with the same values


def at(rules: Ruleset, path: str) -> object:
    """The value of a field by its dotted path, such as `bidding.raise`."""
    value: object = rules
    for step in path.split("."):
        value = getattr(value, "raise_" if step == "raise" else step)
    return value


def leaves(rules: Ruleset) -> dict[str, object]:
    """Every field by its dotted path; an optional part that is there has its own path as well, with True.

    >>> leaves(Ruleset())["bidding.no_repeat"]
    False
    """
    found: dict[str, object] = {}
    _collect(rules, "", found)
    return found


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def _collect(part: msgspec.Struct, path: str, found: dict[str, object]) -> None:
    for field in _fields(type(part)):
        value: object = getattr(part, field.name)
        name = path + field.encode_name
        if not isinstance(value, msgspec.Struct):
            found[name] = value
            continue
        if field.default is None:
            found[name] = True
        _collect(value, f"{name}.", found)
