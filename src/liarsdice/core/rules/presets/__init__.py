"""Presets: rulesets with a name, the five rule sheets and well-known games around them.

Each is written as `patched(…)`: the differences from a similar one, and its source.
"""

import msgspec

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets.games import BASE, CLASSIC_OPTIONS, GAMES, OPTIONS, SHEETS, Changes, Preset
from liarsdice.core.rules.presets.sheets import Sheet, find_sheet, sheets
from liarsdice.core.rules.rule_costs import is_simulated

__all__ = ["BASE", "FULL", "PRESETS", "Preset", "Sheet", "preset", "preset_names", "sheets", "simulated_preset_names"]

PRESETS: dict[str, Preset] = {entry.name: entry for entry in (*SHEETS, *GAMES)}
"""All presets by name."""

FULL = "+".join(("classic", *CLASSIC_OPTIONS))
"""The name of the second rule sheet, 001, with all its options."""


def preset_names() -> tuple[str, ...]:
    """Return the names of all presets, the five rule sheets first."""
    return tuple(PRESETS)


def simulated_preset_names() -> tuple[str, ...]:
    """Return the names of the presets that the simulator knows, in the order of `preset_names`.

    Reviews, estimates, training and the rules lab know only these.

    >>> "perudo" in simulated_preset_names(), "cacho" in simulated_preset_names()
    (True, False)
    """
    return tuple(name for name, entry in PRESETS.items() if is_simulated(entry.ruleset))


def preset(name: str) -> Preset:
    """Return the preset or rule sheet with this name or alias; options follow after plus signs, as in `classic+aces`.

    Raises `UnavailableError` for an unknown name or option.

    >>> preset("s003").name
    'mustache'
    >>> preset("classic+aces+calza").ruleset.exact_call
    ExactCall()
    """
    known = listed_preset(name) or find_sheet(name)
    if known is None:
        base = name.strip().lower().split("+")[0]
        raise UnavailableError(f"no ruleset is called {base!r:.80} (there are: {', '.join(PRESETS)})")
    return known


def listed_preset(name: str) -> Preset | None:
    """Return the preset with this name or alias and options, None if it is none. Raises as `preset` for an option."""
    base, *options = name.strip().lower().split("+")
    for candidate in PRESETS.values():
        if base == candidate.name or base in candidate.aliases:
            return _with_options(candidate, options) if options else candidate
    return None


def _with_options(base: Preset, options: list[str]) -> Preset:
    changes: Changes = {}
    for option in options:
        if option not in base.options:
            offered = ", ".join(base.options) or "none"
            raise UnavailableError(f"{base.name} has no option {option!r} (it has: {offered})")
        changes |= OPTIONS[option]
    chosen = tuple(option for option in base.options if option in options)
    return msgspec.structs.replace(
        base,
        name="+".join((base.name, *chosen)),
        aliases=(),
        chosen=chosen,
        ruleset=patched(base.ruleset, **changes),
    )
