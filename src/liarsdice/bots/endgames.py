"""Solved last rounds of matches of two: what the champion plays when both hold their last die."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import as_file, files

from liarsdice.core.engine.view import View
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.presets import names, preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.game.round_start import opening_of
from liarsdice.solve.strategy.action_values import Action, worths
from liarsdice.solve.strategy.strategy import Play, as_played
from liarsdice.solve.strategy.strategy_file import Solved, read_solved


def endgame(view: View) -> Play | None:
    """How likely to take each action; None where the round is none that was solved."""
    solved = _solved_for(view)
    if solved is None:
        return None
    try:
        return solved.policy(view)
    except UnavailableError:  # somebody bid what nobody does who plays to win
        return None


def endgame_worths(view: View, believed: Mapping[Hand, float]) -> dict[Action, float] | None:
    """What each action is worth, as a share of the match (0..1), to who is on turn; None as above.

    `believed`: how likely each hand of the other player is. Both are taken to play as solved from there on.
    """
    solved = _solved_for(view)
    if solved is None:
        return None
    strategy = solved.strategy(opening_of(view))
    found = worths(strategy, view.hand, [bid for _, bid in view.bids], believed)
    return {action: (1 + worth) / 2 for action, worth in found.items()}


def _solved_for(view: View) -> Solved | None:
    """The solved rounds of a table where two players hold their last die; None where there are none."""
    if sum(view.dice) != 2 or max(view.dice) != 1:
        return None
    name = _names().get(as_played(view.ruleset))
    return None if name is None else _solved(name)


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
