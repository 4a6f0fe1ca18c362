"""Rulesets as TOML and JSON, read and written; house rules that extend a preset; and finding rules by name.

As everywhere in the package, a `str` is content and a `Path` is a file (`core.sources`); only `find_rules` looks up
names.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError, described, printable
from liarsdice.core.rules.overlay import NONE, Plain, field_errors, merged, plain_value, unchecked_rules, with_changes
from liarsdice.core.rules.presets import Preset, preset, preset_names
from liarsdice.core.rules.presets.sheets import SHEET
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.validate import find_problems
from liarsdice.core.sources import PLUGIN, PRESET_GROUP, load_plugin, source_text

EXTENDS = "extends"
"""The key of a house-rules file that names the preset it changes."""

MAX_FILE_LENGTH = 100_000
"""The longest rules file that is read, in characters."""

MAX_FILE_BYTES = 4 * MAX_FILE_LENGTH


def find_rules(name: str | Path) -> Ruleset:
    """Return the ruleset of a preset's name (with options) or of a TOML or JSON file.

    A `str` that ends in `.toml` or `.json` names a file, `plugin:NAME` the ruleset or preset of an installed package,
    whose code runs, and any other a preset; a `Path` is always a file, read as JSON if it ends in `.json` and else as
    TOML. Raises `UnavailableError` if there is no such preset, plugin or file, `MalformedError` if the file cannot be
    read as rules, and `RulesetError` if its choices do not work together.

    >>> find_rules("perudo").labels.game
    'Perudo'
    """
    if isinstance(name, str) and name.startswith(PLUGIN):
        return _plugin_rules(name)
    if isinstance(name, str) and not is_file_name(name):
        try:
            return preset(name).ruleset
        except UnavailableError as error:
            hint = _nearest_name(name)
            raise UnavailableError(f"{error}; house rules are a file that ends in .toml or .json{hint}") from None
    path = Path(name)
    text = source_text(path, MAX_FILE_BYTES, content="the rules")
    try:
        return from_dict(_parse_file(path, text))
    except LiarsDiceError as error:
        raise type(error)(f"{name}: {error}") from error


def _plugin_rules(name: str) -> Ruleset:
    """Return the ruleset of an installed package. Raises `UnavailableError` if there is none, or something else."""
    rules = load_plugin(PRESET_GROUP, name)
    if isinstance(rules, Preset):
        return rules.ruleset
    if not isinstance(rules, Ruleset):
        raise UnavailableError(f"{name} is neither a Ruleset nor a Preset, but {described(rules)}")
    return rules


def find_file_problems(source: str | Path) -> tuple[str, ...]:
    r"""Return everything that is wrong with a rules file, one line each; empty if its rules can be played.

    A `str` is the TOML itself, a `Path` a file, read as JSON if it ends in `.json`. The lines name either every unknown
    field and impossible value, or every reason why the choices do not work together. Raises `UnavailableError` if the
    file cannot be read, and `MalformedError` if it is not text.

    >>> find_file_problems('extends = "basic"\n[loss]\nfixed = 0')
    ('loss.fixed is 0, but needs to be at least 1',)
    """
    text = source_text(source, MAX_FILE_BYTES, content="the rules")
    try:
        base, changes = _split_extends(_parse_file(source, text) if isinstance(source, Path) else _parse_toml(text))
        plain = merged(msgspec.to_builtins(base), changes)
    except LiarsDiceError as error:
        return (str(error),)
    except RecursionError:
        return ("the rules are nested too deeply",)
    errors = tuple(map(printable, field_errors(plain, extra_keys=(EXTENDS, SHEET))))
    return errors or tuple(map(str, find_problems(unchecked_rules(plain))))


def is_file_name(name: str) -> bool:
    """Return whether a name of rules is that of a file: it ends in `.toml` or `.json`."""
    return Path(name).suffix.lower() in {".toml", ".json"}


def _parse_file(path: Path, text: str) -> Plain:
    return _parse_json(text) if path.suffix.lower() == ".json" else _parse_toml(text)


def _nearest_name(name: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  only an unknown name needs it

    known = [alias for listed in preset_names() for alias in (listed, *preset(listed).aliases)]
    near = get_close_matches(name.strip().lower(), known, n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def from_toml(source: str | Path) -> Ruleset:
    r"""Read rules from TOML: a whole ruleset, or changes to a preset named by `extends = "perudo"`.

    A `str` is the TOML itself, a `Path` a file. Raises `UnavailableError` if the file cannot be read, `MalformedError`
    if this is no TOML or has unknown fields or impossible values, and `RulesetError` if the choices do not work
    together.

    >>> from_toml('extends = "perudo"\nexact_call = "none"').exact_call is None
    True
    """
    return from_dict(_parse_toml(source_text(source, MAX_FILE_BYTES, content="the rules")))


def from_json(source: str | Path) -> Ruleset:
    """Read rules from JSON with the fields of the TOML files; null says that there is no such rule.

    A `str` is the JSON itself, a `Path` a file. Raises as `from_toml`.
    """
    return from_dict(_parse_json(source_text(source, MAX_FILE_BYTES, content="the rules")))


def _parse_toml(text: str) -> Plain:
    _check_text(text)
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise MalformedError(f"this is no TOML: {error}") from error


def _parse_json(text: str) -> Plain:
    _check_text(text)
    try:
        plain = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise MalformedError(f"this is no JSON: {error}") from error
    if not isinstance(plain, dict):
        raise MalformedError(f"rules are an object of parts, not {plain!r:.40}")
    return plain


def from_dict(plain: Mapping[str, Any]) -> Ruleset:
    """Return rules from nested dicts as a rules file holds them, whole or with `extends`. Raises as `from_toml`."""
    base, changes = _split_extends(plain)
    return with_changes(base, changes, extra_keys=(EXTENDS, SHEET))


def _split_extends(plain: Mapping[str, Any]) -> tuple[Ruleset, Plain]:
    """Return the ruleset that a file extends, and the changes that it makes."""
    changes = {key: value for key, value in plain.items() if key != SHEET}
    base = changes.pop(EXTENDS, None)
    if base is None:
        return Ruleset(), changes
    if not isinstance(base, str):
        raise MalformedError(f"extends names a preset (one of {', '.join(preset_names())}), not {base!r:.40}")
    return preset(base).ruleset, changes


def to_json(ruleset: Ruleset) -> str:
    """Return all choices of a ruleset as JSON that `from_json` reads back equal."""
    return msgspec.json.format(msgspec.json.encode(ruleset)).decode()


def to_toml(ruleset: Ruleset) -> str:
    """Return all choices of a ruleset as TOML that `from_toml` reads back equal."""
    plain: Plain = {name: plain_value(getattr(ruleset, name)) for name in ruleset.__struct_fields__}
    lines = [f"{key} = {_toml_value(value)}" for key, value in plain.items() if not isinstance(value, dict)]
    for part, fields in plain.items():
        if isinstance(fields, dict):
            lines += ["", f"[{part}]", *(f"{key} = {_toml_value(value)}" for key, value in fields.items())]
    return "\n".join(lines) + "\n"


def _toml_value(value: object) -> str:
    match value:
        case None:
            return f'"{NONE}"'
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case dict():
            return "{ " + ", ".join(f"{key} = {_toml_value(inner)}" for key, inner in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(_toml_value(inner) for inner in value) + "]"
        case _:
            return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")


def _check_text(text: str) -> None:
    if len(text) > MAX_FILE_LENGTH:
        raise MalformedError(f"the rules are longer than {MAX_FILE_LENGTH} characters")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise MalformedError(f"the rules are no text: {error.reason}") from error
