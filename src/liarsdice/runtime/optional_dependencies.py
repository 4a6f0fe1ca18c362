"""Optional dependencies: the name of the distribution, its extras, and clear errors for packages that are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Literal

from liarsdice.core.errors import UnavailableError

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
    **dict.fromkeys(("gymnasium", "matplotlib", "pettingzoo", "pyarrow", "pyspiel"), "research"),
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


def missing_extra(error: ModuleNotFoundError) -> str | None:
    """Return a sentence that says which extra installs a missing package, None if the package is of no extra.

    >>> missing_extra(ModuleNotFoundError("No module named 'numba'", name="numba.core"))
    "this needs numba: pip install 'liarsdice-engine[solve]'"
    """
    package = (error.name or "").partition(".")[0]
    return f"this needs {package}: {install_command(EXTRA_OF[package])}" if package in EXTRA_OF else None
