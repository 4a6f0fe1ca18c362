"""Arguments compared with annotations, in one place: what is wanted, what came, and what returns it.

The exported functions of the package check their arguments before a call (`runtime.public_api`). Those that a program
calls for every move do so after a call has failed, so that a call that succeeds costs nothing.
"""

import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from numbers import Integral, Real
from types import CodeType, MappingProxyType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from liarsdice.core.errors import MalformedError, described

Fits = Callable[[Any], bool]

SOURCES = {
    "CompiledRules": "compile_rules",
    "Game": "make_game",
    "InPlaceEnv": "make_env",
    "Preset": "preset",
    "Record": "read_record",
    "RuleChoices": "find_rules",
    "Rulebook": "rulebook",
    "Ruleset": "find_rules",
    "State": "start",
    "Strategy": "solve_round",
    "View": "view",
}
"""What returns an object of a class, by the name of the class; error messages advise it."""


def check_fields(struct: object) -> None:
    """Raise `MalformedError` if a field of a struct does not fit its annotation."""
    cls: Any = type(struct)
    for name, (hint, fits) in _contract(cls).items():
        value = getattr(struct, name)
        if not fits(value):
            raise MalformedError(_complaint(cls.__name__, name, hint, value))


def require_arguments(
    function: Callable[..., object], args: tuple[object, ...], kwargs: Mapping[str, object] = MappingProxyType({})
) -> None:
    """Raise `MalformedError` if an argument of a call does not fit its annotation."""
    contract = _contract(function)
    for name, value in (*zip(_positional_names(function), args, strict=False), *kwargs.items()):
        if name in contract:
            hint, fits = contract[name]
            if not fits(value):
                raise MalformedError(_complaint(call_name(function), name, hint, value))


def call_name(function: Callable[..., object]) -> str:
    """Return the name of a function as error messages show it."""
    return function.__qualname__.removesuffix(".__init__")


def _complaint(call: str, name: str, hint: Any, value: object) -> str:  # noqa: ANN401  annotations are of any type
    kinds = [getattr(kind, "__name__", "") for kind in (hint, *get_args(hint))]
    advice = [f" (`{SOURCES[kind]}` returns one)" for kind in kinds if kind in SOURCES]
    if isinstance(value, str) and "Path" in kinds:
        advice = [f" (Path({value!r:.80}) names a file)"]
    return f"{call}: {name} is {_wanted(hint)}, not {described(value)}{''.join(advice[:1])}"


@cache
def _positional_names(function: Callable[..., object]) -> tuple[str, ...]:
    code: CodeType = function.__code__
    return code.co_varnames[: code.co_argcount]


@cache
def _contract(annotated: Any) -> dict[str, tuple[Any, Fits]]:  # noqa: ANN401  a function or a class
    """The annotation of each parameter, or field of a class, and whether a value fits it."""
    hints = typing.get_type_hints(annotated)
    hints.pop("return", None)
    return {name: (hint, _fits(hint)) for name, hint in hints.items()}


def _fits(hint: Any) -> Fits:  # noqa: ANN401  as above
    """Return whether a value fits an annotation, as a function of the value."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        classes = tuple(part for part in parts if isinstance(part, type) and _is_plain(part))
        checks = [_fits(part) for part in parts if part not in classes]
        return lambda value: isinstance(value, classes) or any(fits(value) for fits in checks)
    if origin is Literal:
        return lambda value: value in parts
    if origin is tuple:
        return _fits_tuple(parts)
    if _is_collection(origin):
        return _fits_items(origin, parts)
    if hint is int:
        return lambda value: isinstance(value, Integral) and not isinstance(value, bool)
    if hint is float:
        return lambda value: isinstance(value, Real) and not isinstance(value, bool)
    cls = NoneType if hint is None else origin or hint
    if getattr(cls, "_is_protocol", False):
        return _fits_protocol(cls)
    if not isinstance(cls, type) or cls.__module__ == "typing":  # `Any`, a type variable, or an interface of files
        return lambda _: True
    return lambda value: isinstance(value, cls)


def _is_collection(origin: object) -> bool:
    return isinstance(origin, type) and issubclass(origin, Iterable) and origin.__module__ == "collections.abc"


def _is_plain(cls: type) -> bool:
    """Whether the values of an annotation are the instances of the class."""
    if cls in (int, float) or cls.__module__ == "typing":  # such as an interface of files
        return False
    return not getattr(cls, "_is_protocol", False) and get_origin(cls) is None


def _fits_tuple(parts: tuple[Any, ...]) -> Fits:
    if parts[1:] == (...,):
        fits_item = _fits(parts[0])
        return lambda value: isinstance(value, tuple) and all(map(fits_item, value))
    checks = [_fits(part) for part in parts]
    return lambda value: (
        isinstance(value, tuple)
        and len(value) == len(checks)
        and all(fits(item) for fits, item in zip(checks, value, strict=True))
    )


def _fits_items(origin: type[Iterable[Any]], parts: tuple[Any, ...]) -> Fits:
    """A text is no sequence of texts, and an iterator stays unread."""
    if issubclass(origin, Mapping) or not parts:
        return lambda value: isinstance(value, origin)
    fits_item = _fits(parts[0])
    return lambda value: (
        isinstance(value, origin)
        and not isinstance(value, str | bytes)
        and (isinstance(value, Iterator) or all(map(fits_item, value)))
    )


def _fits_protocol(protocol: type) -> Fits:
    """An object fits that has the methods and attributes of the protocol; a class in its place does not."""
    names = _members(protocol)
    return lambda value: not isinstance(value, type) and all(hasattr(value, name) for name in names)


def _members(protocol: type) -> list[str]:
    protocols = [base for base in protocol.__mro__ if getattr(base, "_is_protocol", False)]
    return sorted({name for base in protocols for name in (*vars(base), *base.__annotations__) if name[0] != "_"})


NAMES = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "True or False",
    bytes: "bytes",
    None: "None",
    NoneType: "None",
    Any: "anything",
}
MAX_LISTED = 6


def _wanted(hint: Any) -> str:  # noqa: ANN401  annotations are of any type
    """Say in words which values an annotation stands for."""
    origin, parts = get_origin(hint), get_args(hint)
    cls: Any = origin or hint
    if hint in NAMES:
        return NAMES[hint]
    if origin in (Union, UnionType):
        if len(parts) > MAX_LISTED:
            return f"one of {', '.join(part.__name__ for part in parts if part is not NoneType)}"
        return " or ".join(map(_wanted, parts))
    if origin is Literal:
        return f"one of {', '.join(map(repr, parts))}"
    if origin is tuple and parts[1:] != (...,):
        return f"a tuple of {len(parts)} items ({', '.join(map(_wanted, parts))})"
    if origin is tuple or _is_collection(origin):
        return f"{_with_article(origin.__name__.lower())}, each item {_wanted(parts[0])}"
    if getattr(cls, "_is_protocol", False):
        return f"an object with {', '.join(f'`{name}`' for name in _members(cls))}, as {cls.__name__} describes"
    if isinstance(hint, type) and issubclass(hint, Enum):
        return f"one of {', '.join(map(str, hint))}"
    return _with_article(getattr(cls, "__name__", str(hint)))


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0] in 'AEIOaeio' else 'a'} {noun}"
