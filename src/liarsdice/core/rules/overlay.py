"""Changes laid over a ruleset: the one implementation behind presets, house-rule files and rule editing.

Changes are nested plain values, as a rule file holds them: `{"dice": {"faces": 8}, "exact_call": None}`. A part is
merged field by field; the word "none" stands for None where a field may have no value.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import msgspec

from liarsdice.core.errors import MalformedError, described
from liarsdice.core.rules.parts import RuleChoices
from liarsdice.core.rules.ruleset import Ruleset

NONE = "none"
"""How a rule file says that there is no such rule, since TOML has no null."""

Plain = dict[str, Any]  # rules as TOML or JSON hold them: the value's type differs by field
AnyRules = typing.TypeVar("AnyRules", bound=RuleChoices)


def patched(ruleset: Ruleset, **changes: Any) -> Ruleset:  # noqa: ANN401  the value's type differs by field
    """Return a copy with the fields named `part__field`, or a whole part or field of its own, replaced.

    Raises `RulesetError` if the choices do not work together, and `MalformedError` for an unknown field or a value
    that a field cannot have.

    >>> from liarsdice.core.rules.choices import Raise
    >>> patched(Ruleset(), dice__faces=8, bidding__raise_=Raise.NO_DECREASE).dice.faces
    8
    """
    by_path = {path.removesuffix("_").replace("__", ".", 1): plain_value(value) for path, value in changes.items()}
    return with_changes(ruleset, nest(by_path))


def plain_value(value: object) -> Any:  # noqa: ANN401  the value's type differs by field
    """Return a field or a whole part as plain values; the unset fields of a part are None.

    Raises `MalformedError` for a value that is none of rules.
    """
    try:
        plain = msgspec.to_builtins(value)
    except TypeError as error:
        raise MalformedError(f"a field of rules has a plain value or a choice, not {described(value)}") from error
    if isinstance(value, msgspec.Struct):
        plain |= {name: None for name in value.__struct_fields__ if getattr(value, name) is msgspec.UNSET}
    return plain


def with_changes(ruleset: RuleChoices, changes: Mapping[str, Any], *, extra_keys: tuple[str, ...] = ()) -> Ruleset:
    """Return the ruleset with nested changes laid over it.

    `extra_keys` are listed in error messages as keys that may stand beside the parts. Raises `MalformedError` for
    unknown fields and for values that a field cannot have, and `RulesetError` if the choices do not work together.
    """
    return _converted(merged(msgspec.to_builtins(ruleset), changes), Ruleset, extra_keys)


def unchecked_rules(plain: Mapping[str, Any], *, extra_keys: tuple[str, ...] = ()) -> RuleChoices:
    """Return rules from nested plain values, whether or not the choices work together.

    Raises `MalformedError` for unknown fields and for values that a field cannot have.
    """
    return _converted(plain, RuleChoices, extra_keys)


def _converted(plain: Mapping[str, Any], kind: type[AnyRules], extra_keys: tuple[str, ...]) -> AnyRules:
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise MalformedError(_explained(str(error), extra_keys)) from error
    except RecursionError as error:
        raise MalformedError("the rules are nested too deeply") from error


def nest(changes: Mapping[str, Any]) -> Plain:
    """Return changes keyed by dotted path as nested dictionaries.

    >>> nest({"dice.faces": 8, "exact_call": None})
    {'dice': {'faces': 8}, 'exact_call': None}
    """
    nested: Plain = {}
    for path, value in changes.items():
        part, _, field = path.partition(".")
        if not field:
            nested[part] = value
        elif isinstance(nested.setdefault(part, {}), dict):
            nested[part][field] = value
    return nested


def merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> Plain:
    """Return `base` with `changes` merged into it, part by part."""
    return _merged(base, changes, RuleChoices)


def _merged(base: Mapping[str, Any], changes: Mapping[str, Any], kind: type[msgspec.Struct]) -> Plain:
    result = dict(base)
    hints = _field_hints(kind)
    for key, value in changes.items():
        options = hints.get(key, ())
        part = next(
            (option for option in options if isinstance(option, type) and issubclass(option, msgspec.Struct)),
            None,
        )
        if value == NONE and type(None) in options:
            result[key] = None
        elif part is not None and isinstance(value, dict):
            result[key] = _merged(base.get(key) or {}, value, part)
        else:
            result[key] = value
    return result


@cache
def _field_hints(kind: type[msgspec.Struct]) -> dict[str, tuple[Any, ...]]:
    """Return the types that each field may have, by its name in a file."""
    hints = typing.get_type_hints(kind)
    return {
        field.encode_name: typing.get_args(hint) if isinstance(hint := hints[field.name], types.UnionType) else (hint,)
        for field in msgspec.structs.fields(kind)
    }


def field_errors(plain: Mapping[str, Any], *, extra_keys: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield a message for every unknown field and every value that a field cannot have."""
    for key, value in plain.items():
        trials = [{field: inner} for field, inner in value.items()] if isinstance(value, dict) and value else [value]
        for trial in trials:
            try:
                msgspec.convert({key: trial}, RuleChoices)
            except msgspec.ValidationError as error:
                yield _explained(str(error), extra_keys)
            except RecursionError:
                yield f"{key} is nested too deeply"


def _explained(message: str, extra_keys: tuple[str, ...]) -> str:
    """Return the message of msgspec, with the values or fields that would have been right."""
    location = re.search(r"at `\$\.?([^`]*)`", message)
    path = [step for step in re.split(r"[.\[]", location[1] if location else "") if step and step != "...]"]
    kinds: tuple[Any, ...] = (RuleChoices,)
    for step in path:
        kinds = tuple(option for kind in kinds for option in _inner_types(kind, step))
    choices = sorted({*_allowed_words(kinds), *(() if path else extra_keys)})
    return f"{message[:1].lower()}{message[1:]}" + (f" (choose: {', '.join(choices)})" if choices else "")


def _inner_types(kind: Any, step: str) -> tuple[Any, ...]:  # noqa: ANN401  a type annotation of any shape
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _field_hints(kind).get(step, ())
    return typing.get_args(kind)


def _allowed_words(kinds: tuple[Any, ...]) -> Iterator[str]:
    for kind in kinds:
        if kind is type(None):
            yield NONE
        elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            yield from _field_hints(kind)
        elif isinstance(kind, type) and hasattr(kind, "__members__"):
            yield from (str(member.value) for member in kind.__members__.values())
        elif typing.get_origin(kind) is tuple:
            yield from _allowed_words(typing.get_args(kind)[:1])
