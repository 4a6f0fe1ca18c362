"""Changes to rules by the path of each field: read with care, laid over a ruleset, and written as short as can be."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

import msgspec

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.ruleset import ExactCall, Ruleset, SpecialRound
from liarsdice.core.rules.ruleset_io import NONE, unchecked
from liarsdice.core.text.rulebook.build import DEFAULTS, OPTIONAL_PARTS
from liarsdice.core.text.rulebook.clauses import OUTLINE

MOST_CHANGES = 100
LONGEST_TEXT = 200
LONGEST_LIST = 20
LARGEST_NUMBER = 10**9
MOST_FACES = 20
"""Dice that people have at hand; whether bids go in a loop is found out in the square of it."""

Plain = dict[str, Any]  # rules as JSON has them: the value's type differs by field

PARTS: frozenset[str] = frozenset(path.partition(".")[0] for path in DEFAULTS if "." in path)
NEW_PARTS: dict[str, type[msgspec.Struct]] = {"exact_call": ExactCall, "special_round": SpecialRound}


def as_json(value: object) -> Any:  # noqa: ANN401  the value's type differs by field
    """A value of a field as JSON has it."""
    plain = msgspec.to_builtins(value)
    return list(plain) if isinstance(plain, tuple) else plain


def _kinds() -> Iterator[tuple[str, Any]]:
    hints = typing.get_type_hints(Ruleset)
    for part, hint in hints.items():
        kind = NEW_PARTS.get(part, hint)
        if part not in PARTS:
            yield part, hint
            continue
        inner = typing.get_type_hints(kind)
        for field in msgspec.structs.fields(kind):
            yield f"{part}.{field.encode_name}", inner[field.name]


KINDS: dict[str, Any] = dict(_kinds())  # a type annotation of any shape
"""The type of every field, by its path."""

APPLIES = {line.path: line.applies for lines in OUTLINE.values() for line in lines} | {
    "loss.fixed": lambda rules: rules.loss.mode is c.LossMode.FIXED,
    "loss.exact": lambda rules: rules.loss.mode is c.LossMode.DIFFERENCE,
    "labels.exact": lambda rules: rules.exact_call is not None,
    "labels.special_round": lambda rules: rules.special_round is not None,
}
"""Whether a field means anything beside the others; those of which nothing is said here always do."""

ALWAYS_MEANT = {*OPTIONAL_PARTS, "bidding.special_rank", "labels.special_face"}
"""Where the rulebook has nothing to say of these, it says it elsewhere."""

MEANT = {path: APPLIES[path] for path in DEFAULTS if path in APPLIES and path not in ALWAYS_MEANT}
IDLE: Plain = {path: as_json(DEFAULTS[path]) for path in MEANT} | {"bidding.special_may_open": False}
MOST_ROUNDS = 1000
MOST_BIDS = 100


def read_changes(changes: Mapping[str, Any]) -> Plain:
    """Changes to single fields as plain values of the right types; an optional part alone is True or None.

    Raises `MalformedError` for a path that no rule has, and for a value that it cannot have.
    """
    if len(changes) > MOST_CHANGES:
        raise MalformedError(f"rules have at most {MOST_CHANGES} changes, not {len(changes)}")
    return {path: plain for key, value in changes.items() for path, plain in _leaves(key, value)}


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401  the value's type differs by field
    if path in KINDS:
        yield path, _read(path, value)
    elif path not in PARTS:
        near = get_close_matches(path, (*PARTS, *KINDS), n=1) if len(path) <= LONGEST_TEXT else []
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise MalformedError(f"no rule is called {path!r:.60}{hint}")
    elif isinstance(value, dict) and len(value) <= MOST_CHANGES:
        if path in OPTIONAL_PARTS:
            yield path, True
        for field, inner in value.items():
            leaf = f"{path}.{field}"
            if leaf not in KINDS:
                raise MalformedError(f"{path} has no rule that is called {field!r:.60}")
            yield leaf, _read(leaf, inner)
    elif path in OPTIONAL_PARTS and (value is None or isinstance(value, bool) or value == NONE):
        yield path, True if value is True else None
    else:
        wanted = "true, null or its fields" if path in OPTIONAL_PARTS else "changed field by field"
        raise MalformedError(f"{path} is {wanted}, as {path}.{_fields(path)[0]}, not {_shown(value)}")


def _fields(part: str) -> list[str]:
    return [path.partition(".")[2] for path in KINDS if path.startswith(f"{part}.")]


def _read(path: str, value: Any) -> Any:  # noqa: ANN401  as _leaves
    kind = KINDS[path]
    options = typing.get_args(kind)
    if value == NONE and type(None) in options:
        return None
    if value is None and typing.get_origin(kind) is tuple:
        return []
    if isinstance(value, str | list | tuple) and len(value) > (
        LONGEST_TEXT if isinstance(value, str) else LONGEST_LIST
    ):
        raise MalformedError(f"{path} is longer than any rule: {_shown(value)}")
    try:
        plain = as_json(msgspec.convert(value, kind))
    except (msgspec.ValidationError, RecursionError) as error:
        wanted = ", ".join(_choices(kind))
        reason = f"{error}"[:100] if isinstance(error, msgspec.ValidationError) else "nested too deeply"
        raise MalformedError(
            f"{path}: {reason[:1].lower()}{reason[1:]}" + (f" (choose: {wanted})" if wanted else "")
        ) from error
    if any(abs(number) > LARGEST_NUMBER for number in _numbers(plain)):
        raise MalformedError(f"{path} is a number of more than {len(str(LARGEST_NUMBER)) - 1} digits")
    if path == "dice.faces" and plain > MOST_FACES:
        raise MalformedError(f"dice.faces is {plain}, but dice have at most {MOST_FACES} faces here")
    if isinstance(plain, str) and not plain.isascii():
        try:
            plain.encode()
        except UnicodeEncodeError as error:
            raise MalformedError(f"{path} is no text: {error.reason}") from error
    return plain


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


def _choices(kind: Any) -> list[str]:  # noqa: ANN401  a type annotation of any shape
    kinds = typing.get_args(kind) or (kind,)
    enums = [option for option in kinds if isinstance(option, type) and issubclass(option, c.Choice)]
    return [str(member) for option in enums for member in option]


def _shown(value: object) -> str:
    """A value in a few characters, whatever it is."""
    return f"{value!r:.40}" if isinstance(value, str | bool | None) else f"a {type(value).__name__}"


def laid_over(base: Ruleset, changes: Plain) -> Ruleset:
    """A ruleset with changes as `read_changes` gives them, unchecked, and with what follows from them.

    A part that is taken away takes its fields along. What would mean nothing beside the other rules goes back to what
    nobody has chosen, and what a choice cannot do without comes with it unless it is said otherwise.
    """
    plain: Plain = msgspec.to_builtins(base)
    if not changes:
        return unchecked(plain)
    for part in OPTIONAL_PARTS:
        wanted = changes.get(part, plain[part] is not None or any(path.startswith(f"{part}.") for path in changes))
        plain[part] = (plain[part] or msgspec.to_builtins(NEW_PARTS[part]())) if wanted else None
    for path, value in changes.items():
        if path not in OPTIONAL_PARTS:
            _put(plain, path, value)
    return _followed(plain, changes)


def _put(plain: Plain, path: str, value: object) -> bool:
    """Set a field, if its part is there; whether that changed anything."""
    part, _, field = path.rpartition(".")
    holder = plain[part] if part else plain
    if holder is None or holder[field] == value:
        return False
    holder[field] = value
    return True


def _followed(plain: Plain, changes: Plain) -> Ruleset:
    rules = unchecked(plain)
    if rules.bidding.special_rank is c.SpecialRank.CONVERT:
        usual = {"to_special": c.ToSpecial.FLOOR_HALF_PLUS_1, "from_special": c.FromSpecial.DOUBLE}
        for field, choice in usual.items():
            plain["bidding"][field] = plain["bidding"][field] or choice.value
        rules = unchecked(plain)
    for path, means_something in MEANT.items():
        part = path.partition(".")[0]
        if plain[part] is not None and not means_something(rules) and _put(plain, path, IDLE[path]):
            rules = unchecked(plain)
    if "wilds.suspended_by" not in changes:
        plain["wilds"]["suspended_by"] = [str(reason) for reason in rules.wilds.suspended_by if _happens(rules, reason)]
    if "guards.max_rounds" not in changes and rules.guards.max_rounds is None and _may_go_on(rules):
        plain["guards"]["max_rounds"] = MOST_ROUNDS
    if (
        "guards.max_bids_per_round" not in changes
        and rules.guards.max_bids_per_round is None
        and rules.bidding.cap is None
    ):
        plain["guards"]["max_bids_per_round"] = MOST_BIDS
    return unchecked(plain)


def _happens(rules: Ruleset, reason: c.SuspendedBy) -> bool:
    """Whether what would end wildness can come up at all."""
    opens, special = rules.bidding.special_may_open, rules.special_round is not None
    match reason:
        case c.SuspendedBy.SPECIAL_ROUND:
            return special
        case c.SuspendedBy.OPENING_BID_ON_SPECIAL:
            return opens is not False and (special or opens is not c.SpecialOpening.SPECIAL_ROUND_ONLY)
        case c.SuspendedBy.ANY_BID_ON_SPECIAL:
            return rules.bidding.special_rank is not c.SpecialRank.NOT_BIDDABLE


def _may_go_on(rules: Ruleset) -> bool:
    """Whether a match could go on for ever, so that it needs a last round."""
    call = rules.exact_call
    endless = call is not None and call.budget is None
    return (endless and _no_die_lost(rules)) or rules.loss.destination is c.Destination.OPPONENT


def _no_die_lost(rules: Ruleset) -> bool:
    call = rules.exact_call
    assert call is not None
    return call.success_gain >= 1 or call.bidder_loss + call.others_loss == 0 or call.failure_loss == 0


def checked(rules: Ruleset) -> Ruleset:
    """Rules that were laid over others, for playing. Raises `RulesetError` where they do not work together."""
    return Ruleset(**{name: getattr(rules, name) for name in Ruleset.__struct_fields__})


def shortest(base: Ruleset, changes: Plain) -> Plain:
    """The fewest changes that mean the same, by path: none that the base has anyway or that follows from another."""
    rules = laid_over(base, changes)
    before, after = flat(base), flat(rules)
    unset = {path: as_json(value) for path, value in DEFAULTS.items()}
    found = {path: value for path, value in after.items() if before.get(path, unset[path]) != value}
    found |= {part: True if part in after else None for part in OPTIONAL_PARTS if (part in before) != (part in after)}
    for path in [path for path in found if path not in OPTIONAL_PARTS]:
        fewer = {key: value for key, value in found.items() if key != path}
        if laid_over(base, fewer) == rules:
            found = fewer
    return dict(sorted(found.items()))


def flat(rules: Ruleset) -> Plain:
    """Every field by its path as JSON has it; an optional part that is there has its own path as well, with True."""
    found: Plain = {}
    for key, value in msgspec.to_builtins(rules).items():
        if key not in PARTS:
            found[key] = as_json(value)
        elif value is not None:
            found |= {key: True} if key in OPTIONAL_PARTS else {}
            found |= {f"{key}.{field}": as_json(inner) for field, inner in value.items()}
    return found
