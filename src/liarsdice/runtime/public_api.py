"""The public interface of the package: names that load on first use, and functions that check their arguments.

Annotations are the contract. Functions are wrapped where they leave the package, so that calls inside it cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from importlib import import_module
from numbers import Integral
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

from liarsdice.core.arguments import call_name, check_fields, require_arguments
from liarsdice.core.errors import MalformedError, UnavailableError, described

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

DISTRIBUTION = "liarsdice-engine"
"""The name on the package index. `liarsdice` there is another program, so every hint must use this constant."""

Extra = Literal["client", "llm", "mcp", "ray", "research", "solve", "table", "terminal", "train"]
EXTRA_OF: dict[str, Extra] = {
    **dict.fromkeys(("numba", "numpy", "openskill"), "solve"),
    **dict.fromkeys(("rich", "textual", "typer"), "terminal"),
    **dict.fromkeys(("confusable_homoglyphs", "cryptography", "precis_i18n"), "terminal"),
    **dict.fromkeys(
        ("alembic", "litestar", "prometheus_client", "segno", "sqlalchemy", "structlog", "uvicorn"), "table"
    ),
    **dict.fromkeys(("gymnasium", "matplotlib", "pandas", "pettingzoo", "pyarrow", "pyspiel"), "research"),
    "httpx": "client",
    "mcp": "mcp",
    "torch": "train",
}
"""The extra that installs each package that not everybody needs; where two do, the smaller one."""


def install_command(extra: Extra) -> str:
    """The command that installs this distribution with an extra.

    >>> install_command("train")
    "pip install 'liarsdice-engine[train]'"
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def import_optional(module: str, extra: Extra, need: str) -> Any:  # noqa: ANN401  a module without known types
    """Import a module that an extra installs.

    `need` begins the error message, as in `"training needs PyTorch"`. Raises `UnavailableError` with the command that
    installs the extra if the module is missing.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise UnavailableError(f"{need}: {install_command(extra)}") from error


def data_frame(rows: Sequence[Mapping[str, object]], index: str) -> DataFrame:
    """Return a data frame of pandas with these rows, under the values of one column.

    Raises `UnavailableError` without pandas.
    """
    pandas = import_optional("pandas", "research", "a data frame needs pandas")
    return pandas.DataFrame(rows).set_index(index)


def new_axes(width: float, height: float) -> Axes:
    """Return axes of matplotlib on a figure of their own; sizes in inches. Raises `UnavailableError` without it."""
    figure = import_optional("matplotlib.figure", "research", "drawing needs matplotlib")
    axes: Axes = figure.Figure(figsize=(width, height), layout="constrained").subplots()
    return axes


def missing_extra(error: ModuleNotFoundError) -> str | None:
    """Return a sentence that says which extra installs a missing package, None if the package is of no extra.

    >>> missing_extra(ModuleNotFoundError("No module named 'numba'", name="numba.core"))
    "this needs numba: pip install 'liarsdice-engine[solve]'"
    """
    package = (error.name or "").partition(".")[0]
    return f"this needs {package}: {install_command(EXTRA_OF[package])}" if package in EXTRA_OF else None


Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def checked(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Return a function that raises `MalformedError` for an argument that does not fit its annotation.

    Fields of arguments are compared once a call has failed. Whole numbers of other types, as of NumPy, become `int`.
    If the call needs a package that is not installed, it raises `UnavailableError` with the command that installs it.
    """

    @wraps(function)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        require_arguments(function, args, kwargs)
        try:
            return function(*map(_plain, args), **{name: _plain(value) for name, value in kwargs.items()})  # type: ignore[arg-type]  # the same values
        except ModuleNotFoundError as error:
            hint = missing_extra(error)
            if hint is None:
                raise
            raise UnavailableError(f"{call_name(function)}: {hint}") from error
        except UnicodeEncodeError as error:
            raise MalformedError(
                f"{call_name(function)}: {described(error.object)} is no text: {error.reason}"
            ) from error
        except (AttributeError, StopIteration, TypeError):
            for value in (*args, *kwargs.values()):
                if hasattr(value, "__struct_fields__"):
                    check_fields(value)
            raise

    return call


def _plain(value: object) -> object:
    return value if isinstance(value, int) or not isinstance(value, Integral) else int(value)


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
