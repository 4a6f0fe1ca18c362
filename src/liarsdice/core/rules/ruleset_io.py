"""Rulesets as files: TOML and JSON there and back, house rules that extend a preset, and finding rules by name."""

from __future__ import annotations

import re
import tomllib
import types
import typing
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError, printable
from liarsdice.core.rules.presets import names, preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.validate import problems

NONE = "none"
"""How a file says that there is no such rule, since TOML has no null."""

EXTENDS = "extends"
"""What a file that changes a preset calls it."""

LONGEST_FILE = 100_000
Plain = dict[str, Any]  # what a TOML or JSON file holds: the value's type differs by field


def find_rules(name: str) -> Ruleset:
    """The ruleset of a preset's name or of a TOML or JSON file. Raises an error of ours that says what there is.

    >>> find_rules("perudo").labels.game
    'Perudo'
    """
    if not is_file_name(name):
        try:
            return preset(name).ruleset
        except UnavailableError as error:
            hint = _nearest(name)
            raise UnavailableError(f"{error}; house rules are a file that ends in .toml or .json{hint}") from None
    text = _read(name)
    try:
        return from_plain(_parse(name, text))
    except LiarsDiceError as error:
        raise type(error)(f"{name}: {error}") from error


def problems_in(name: str) -> tuple[str, ...]:
    """Every misfit of a file of rules, or else every reason why its choices do not work together; nothing if they do.

    Raises `UnavailableError` where there is no such file, and `MalformedError` where it holds no text.
    """
    text = _read(name)
    try:
        base, changes = _extended(_parse(name, text))
        merged = _merge(msgspec.to_builtins(base), changes, Ruleset)
    except LiarsDiceError as error:
        return (str(error),)
    except RecursionError:
        return ("the rules are nested too deeply",)
    return tuple(map(printable, _misfits(merged))) or tuple(map(str, problems(unchecked(merged))))


def is_file_name(name: str) -> bool:
    """Whether a name of rules is that of a file, by its ending."""
    return Path(name).suffix.lower() in {".toml", ".json"}


def _read(name: str) -> str:
    try:
        with Path(name).open("rb") as file:
            raw = file.read(4 * LONGEST_FILE + 1)  # of anything longer, or without end, no more is needed to refuse it
    except (OSError, ValueError) as error:
        raise UnavailableError(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from error
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise MalformedError(f"{name} is no text in UTF-8: {error.reason}") from error


def _parse(name: str, text: str) -> Plain:
    return _parse_json(text) if Path(name).suffix.lower() == ".json" else _parse_toml(text)


def _nearest(name: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  only a name that is not there needs it

    known = [called for listed in names() for called in (listed, *preset(listed).aliases)]
    near = get_close_matches(name.strip().lower(), known, n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def from_toml(text: str) -> Ruleset:
    r"""Read rules from TOML: all of them, or a preset's with changes after `extends = "perudo"`.

    >>> from_toml('extends = "perudo"\nexact_call = "none"').exact_call is None
    True
    """
    return from_plain(_parse_toml(text))


def _parse_toml(text: str) -> Plain:
    _check_text(text)
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise MalformedError(f"this is no TOML: {error}") from error


def from_json(text: str) -> Ruleset:
    """Read rules from JSON, of the same fields as TOML, with null where there is no such rule."""
    return from_plain(_parse_json(text))


def _parse_json(text: str) -> Plain:
    _check_text(text)
    try:
        plain = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise MalformedError(f"this is no JSON: {error}") from error
    if not isinstance(plain, dict):
        raise MalformedError(f"rules are an object of parts, not {plain!r:.40}")
    return plain


def from_plain(plain: Mapping[str, Any]) -> Ruleset:
    """Rules from nested dicts, with `extends` or whole."""
    return _laid_over(*_extended(plain), (EXTENDS,))


def _extended(plain: Mapping[str, Any]) -> tuple[Ruleset, Plain]:
    """The ruleset that a file starts from, and what it changes."""
    changes = dict(plain)
    base = changes.pop(EXTENDS, None)
    if base is None:
        return Ruleset(), changes
    if not isinstance(base, str):
        raise MalformedError(f"extends names a preset (one of {', '.join(names())}), not {base!r:.40}")
    return preset(base).ruleset, changes


def with_changes(ruleset: Ruleset, changes: Mapping[str, Any]) -> Ruleset:
    """A ruleset with some fields of some parts replaced, given as nested dicts; checked as a whole."""
    return _laid_over(ruleset, changes, ())


def _laid_over(ruleset: Ruleset, changes: Mapping[str, Any], also: tuple[str, ...]) -> Ruleset:
    """As `with_changes`; `also`: what else may stand beside the parts."""
    merged = _merge(msgspec.to_builtins(ruleset), changes, Ruleset)
    try:
        return msgspec.convert(merged, Ruleset)
    except msgspec.ValidationError as error:
        raise MalformedError(_clearer(str(error), also)) from error
    except RecursionError as error:
        raise MalformedError("the rules are nested too deeply") from error


def unchecked(plain: Plain) -> Ruleset:
    """All choices of a ruleset, whether or not they work together."""
    found = msgspec.convert(plain, _unchecked_kind())
    return typing.cast("Ruleset", found)  # it has the same fields and only lacks the check


@cache
def _unchecked_kind() -> type[msgspec.Struct]:
    fields = [(field.name, field.type, field.default) for field in msgspec.structs.fields(Ruleset)]
    return msgspec.defstruct("Unchecked", fields, forbid_unknown_fields=True)


def _misfits(plain: Plain) -> Iterator[str]:
    """What is wrong with single fields: names that no rule has, and values that they cannot have."""
    for key, value in plain.items():
        single = [{field: inner} for field, inner in value.items()] if isinstance(value, dict) and value else [value]
        for trial in single:
            try:
                msgspec.convert({key: trial}, _unchecked_kind())
            except msgspec.ValidationError as error:
                yield _clearer(str(error), (EXTENDS,))
            except RecursionError:
                yield f"{key} is nested too deeply"


def to_json(ruleset: Ruleset) -> str:
    """All choices of a ruleset as JSON."""
    return msgspec.json.format(msgspec.json.encode(ruleset)).decode()


def to_toml(ruleset: Ruleset) -> str:
    """All choices of a ruleset as TOML that `from_toml` reads back equal."""
    plain: Plain = msgspec.to_builtins(ruleset)
    lines = [f"{key} = {_toml(value)}" for key, value in plain.items() if not isinstance(value, dict)]
    for part, fields in plain.items():
        if isinstance(fields, dict):
            lines += ["", f"[{part}]", *(f"{key} = {_toml(value)}" for key, value in fields.items())]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    match value:
        case None:
            return f'"{NONE}"'
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case dict():
            return "{ " + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(_toml(inner) for inner in value) + "]"
        case _:
            return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")


def _merge(base: Plain, changes: Mapping[str, Any], kind: type[msgspec.Struct]) -> Plain:
    """Changes laid over a base, part by part; the word "none" becomes None where a field may have no value."""
    merged = dict(base)
    kinds = _field_kinds(kind)
    for key, value in changes.items():
        options = kinds.get(key, ())
        part = next(
            (option for option in options if isinstance(option, type) and issubclass(option, msgspec.Struct)),
            None,
        )
        if value == NONE and type(None) in options:
            merged[key] = None
        elif part is not None and isinstance(value, dict):
            merged[key] = _merge(base.get(key) or {}, value, part)
        else:
            merged[key] = value
    return merged


def _field_kinds(kind: type[msgspec.Struct]) -> dict[str, tuple[Any, ...]]:
    hints = typing.get_type_hints(kind)
    return {
        field.encode_name: typing.get_args(hint) if isinstance(hint := hints[field.name], types.UnionType) else (hint,)
        for field in msgspec.structs.fields(kind)
    }


def _clearer(message: str, also: tuple[str, ...]) -> str:
    """Msgspec's words, and the values or fields that would have been right."""
    found = re.search(r"at `\$\.?([^`]*)`", message)
    path = [step for step in re.split(r"[.\[]", found[1] if found else "") if step and step != "...]"]
    kinds: tuple[Any, ...] = (Ruleset,)
    for step in path:
        kinds = tuple(option for kind in kinds for option in _step(kind, step))
    choices = sorted({*_choices(kinds), *(() if path else also)})
    return f"{message[:1].lower()}{message[1:]}" + (f" (choose: {', '.join(choices)})" if choices else "")


def _step(kind: Any, step: str) -> tuple[Any, ...]:  # noqa: ANN401  a type annotation of any shape
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _field_kinds(kind).get(step, ())
    return typing.get_args(kind)


def _choices(kinds: tuple[Any, ...]) -> Iterator[str]:
    for kind in kinds:
        if kind is type(None):
            yield NONE
        elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            yield from _field_kinds(kind)
        elif isinstance(kind, type) and hasattr(kind, "__members__"):
            yield from (str(member.value) for member in kind.__members__.values())
        elif typing.get_origin(kind) is tuple:
            yield from _choices(typing.get_args(kind)[:1])


def _check_text(text: str) -> None:
    if len(text) > LONGEST_FILE:
        raise MalformedError(f"the rules are longer than {LONGEST_FILE} characters")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise MalformedError(f"the rules are no text: {error.reason}") from error
