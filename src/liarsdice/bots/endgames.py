"""Solved last rounds of matches of two: what the champion plays when both hold their last die."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files

from liarsdice.core.errors import UnavailableError
from liarsdice.core.presets import names, preset
from liarsdice.core.ruleset import Ruleset
from liarsdice.core.view import View
from liarsdice.solve.solved import Solved, read_solved
from liarsdice.solve.strategy import Play, as_played


def endgame(view: View) -> Play | None:
    """How likely to take each action; None where the round is none that was solved."""
    if sum(view.dice) != 2 or max(view.dice) != 1:
        return None
    name = _names().get(as_played(view.ruleset))
    if name is None:
        return None
    try:
        return _solved(name).policy(view)
    except UnavailableError:  # somebody bid what nobody does who plays to win
        return None


@cache
def _names() -> dict[Ruleset, str]:
    """Presets that an endgame came with the package for, by their rules."""
    folder = files("liarsdice.bots") / "models"
    kept = [name for name in names() if (folder / f"endgame-{name}.lds").is_file()]
    return {as_played(preset(name).ruleset): name for name in kept}


@cache
def _solved(name: str) -> Solved:
    with as_file(files("liarsdice.bots") / "models" / f"endgame-{name}.lds") as path:
        return read_solved(path)
