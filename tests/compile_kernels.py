"""Compile the kernels that the tests use, so that tests that begin side by side do not each compile the same ones.

`python -m tests.compile_kernels` takes 40 s of one processor when nothing is cached, and less than 2 s otherwise.
"""

from liarsdice.core.rules.presets import preset
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.rollouts import play_rounds
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.solve.cfr.solver import Solver
from liarsdice.solve.game.public_tree import dice_lost_values, make_public_tree
from liarsdice.solve.game.round_game import make_round_game, with_faces
from liarsdice.solve.game.round_start import RoundStart


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


if __name__ == "__main__":
    compile_simulator()
    compile_solver()
