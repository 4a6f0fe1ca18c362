"""Small blueprints for tests: their graphs, and runs of a few iterations."""

from __future__ import annotations

from liarsdice.solve.blueprint.blueprint_trainer import BlueprintTrainer
from liarsdice.solve.blueprint.recall_graph import RecallGraph, make_recall_graph
from liarsdice.solve.game.public_tree import dice_lost_values
from liarsdice.solve.game.round_game import make_round_game
from liarsdice.solve.game.round_start import RoundStart
from tests.solve.solved_rounds import rules_of


def make_graph(name: str, dice: tuple[int, int], faces: int, recall: int = 2, menu: int = 20) -> RecallGraph:
    game = make_round_game(rules_of(name, faces), RoundStart(dice))
    return make_recall_graph(game, dice_lost_values(game), recall, menu)


def trained(graph: RecallGraph, iterations: int) -> BlueprintTrainer:
    trainer = BlueprintTrainer(graph)
    trainer.run(iterations=iterations)
    return trainer
