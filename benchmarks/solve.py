"""CPU time of an iteration compared with OpenSpiel's C++ CFR+, and how soon the program answers.

Both solve by the rules of the preset `openspiel`, and are measured alternately; one iteration updates both players.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.figures import Figures, save_figures
from liarsdice.core.rules.presets import preset
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice.solve.cfr.solver import Solver
from liarsdice.solve.round_game import RoundStart, dice_lost_values, make_public_tree, make_round_game, with_faces

REPEATS = 5
MIN_MEASURED_S = 0.5
PEER_ITERATIONS = 3
PACKAGES = (DISTRIBUTION, "numba", "numpy", "open_spiel")
COMPARED = (("1v1", 6), ("2v2", 3))


def make_solver(dice: str, faces: int) -> Solver:
    """A new solver with compiled kernels."""
    rules = with_faces(preset("openspiel").ruleset, faces)
    first, second = dice.split("v")
    game = make_round_game(rules, RoundStart((int(first), int(second))))
    solver = Solver(make_public_tree(game, dice_lost_values(game)))
    solver.compile_kernels()
    return solver


def our_ms(solver: Solver) -> float:
    """Our CPU time of one iteration, in ms."""
    began_s, done = time.process_time(), 0
    while time.process_time() - began_s < MIN_MEASURED_S:
        solver.iterate(10)
        done += 10
    return 1000 * (time.process_time() - began_s) / done


def openspiel_ms(dice: str, faces: int) -> float | None:
    """CPU time of one iteration of OpenSpiel's CFR+, in ms, or None if OpenSpiel is not installed."""
    try:
        import pyspiel  # noqa: PLC0415  the extra `research` brings it
    except ImportError:
        return None
    game = pyspiel.load_game(f"liars_dice(players=2,numdice={dice[0]},dice_sides={faces})")
    peer = pyspiel.CFRPlusSolver(game)
    began_s = time.process_time()
    for _ in range(PEER_ITERATIONS):
        peer.evaluate_and_update_policy()
    return 1000 * (time.process_time() - began_s) / PEER_ITERATIONS


def compare_with_openspiel(dice: str, faces: int) -> Figures:
    """The time of an iteration on both sides, medians."""
    ours, theirs = [], []
    solver = make_solver(dice, faces)
    for _ in range(REPEATS):
        ours.append(our_ms(solver))
        ms = openspiel_ms(dice, faces)
        if ms is not None:
            theirs.append(ms)
    mine, peer = statistics.median(ours), statistics.median(theirs) if theirs else None
    return {
        "ms_per_iteration": round(mine, 4),
        "openspiel_ms": peer and round(peer, 1),
        "times_as_fast": peer and round(peer / mine),
    }


def first_answer() -> dict[str, Figures]:
    """The whole program from its start to an answer, without cached kernels and with them."""
    found: dict[str, Figures] = {}
    with tempfile.TemporaryDirectory() as folder:
        for run in ("first answer", "second answer"):
            words = [sys.executable, "-m", "liarsdice", "solve", "--rules", "openspiel", "--dice", "1v1", "--json"]
            began_s = time.monotonic()
            environment = {"NUMBA_CACHE_DIR": folder, "PATH": str(Path(sys.executable).parent)}
            answer = subprocess.run(words, capture_output=True, check=True, env=environment)
            result = json.loads(answer.stdout)
            seconds = round(time.monotonic() - began_s, 2)
            found[run] = {"seconds": seconds, "compile_s": result["compile_s"], "solve_s": result["wall_s"]}
    return found


def main() -> None:
    """Measure and save the figures."""
    figures = first_answer()
    figures |= {f"{dice} {faces} faces": compare_with_openspiel(dice, faces) for dice, faces in COMPARED}
    save_figures("solve", figures, packages=PACKAGES)


if __name__ == "__main__":
    main()
