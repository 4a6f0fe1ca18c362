"""Small blueprints for tests: their graphs, and runs of a few iterations."""

import numpy as np

from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.blueprint_trainer import BlueprintTrainer
from liarsdice.solve.blueprint.learned_arrays import NO_MODELS, Models
from liarsdice.solve.blueprint.recall_graph import FloatArray, RecallGraph, make_recall_graph
from liarsdice.solve.round_game import RoundStart, dice_lost_values, make_round_game
from tests.solve.solved_rounds import rules_of


def make_graph(name: str, dice: tuple[int, int], faces: int, recall: int = 2, menu: int = 20) -> RecallGraph:
    game = make_round_game(rules_of(name, faces), RoundStart(dice))
    return make_recall_graph(game, dice_lost_values(game), recall, menu)


def trained(graph: RecallGraph, iterations: int, models: Models = NO_MODELS) -> BlueprintTrainer:
    trainer = BlueprintTrainer(graph, models)
    trainer.run(iterations=iterations)
    return trainer


def even_models(graph: RecallGraph, share: float) -> Models:
    """Return an opponent that takes all actions alike, met with a probability."""
    return Models(np.ones((1, graph.row_count), np.uint8), np.array([share], np.float32))


def node_probs(blueprint: Blueprint) -> FloatArray:
    """Return how all hands play at all nodes, float64 [node, action, hand]."""
    arrays = blueprint.graph.arrays
    actions = int((arrays.calls + np.diff(arrays.first_child)).max())
    probs = np.zeros((len(arrays.movers), actions, arrays.hand_probs.shape[1]))
    for node in range(len(arrays.movers)):
        known = blueprint.node_probs(node)
        probs[node, : len(known), : known.shape[1]] = known
    return probs
