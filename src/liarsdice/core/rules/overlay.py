"""Changes laid over a ruleset: the one implementation behind presets, house-rule files and rule editing.

Changes are nested plain values, as a rule file holds them: `{"dice": {"faces": 8}, "exact_call": None}`. A part is
merged field by field; the word "none" stands for None where a field may have no value.
"""

import re
import types
import typing
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any

import msgspec

from liarsdice.core.decode_errors import describe_decode_error
from liarsdice.core.errors import MalformedError, described
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.meaning import CONDITIONS, has_pure_bids, special_converts, suspension_can_happen
from liarsdice.core.rules.parts import ExactCall, RuleChoices, SpecialRound
from liarsdice.core.rules.rule_costs import MAX_DICE, MAX_FACES
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.validate import gains_without_limit, may_never_end

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
    """Return the message of msgspec in plain words, with the values or fields that would have been right."""
    location = re.search(r"at `\$\.?([^`]*)`", message)
    path = [step for step in re.split(r"[.\[]", location[1] if location else "") if step and step != "...]"]
    kinds: tuple[Any, ...] = (RuleChoices,)
    for step in path:
        kinds = tuple(option for kind in kinds for option in _inner_types(kind, step))
    choices = sorted({*_allowed_words(kinds), *(() if path else extra_keys)})
    return _plain_words(message) + (f" (choose: {', '.join(choices)})" if choices else "")


def _plain_words(message: str, path: str = "") -> str:
    """Return the message of msgspec in plain words. `path`: of the field that was read alone, "" for whole rules."""
    described = describe_decode_error(message.replace("`$", f"`$.{path}") if path else message, "the ruleset", path)
    return described.replace(" an object", " a group of fields").replace(" null", f" {NONE}")


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
        wanted = ", ".join(_enum_words(kind))
        too_deep = f"{path} is nested too deeply"
        reason = _plain_words(f"{error}"[:100], path) if isinstance(error, msgspec.ValidationError) else too_deep
        raise MalformedError(reason + (f" (choose: {wanted})" if wanted else "")) from error
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


def _enum_words(kind: Any) -> list[str]:  # noqa: ANN401  a type annotation of any shape
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
    for part, kind in OPTIONAL_PARTS.items():
        fields = [path for path in changes if path.startswith(f"{part}.")]
        if not patch.get(part, plain[part] is not None or bool(fields)):
            changes = {path: value for path, value in changes.items() if path not in fields} | {part: None}
        elif plain[part] is None:
            plain[part] = msgspec.to_builtins(kind())
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
    return changes_between(base, apply_patch(base, patch))


def changes_between(base: RuleChoices, rules: RuleChoices) -> Plain:
    """Return the fewest changes that lead from one set of rules to another."""
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
    values = {path: as_json(value) for path, value in flatten(rules).items()}
    return {path: value for path, value in values.items() if path not in OPTIONAL_PARTS or value is not None}


def json_value(rules: RuleChoices, path: str) -> Any:  # noqa: ANN401  the value's type differs by field
    """Return the JSON value of one field, None if it belongs to a part that the rules lack.

    >>> json_value(RuleChoices(), "bidding.raise"), json_value(RuleChoices(), "exact_call.who")
    ('quantity_first', None)
    """
    part, _, field = path.partition(".")
    if part in OPTIONAL_PARTS and getattr(rules, part) is None:
        return None
    return as_json(field_value(rules, path)) if field or part not in OPTIONAL_PARTS else True
