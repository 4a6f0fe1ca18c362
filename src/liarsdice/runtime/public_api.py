"""The public interface of the package: names that load on first use, and functions that check their arguments.

Annotations are the contract. Functions are wrapped where they leave the package, so that calls inside it cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from importlib import import_module
from types import FunctionType
from typing import ParamSpec, TypeVar

from liarsdice.core.arguments import call_name, require_arguments
from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.optional_dependencies import missing_extra

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def checked(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Return a function that raises `MalformedError` for an argument that does not fit its annotation.

    If the call needs a package that is not installed, it raises `UnavailableError` with the command that installs it.
    """

    @wraps(function)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        require_arguments(function, args, kwargs)
        try:
            return function(*args, **kwargs)
        except ModuleNotFoundError as error:
            hint = missing_extra(error)
            if hint is None:
                raise
            raise UnavailableError(f"{call_name(function)}: {hint}") from error

    return call


def public_attribute(
    package: str, homes: Mapping[str, str], unchecked: Collection[str] = ()
) -> Callable[[str], object]:
    """Return the `__getattr__` of a package that loads its public names on first use, and checks their arguments.

    `homes`: the module of each name, relative to the package. `unchecked`: functions that check them by themselves.
    """

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            value: object = getattr(import_module(f"{package}.{homes[name]}"), name)
        except ModuleNotFoundError as error:
            hint = missing_extra(error)
            if hint is None:
                raise
            raise ModuleNotFoundError(f"{package}.{name}: {hint}", name=error.name) from error
        if isinstance(value, FunctionType) and name not in unchecked:
            value = checked(value)
            value.__module__ = package  # so that it can be pickled
        return vars(import_module(package)).setdefault(name, value)

    return load
