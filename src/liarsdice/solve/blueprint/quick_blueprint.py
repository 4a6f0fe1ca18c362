"""A blueprint that is computed at the table, when a round first needs it: of few dice, with few raises."""

from __future__ import annotations

import numpy as np

from liarsdice.core.rules.rule_costs import require_approximated
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.blueprint_trainer import BlueprintTrainer
from liarsdice.solve.blueprint.recall_graph import DEFAULT_RECALL, RecallGraph, find_menus, make_recall_graph
from liarsdice.solve.game.round_game import RoundStart, dice_lost_values, make_round_game

MAX_DICE = 6
"""The most dice that both players together hold."""
MENU = 12
"""The most raises that are considered."""
LEAST_TRUE = 0.02
"""Raises that are less likely to be true, if nothing is known of any hand, are not considered."""
WORK = 120_000_000
"""How much a blueprint computes, in the unit of `iteration_work`: about 0.1 s of processor time."""
ROW_WORK = 40
"""What a row of the graph costs beside its pairs of hands, in pairs of hands (measured)."""
MAX_ITERATIONS = 80
"""More iterations hardly change the strategy."""
MIN_SHARE = 0.02
"""Actions below this fraction of a hand's likeliest action are left out."""


def quick_blueprint(rules: Ruleset, start: RoundStart, work: int = WORK) -> Blueprint | None:
    """Return a blueprint of a round, or None for more than `MAX_DICE` dice.

    `work`: how much is computed, in the unit of `iteration_work`, by which the size of the round tells the number of
    iterations. The same round and work always give the same blueprint.
    Raises `UnavailableError` as `make_round_game` and `make_recall_graph` do, for rules that they do not know.
    """
    if sum(start.dice) > MAX_DICE:
        return None
    require_approximated(rules, "blueprints are computed")
    game = make_round_game(rules, start)
    values = dice_lost_values(game)
    menus = find_menus(game, values, MENU, LEAST_TRUE)
    trainer = BlueprintTrainer(make_recall_graph(game, values, DEFAULT_RECALL, MENU, menus=menus))
    trainer.run(iterations=iteration_count(trainer.graph, work))
    return trainer.blueprint(MIN_SHARE)


def iteration_count(graph: RecallGraph, work: int) -> int:
    """Return how many iterations (1..`MAX_ITERATIONS`) so much work allows."""
    return min(max(work // iteration_work(graph), 1), MAX_ITERATIONS)


def iteration_work(graph: RecallGraph) -> int:
    """Return how much an iteration computes: for each row, the hands of the other seat and `ROW_WORK`."""
    arrays = graph.arrays
    return int((np.diff(arrays.first_row) * (arrays.hand_counts[1 - arrays.movers] + ROW_WORK)).sum())
