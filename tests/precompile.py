"""Compile once what the tests would otherwise compile in each of the processes that start side by side.

`python -m tests.precompile` takes 70 s of one processor when nothing is cached, and a few seconds otherwise. Modules
are compiled when they are first imported: those of the tests themselves by `pytest --collect-only`.
"""

import numpy as np
import ray
import torch

from liarsdice.core.rules.presets import preset
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.rollouts import play_rounds
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.solve.blueprint.worst_case_kernel import best_response
from liarsdice.solve.cfr.solver import Solver
from liarsdice.solve.round_game import RoundStart, dice_lost_values, make_public_tree, make_round_game, with_faces
from liarsdice_lab.envs.layout import make_game
from liarsdice_lab.envs.opponents import make_env
from tests.solve.blueprint.trained_rounds import make_graph, trained


def compile_solver() -> None:
    """Compile the solver's kernel for numbers of both sizes."""
    game = make_round_game(with_faces(preset("openspiel").ruleset, 3), RoundStart((1, 1)))
    for double in (False, True):
        solver = Solver(make_public_tree(game, dice_lost_values(game)), double=double)
        solver.iterate(1)
        solver.bounds()


def compile_simulator() -> None:
    """Compile the kernels of matches with choices from outside, and those of rounds with totally ordered bids."""
    env = VectorEnv(compile_rules(preset("perudo").ruleset, 2), 2, seed=1)
    seats, actions = env.choose_actions()
    env.step(actions, seats)
    env.action_mask()
    play_rounds(preset("openspiel").ruleset, (1, 1), 1, seed=1)
    make_env(make_game("perudo"), 2, opponents="random")


def compile_blueprints() -> None:
    """Compile the kernels that learn blueprints and that answer them."""
    graph = make_graph("openspiel", (1, 1), 3)
    trained(graph, 1)
    shape = len(graph.nodes), graph.arrays.hand_probs.shape[1]
    actions = int((graph.arrays.calls + np.diff(graph.arrays.first_child)).max())
    best_response(graph.arrays, np.zeros((shape[0], actions, shape[1])), 0, 0.0, np.zeros(shape))


def import_what_comes_late() -> None:
    """Import what the first optimizer and the first cluster import."""
    torch.optim.Adam([torch.zeros(1)]).zero_grad()
    ray.is_initialized()


if __name__ == "__main__":
    compile_simulator()
    compile_solver()
    compile_blueprints()
    import_what_comes_late()
