"""Solved endgames: the strategies of the package for two players who hold one die each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import as_file, files

from liarsdice.core.engine.view import View
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.game.round_start import round_start_of
from liarsdice.solve.strategy.action_values import Action, action_values
from liarsdice.solve.strategy.strategy import ActionProbs, canonical_rules
from liarsdice.solve.strategy.strategy_file import StrategySet, read_strategies


def has_endgame(view: View) -> bool:
    """Return whether two players hold one die each under the rules of a preset that has a solved endgame."""
    return endgame_strategies(view) is not None


def endgame_policy(view: View) -> ActionProbs | None:
    """Return the solved probability of each action for the player on turn, or None if the position is not solved.

    That is so unless two players hold one die each under the rules of a preset that has a solved endgame, or after a
    bid that the solved strategy never makes.
    """
    strategies = endgame_strategies(view)
    if strategies is None:
        return None
    try:
        return strategies.policy(view)
    except UnavailableError:  # the strategy does not cover the bids
        return None


def endgame_values(view: View, hand_probs: Mapping[Hand, float]) -> dict[Action, float] | None:
    """Return the value of each action for the player on turn, as a share of the match (0..1).

    Both players follow the solved strategy from there on. `hand_probs`: the probability of each hand of the opponent.
    Returns None if two players do not hold one die each, or the rules have no solved endgame.
    """
    strategies = endgame_strategies(view)
    if strategies is None:
        return None
    strategy = strategies.strategy(round_start_of(view))
    values = action_values(strategy, view.hand, [bid for _, bid in view.bids], hand_probs)
    return {action: (1 + value) / 2 for action, value in values.items()}


def endgame_strategies(view: View) -> StrategySet | None:
    """Return the solved endgame of a view; None unless two players hold one die each under solved rules."""
    if sum(view.dice) != 2 or max(view.dice) != 1:
        return None
    name = _solved_presets().get(canonical_rules(view.ruleset))
    return None if name is None else _read_endgame(name)


@cache
def _solved_presets() -> dict[Ruleset, str]:
    """Return the names of the presets with a solved endgame in the package, by their rules."""
    folder = files("liarsdice.bots") / "models"
    solved_names = [name for name in preset_names() if (folder / f"endgame-{name}.lds").is_file()]
    return {canonical_rules(preset(name).ruleset): name for name in solved_names}


@cache
def _read_endgame(name: str) -> StrategySet:
    """Return the solved endgame of a preset, read once per process."""
    with as_file(files("liarsdice.bots") / "models" / f"endgame-{name}.lds") as path:
        return read_strategies(path)
