"""A blueprint that is computed at the table, when a round first needs it: of few dice, with few raises."""

from __future__ import annotations

from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.simulation_limits import require_approximated
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.blueprint_trainer import BlueprintTrainer
from liarsdice.solve.blueprint.recall_graph import DEFAULT_RECALL, find_menus, make_recall_graph
from liarsdice.solve.game.public_tree import dice_lost_values
from liarsdice.solve.game.round_game import make_round_game
from liarsdice.solve.game.round_start import RoundStart

MAX_DICE = 6
"""The most dice that both players together hold."""
MENU = 8
"""The most raises that are considered."""
LEAST_TRUE = 0.05
"""Raises that are less likely to be true, if nothing is known of any hand, are not considered."""
ITERATIONS = 80
MIN_SHARE = 0.02
"""Actions below this fraction of a hand's likeliest action are left out."""


def quick_blueprint(rules: Ruleset, start: RoundStart) -> Blueprint | None:
    """Return a blueprint of a round, always the same one, or None for more than `MAX_DICE` dice.

    Raises `UnavailableError` as `make_round_game` and `make_recall_graph` do, for rules that they do not know.
    """
    if sum(start.dice) > MAX_DICE:
        return None
    require_approximated(rules, "blueprints are computed")
    game = make_round_game(rules, start)
    values = dice_lost_values(game)
    menus = find_menus(game, values, MENU, LEAST_TRUE)
    trainer = BlueprintTrainer(make_recall_graph(game, values, DEFAULT_RECALL, MENU, menus=menus))
    trainer.run(iterations=ITERATIONS)
    return trainer.blueprint(MIN_SHARE)
