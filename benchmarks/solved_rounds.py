"""Solves rounds from one die each to three, and saves their values between certified bounds, CPU time and memory.

`python -m benchmarks.solved_rounds [RULES:DICE:FACES ...]`. Each round is solved on one thread in a process of its own.
Figures of other rounds stay in the file.
"""

import argparse
import json
import resource
import subprocess
import sys
import time

from benchmarks.figures import Figures, read_figures, save_figures
from liarsdice.core.rules.presets import preset
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.round_game import RoundStart, dice_lost_values, make_public_tree, make_round_game, with_faces
from liarsdice.solve.strategy.average_strategy import average_strategy

NAME = "solved_rounds"
TARGET = 1e-3
ROUNDS = tuple(
    f"{rules}:{dice}:{faces}"
    for dice, faces in (("1v1", 6), ("2v1", 6), ("1v2", 6), ("3v2", 4), ("2v3", 4), ("2v2", 6), ("3v3", 4))
    for rules in ("openspiel", "perudo")
)


def solved(name: str) -> Figures:
    """The figures of a round: CPU times of learning, with estimates of the bounds, and of the certified bounds."""
    rules, dice, faces = name.split(":")
    first, second = dice.split("v")
    game = make_round_game(with_faces(preset(rules).ruleset, int(faces)), RoundStart((int(first), int(second))))
    solver = Solver(make_public_tree(game, dice_lost_values(game)))
    solver.compile_kernels()
    began_s = time.process_time()
    solve(solver, target=TARGET)
    learned_s = time.process_time()
    bounds = average_strategy(solver).bounds
    return {
        "learning_cpu_s": round(learned_s - began_s, 2),
        "certifying_cpu_s": round(time.process_time() - learned_s, 2),
        "low": round(bounds.low, 6),
        "high": round(bounds.high, 6),
        "exploitability": round(bounds.exploitability, 7),
        "most_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000),
    }


def solved_alone(name: str) -> Figures:
    """The figures of a round that a process of its own solves."""
    command = [sys.executable, "-m", "benchmarks.solved_rounds", "--alone", name]
    figures: Figures = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return figures


def main() -> None:
    """Measure and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", nargs="*", default=ROUNDS)
    parser.add_argument("--alone", action="store_true", help="solve one round in this process and print its figures")
    options = parser.parse_args()
    if options.alone:
        sys.stdout.write(json.dumps(solved(options.rounds[0])))
        return
    figures: dict[str, Figures] = read_figures(NAME)
    for name in options.rounds:
        figures[name] = solved_alone(name)
        save_figures(NAME, figures, packages=(DISTRIBUTION, "numba", "numpy"))


if __name__ == "__main__":
    main()
