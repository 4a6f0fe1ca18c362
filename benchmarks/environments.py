"""Steps per second of the environments on one core, beside OpenSpiel's.

A step applies an action in each match, deals, begins matches again that have ended, and writes rewards, ends, masks and
observations into arrays. The actions are uniformly random legal ones; choosing them is not measured. CPU seconds count,
so that other work on the machine matters little.
"""

import random
import statistics
import time

import numpy as np

from benchmarks.figures import Figures, save_figures
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice.sim.policies import UniformPolicy, make_policy_arrays
from liarsdice_lab.envs.in_place import InPlaceEnv
from liarsdice_lab.envs.kernels import choose_actions
from liarsdice_lab.envs.layout import make_game

REPEATS = 7
MATCHES = 1_024
STEPS = 400
PEER_STEPS = 500
PEER_MATCHES = 16
TABLES = (("openspiel", 2), ("perudo", 2), ("perudo", 6), ("official", 6))
PACKAGES = (DISTRIBUTION, "numba", "numpy", "open_spiel")


def our_steps(rules: str, seats: int) -> Figures:
    """The median over some repetitions, and the bytes that a step writes for each match."""
    env = InPlaceEnv(make_game(rules, seats), MATCHES, seed=1)
    policies = make_policy_arrays(env.game.rules, (UniformPolicy(),))
    arrays, state, everywhere = env.game.rules.arrays, env.matches.state, np.arange(MATCHES)
    actions = np.zeros(MATCHES, np.int32)

    def spent_ns(steps: int) -> int:
        spent = 0
        for _ in range(steps):
            choose_actions(arrays, state, policies, env._selection, everywhere, actions)  # noqa: SLF001
            began_ns = time.process_time_ns()
            env.buffers.rewards.fill(0)
            env.buffers.terminals.fill(0)
            env.act(actions)
            env.write_masks()
            env.write_observations()
            spent += time.process_time_ns() - began_ns
        return spent

    spent_ns(1)  # compiles the kernels
    step_ns = statistics.median(spent_ns(STEPS) for _ in range(REPEATS)) / STEPS / MATCHES
    return {
        "steps_per_cpu_s": round(1e9 / step_ns),
        "observation_bytes": 2 * env.game.row_size,
        "mask_bytes": env.game.action_count,
    }


def openspiel_steps() -> Figures:
    """Steps of OpenSpiel's vectorised environment of `liars_dice`, two seats with five dice."""
    try:
        from open_spiel.python import rl_environment  # noqa: PLC0415  the extra `research` brings it
        from open_spiel.python.rl_agent import StepOutput  # noqa: PLC0415
        from open_spiel.python.vector_env import SyncVectorEnv  # noqa: PLC0415
    except ImportError:
        return {"steps_per_cpu_s": None}
    envs = SyncVectorEnv([rl_environment.Environment("liars_dice(players=2,numdice=5)") for _ in range(PEER_MATCHES)])
    rng, speeds = random.Random(1), []
    time_steps = envs.reset()
    for _ in range(REPEATS):
        spent_ns = 0
        for _ in range(PEER_STEPS):
            choices = [
                StepOutput(rng.choice(step.observations["legal_actions"][step.observations["current_player"]]), None)
                for step in time_steps
            ]
            began_ns = time.process_time_ns()
            time_steps, _, _, _ = envs.step(choices, reset_if_done=True)
            spent_ns += time.process_time_ns() - began_ns
        speeds.append(PEER_STEPS * PEER_MATCHES * 1e9 / spent_ns)
    return {"steps_per_cpu_s": round(statistics.median(speeds))}


def main() -> None:
    """Measure and save the figures."""
    figures = {f"{rules}, {seats} seats": our_steps(rules, seats) for rules, seats in TABLES}
    figures["OpenSpiel's SyncVectorEnv of liars_dice, 2 seats"] = openspiel_steps()
    save_figures("environments", figures, packages=PACKAGES)


if __name__ == "__main__":
    main()
