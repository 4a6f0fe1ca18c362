"""The rulesets that have a name: the five rule sheets, and well-known games around them.

Each is written as `patched(…)`: only what differs from a nearer one, and its source.
"""

from __future__ import annotations

import msgspec

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.presets.games import GAMES
from liarsdice.core.rules.presets.preset import BASE, CLASSIC_OPTIONS, Changes, Preset
from liarsdice.core.rules.presets.rule_sheets import SHEETS
from liarsdice.core.rules.ruleset import patched

__all__ = ["BASE", "FULL", "PRESETS", "Preset", "names", "preset"]

PRESETS: dict[str, Preset] = {known.name: known for known in (*SHEETS, *GAMES)}
"""All presets by name."""

FULL = "+".join(("classic", *CLASSIC_OPTIONS))
"""The second rule sheet, 001, with all its options."""


def names() -> tuple[str, ...]:
    """The presets' names, the five rule sheets first."""
    return tuple(PRESETS)


def preset(name: str) -> Preset:
    """The preset of this name or alias; options follow after plus signs.

    Raises `UnavailableError` for an unknown name or option.

    >>> preset("s003").name
    'mustache'
    >>> preset("classic+aces+calza").ruleset.exact_call
    ExactCall()
    """
    asked, *options = name.strip().lower().split("+")
    for candidate in PRESETS.values():
        if asked == candidate.name or asked in candidate.aliases:
            return _with_options(candidate, options) if options else candidate
    raise UnavailableError(f"no ruleset is called {asked!r} (there are: {', '.join(PRESETS)})")


def _with_options(plain: Preset, options: list[str]) -> Preset:
    changes: Changes = {}
    for option in options:
        if option not in plain.options:
            offered = ", ".join(plain.options) or "none"
            raise UnavailableError(f"{plain.name} has no option {option!r} (it has: {offered})")
        changes |= CLASSIC_OPTIONS[option]
    chosen = tuple(option for option in plain.options if option in options)
    return msgspec.structs.replace(
        plain,
        name="+".join((plain.name, *chosen)),
        aliases=(),
        chosen=chosen,
        ruleset=patched(plain.ruleset, **changes),
    )
