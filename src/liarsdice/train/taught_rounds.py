"""Rounds of two players that blueprints teach: their rules, their stakes, and the blueprints as lessons."""

from __future__ import annotations

import numpy as np

from liarsdice.bots.neural.observation import require_supported
from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.solve.blueprint.blueprint_trainer import BlueprintTrainer
from liarsdice.solve.blueprint.recall_graph import RecallGraph, make_recall_graph
from liarsdice.solve.game.public_tree import dice_lost_values
from liarsdice.solve.game.round_game import RoundGame, make_round_game
from liarsdice.solve.game.round_start import RoundStart
from liarsdice.solve.strategy.reach import FloatArray
from liarsdice.train.distillation_config import TaughtRound
from liarsdice.train.round_lessons import RECALL, Lessons, make_lessons, own_reach
from liarsdice.values.match_stakes import match_values

MENU = 1_000
"""More raises than any situation has: a network may make each of them."""


def taught_rules(taught: TaughtRound) -> Ruleset:
    """Return the rules of a round. Raises an error if a network or a blueprint cannot play them."""
    rules = find_rules(taught.rules)
    try:
        require_supported(rules)
    except LiarsDiceError as error:
        raise type(error)(f"{taught} cannot be taught: {error}") from error
    return rules


def taught_graph(rules: Ruleset, dice: tuple[int, int]) -> RecallGraph:
    """Return the recall graph of a round, played for the match as far as its value is known (`stakes`).

    Raises `UnavailableError` for rules whose rounds no blueprint plays.
    """
    game = make_round_game(rules, RoundStart(dice))
    return make_recall_graph(game, stakes(game), RECALL, MENU)


def stakes(game: RoundGame) -> FloatArray:
    """Return what each outcome of a round is worth to seat 0, float64 [outcome], from -1 to 1.

    That is its worth in the match, or the dice lost where the value of the match is not known (`match_values`).
    """
    try:
        return match_values(game)
    except UnavailableError:
        return dice_lost_values(game)


def learn_lessons(taught: TaughtRound, graph: RecallGraph, iterations: int) -> tuple[Lessons, str]:
    """Return what a blueprint of so many iterations teaches, and a line about it."""
    trainer = BlueprintTrainer(graph)
    trainer.run(iterations=iterations)
    lessons = make_lessons(trainer.blueprint())
    unsaid = np.average(lessons.unsaid, weights=own_reach(graph, lessons))
    differs = not np.allclose(graph.values, dice_lost_values(graph.game))
    line = (
        f"{taught}: a blueprint of {iterations} iterations, {trainer.cpu_s:.0f} s;"
        f" {unsaid:.1%} of its play are bids that the network has no action for"
    )
    return lessons, f"{line}; its values in the match differ from those in dice" if differs else line
