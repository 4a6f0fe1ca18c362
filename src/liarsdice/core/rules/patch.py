"""Editing rules: changes to single fields by path, validated, applied to a ruleset, and reduced to the fewest.

A patch is a dict of JSON values by dotted path, such as `{"dice.faces": 8, "exact_call": None}`. An optional part
alone is True (the rules have it) or None (they do not).
"""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

import msgspec

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.applicability import CONDITIONS, has_pure_bids, special_converts, suspension_can_happen
from liarsdice.core.rules.field_paths import (
    DEFAULTS,
    FIELD_TYPES,
    OPTIONAL_PARTS,
    PARTS,
    UNSET_BY_DEFAULT,
    field_value,
)
from liarsdice.core.rules.overlay import NONE, Plain, merged, nest, unchecked_rules
from liarsdice.core.rules.parts import RuleChoices
from liarsdice.core.rules.rule_costs import MAX_DICE, MAX_FACES
from liarsdice.core.rules.validate import gains_without_limit, may_never_end

MAX_CHANGES = 100
MAX_TEXT_LENGTH = 200
MAX_LIST_LENGTH = 20
MAX_NUMBER = 10**9

DEFAULT_MAX_ROUNDS = 1000
DEFAULT_MAX_BIDS = 100
"""The limits that `apply_patch` adds to rules that would otherwise let a match or a round go on for ever.

Where exact calls win dice without a limit, a match has fewer rounds, so that a table can play it (`MAX_DICE`).
"""

DEFAULT_CONVERSION = {"to_special": c.ToSpecial.FLOOR_HALF_PLUS_1, "from_special": c.FromSpecial.DOUBLE}
"""The formulas that `apply_patch` adds where bids on the special face convert."""


def as_json(value: object) -> Any:  # noqa: ANN401  the value's type differs by field
    """Return the value of a field, or what `msgspec.to_builtins` made of it, as JSON has it."""
    plain = msgspec.to_builtins(value)
    return list(plain) if isinstance(plain, tuple) else plain


NEUTRAL_VALUES: Plain = {path: as_json(DEFAULTS[path]) for path in CONDITIONS} | {"bidding.special_may_open": False}
"""The value to which a field is reset when it does not apply, by path."""


def read_patch(changes: Mapping[str, Any]) -> Plain:
    """Return changes from outside as a patch: by path, with values of the right types.

    `changes` may also hold a whole part as a dict of its fields, and a list of words or of numbers as one text with
    commas. Raises `MalformedError` for a path that no rule has, for a value that the field cannot have, and for sizes
    far beyond any rules.

    >>> read_patch({"dice": {"faces": 8}, "exact_call": "none"})
    {'dice.faces': 8, 'exact_call': None}
    """
    if len(changes) > MAX_CHANGES:
        raise MalformedError(f"rules have at most {MAX_CHANGES} changes, not {len(changes)}")
    return {path: plain for key, value in changes.items() for path, plain in _read_change(key, value)}


def _read_change(path: str, value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401  the value's type differs by field
    if path in FIELD_TYPES:
        yield path, _read_value(path, value)
    elif path not in PARTS:
        near = get_close_matches(path, (*PARTS, *FIELD_TYPES), n=1) if len(path) <= MAX_TEXT_LENGTH else []
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise MalformedError(f"no rule is called {path!r:.60}{hint}")
    elif isinstance(value, dict) and len(value) <= MAX_CHANGES:
        if path in OPTIONAL_PARTS:
            yield path, True
        for field, inner in value.items():
            field_path = f"{path}.{field}"
            if field_path not in FIELD_TYPES:
                raise MalformedError(f"{path} has no rule that is called {field!r:.60}")
            yield field_path, _read_value(field_path, inner)
    elif path in OPTIONAL_PARTS and (value is None or isinstance(value, bool) or value == NONE):
        yield path, True if value is True else None
    else:
        wanted = "true, null or its fields" if path in OPTIONAL_PARTS else "changed field by field"
        first_field = next(known for known in FIELD_TYPES if known.startswith(f"{path}."))
        raise MalformedError(f"{path} is {wanted}, as {first_field}, not {_short_repr(value)}")


def _read_value(path: str, value: Any) -> Any:  # noqa: ANN401  as _read_change
    kind = FIELD_TYPES[path]
    options = typing.get_args(kind)
    if value == NONE and type(None) in options:
        return None
    if value is None and typing.get_origin(kind) is tuple:
        return []
    if isinstance(value, str) and tuple[str, ...] in options:
        value = _listed(value)
    if isinstance(value, str) and tuple[int, ...] in options:
        value = [int(word) if re.fullmatch("[0-9]{1,3}", word) else word for word in _listed(value)]
    max_length = MAX_TEXT_LENGTH if isinstance(value, str) else MAX_LIST_LENGTH
    if isinstance(value, str | list | tuple) and len(value) > max_length:
        raise MalformedError(f"{path} is longer than any rule: {_short_repr(value)}")
    try:
        plain = as_json(msgspec.convert(value, kind))
    except (msgspec.ValidationError, RecursionError) as error:
        wanted = ", ".join(_allowed_words(kind))
        reason = f"{error}"[:100] if isinstance(error, msgspec.ValidationError) else "nested too deeply"
        raise MalformedError(
            f"{path}: {reason[:1].lower()}{reason[1:]}" + (f" (choose: {wanted})" if wanted else "")
        ) from error
    if any(abs(number) > MAX_NUMBER for number in _numbers(plain)):
        raise MalformedError(f"{path} is a number of more than {len(str(MAX_NUMBER)) - 1} digits")
    if path == "dice.faces" and plain > MAX_FACES:
        raise MalformedError(f"dice.faces is {plain}, but dice have at most {MAX_FACES} faces here")
    if isinstance(plain, str) and not plain.isascii():
        try:
            plain.encode()
        except UnicodeEncodeError as error:
            raise MalformedError(f"{path} is no text: {error.reason}") from error
    return plain


def _listed(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _numbers(plain: object) -> Iterator[int]:
    match plain:
        case int():
            yield plain
        case list() | tuple():
            for item in plain:
                yield from _numbers(item)
        case dict():
            yield from _numbers(list(plain.values()))
        case _:
            pass


def _allowed_words(kind: Any) -> list[str]:  # noqa: ANN401  a type annotation of any shape
    kinds = typing.get_args(kind) or (kind,)
    enums = [option for option in kinds if isinstance(option, type) and issubclass(option, c.Choice)]
    return [str(member) for option in enums for member in option]


def _short_repr(value: object) -> str:
    return f"{value!r:.40}" if isinstance(value, str | bool | None) else f"a {type(value).__name__}"


def apply_patch(base: RuleChoices, patch: Plain) -> RuleChoices:
    """Return the rules with a patch applied and with its consequences, not validated.

    A part that is removed takes its fields along, and a field of a missing part adds the part. Fields that no longer
    apply are reset to neutral values. A formula or a limit that the choices need is added, unless the patch sets it.

    >>> from liarsdice.core.rules.presets import preset
    >>> apply_patch(preset("perudo").ruleset, {"exact_call": None}).exact_call is None
    True
    """
    plain: Plain = msgspec.to_builtins(base)
    if not patch:
        return unchecked_rules(plain)
    changes = {path: value for path, value in patch.items() if path not in OPTIONAL_PARTS}
    for part in OPTIONAL_PARTS:
        fields = [path for path in changes if path.startswith(f"{part}.")]
        if not patch.get(part, plain[part] is not None or bool(fields)):
            changes = {path: value for path, value in changes.items() if path not in fields} | {part: None}
        elif plain[part] is None:
            plain[part] = msgspec.to_builtins(OPTIONAL_PARTS[part]())
    return _with_consequences(merged(plain, nest(changes)), patch)


def _set_field(plain: Plain, path: str, value: object) -> bool:
    """Set a field if its part exists; returns whether that changed anything."""
    part, _, field = path.rpartition(".")
    fields = plain[part] if part else plain
    if fields is None or fields.get(field) == value:
        return False
    fields[field] = value
    return True


def _with_consequences(plain: Plain, patch: Plain) -> RuleChoices:
    rules = unchecked_rules(plain)
    bidding: Plain = plain["bidding"]
    missing = {field: formula.value for field, formula in DEFAULT_CONVERSION.items() if bidding[field] is None}
    if missing and special_converts(rules):
        bidding |= missing
        rules = unchecked_rules(plain)
    for path, applies in CONDITIONS.items():
        if not applies(rules) and _set_field(plain, path, NEUTRAL_VALUES[path]):
            rules = unchecked_rules(plain)
    if "wilds.suspended_by" not in patch:
        reasons = () if has_pure_bids(rules) else rules.wilds.suspended_by
        possible = [str(reason) for reason in reasons if suspension_can_happen(rules, reason)]
        plain["wilds"]["suspended_by"] = possible
    if "guards.max_rounds" not in patch:
        rounds = DEFAULT_MAX_ROUNDS if may_never_end(rules) else rules.guards.max_rounds
        call = rules.exact_call
        if call is not None and call.budget is None and gains_without_limit(rules):
            rounds = min(rounds or DEFAULT_MAX_ROUNDS, max(1, MAX_DICE // 2 // call.success_gain))
        plain["guards"]["max_rounds"] = rounds
    uncapped = rules.bidding.cap is None and rules.guards.max_bids_per_round is None
    if "guards.max_bids_per_round" not in patch and uncapped:
        plain["guards"]["max_bids_per_round"] = DEFAULT_MAX_BIDS
    return unchecked_rules(plain)


def minimal_patch(base: RuleChoices, patch: Plain) -> Plain:
    """Return the fewest changes that lead to the same rules: none that the base has or that follows from another."""
    rules = apply_patch(base, patch)
    before, after = flatten_as_json(base), flatten_as_json(rules)
    defaults = {path: as_json(value) for path, value in DEFAULTS.items()}
    changes = {path: value for path, value in after.items() if before.get(path, defaults[path]) != value}
    changes |= {part: True if part in after else None for part in OPTIONAL_PARTS if (part in before) != (part in after)}
    for path in [path for path in changes if path not in OPTIONAL_PARTS]:
        fewer = {key: value for key, value in changes.items() if key != path}
        if apply_patch(base, fewer) == rules:
            changes = fewer
    return dict(sorted(changes.items()))


def flatten_as_json(rules: RuleChoices) -> Plain:
    """Return the JSON value of every field, by path; an optional part has a path only if the rules have it."""
    values: Plain = {}
    for name, value in msgspec.to_builtins(rules).items():
        if name not in PARTS:
            values[name] = as_json(value)
        elif value is not None:
            if name in OPTIONAL_PARTS:
                values[name] = True
            values |= {f"{name}.{field}": as_json(inner) for field, inner in value.items()}
    return dict.fromkeys(UNSET_BY_DEFAULT) | values


def json_value(rules: RuleChoices, path: str) -> Any:  # noqa: ANN401  the value's type differs by field
    """Return the JSON value of one field, None if it belongs to a part that the rules lack.

    >>> json_value(RuleChoices(), "bidding.raise"), json_value(RuleChoices(), "exact_call.who")
    ('quantity_first', None)
    """
    part, _, field = path.partition(".")
    if part in OPTIONAL_PARTS and getattr(rules, part) is None:
        return None
    return as_json(field_value(rules, path)) if field or part not in OPTIONAL_PARTS else True
