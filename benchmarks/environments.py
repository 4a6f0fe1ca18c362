"""Steps per second of the environments on one core, split into rules, masks and observations, beside OpenSpiel's.

A step applies an action in each match, deals, begins matches again that have ended, and writes rewards, ends, masks and
observations into arrays. The actions are uniformly random legal ones; choosing them is measured apart. CPU seconds
count, so that other work on the machine matters little.
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
PARTS = ("clear", "rules", "mask", "observation", "choice")


class RandomPlayer:
    """Plays uniformly random actions in an environment, and adds up the CPU time of each part of a step."""

    def __init__(self, rules: str, seats: int) -> None:
        self.env = InPlaceEnv(make_game(rules, seats), MATCHES, seed=1)
        self.policies = make_policy_arrays(self.env.game.rules, (UniformPolicy(),))
        self.actions = np.zeros(MATCHES, np.int32)
        self.play(1)

    def play(self, steps: int) -> dict[str, float]:
        """Play some steps; returns the nanoseconds of one step of one match by part."""
        env, clock, spent = self.env, time.process_time_ns, dict.fromkeys(PARTS, 0)
        arrays, state, everywhere = env.game.rules.arrays, env.matches.state, np.arange(MATCHES)
        for _ in range(steps):
            times = [clock()]
            choose_actions(arrays, state, self.policies, env._selection, everywhere, self.actions)  # noqa: SLF001
            times.append(clock())
            env.buffers.rewards.fill(0)
            env.buffers.terminals.fill(0)
            times.append(clock())
            env.act(self.actions)
            times.append(clock())
            env.write_masks()
            times.append(clock())
            env.write_observations()
            times.append(clock())
            for part, begin, end in zip(("choice", *PARTS[:4]), times, times[1:], strict=False):
                spent[part] += end - begin
        return {part: nanoseconds / steps / MATCHES for part, nanoseconds in spent.items()}


def our_steps(rules: str, seats: int) -> Figures:
    """Medians over some repetitions."""
    player = RandomPlayer(rules, seats)
    runs = [player.play(STEPS) for _ in range(REPEATS)]
    parts = {part: statistics.median(run[part] for run in runs) for part in PARTS}
    step_ns = statistics.median(sum(run.values()) - run["choice"] for run in runs)
    return {
        "steps_per_cpu_s": round(1e9 / step_ns),
        "with_random_choices_per_cpu_s": round(1e9 / (step_ns + parts["choice"])),
        **{f"{part}_ns": round(nanoseconds, 1) for part, nanoseconds in parts.items()},
        "observation_bytes": 2 * player.env.game.row_size,
        "mask_bytes": player.env.game.action_count,
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
