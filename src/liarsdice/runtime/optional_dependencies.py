"""Optional dependencies: the name of the distribution, its extras, and clear errors for packages that are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Literal

from liarsdice.core.errors import UnavailableError

DISTRIBUTION = "liarsdice-engine"
"""The name on the package index. `liarsdice` there is another program, so every hint must use this constant."""

Extra = Literal["ray", "research", "train"]


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
