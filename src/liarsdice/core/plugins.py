"""Entry points of installed packages: what they add under a group such as `liarsdice.bots`, by name.

Whoever loads an entry point runs the code of its package. A server must not do so for its guests, so a plugin always
has the prefix `plugin:` in its name, which only the command line and Python understand.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from liarsdice.core.errors import UnavailableError

PLUGIN = "plugin:"
BOT_GROUP, PRESET_GROUP = "liarsdice.bots", "liarsdice.presets"


def plugins(group: str) -> dict[str, str]:
    """Return the packages that entry points of a group belong to, with their versions, by the name of the plugin."""
    return {PLUGIN + point.name: _package(point) for point in sorted(entry_points(group=group), key=_name)}


def load_plugin(group: str, spec: str) -> Any:  # noqa: ANN401  what a package offers has any type
    """Return what the entry point with a name such as `plugin:stubborn` stands for.

    Raises `UnavailableError` if no installed package has one, or if it cannot be loaded.
    """
    points = entry_points(group=group, name=spec.removeprefix(PLUGIN))
    if not points:
        known = ", ".join(plugins(group)) or "none"
        raise UnavailableError(f"no installed package has {spec} for the group {group} (installed: {known})")
    point = next(iter(points))
    try:
        return point.load()
    except (Exception, SystemExit) as error:
        raise UnavailableError(f"cannot load {spec} of {_package(point)}: {type(error).__name__}: {error}") from error


def _name(point: EntryPoint) -> str:
    return point.name


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.module
