"""CPU time of solving rounds compared with OpenSpiel's C++ CFR+; `--full` adds two dice each and six faces (minutes).

Both solve by the rules of the preset `openspiel`, and are measured alternately; one iteration updates both players.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import Figures, save_figures
from liarsdice.core.rules.presets import preset
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice.solve.cfr.method import Bounds, Method
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.round_game import RoundStart, dice_lost_values, make_public_tree, make_round_game, with_faces

REPEATS = 5
MIN_MEASURED_S = 0.5
PEER_ITERATIONS = 3
PACKAGES = (DISTRIBUTION, "numba", "numpy", "open_spiel")
COMPARED = (("1v1", 6), ("2v2", 3))
TARGETS = (("2v2", 4, 1e-4), ("2v1", 6, 1e-3))
LARGEST = ("2v2", 6, 1e-3)
THREADS = 1, 2
TRIAD_NUMBERS = 32_000_000
"""Of each of three arrays: 128 MB, four times what the largest cache here holds."""
TIMES_MOVED = 5
"""How often an iteration reads or writes a row, at least: the mover's pass reads and writes regrets and the strategy
sum, the opponent's pass reads regrets."""


def make_solver(dice: str, faces: int, method: Method = Method.DCFR, threads: int = 1) -> Solver:
    """A new solver with compiled kernels."""
    rules = with_faces(preset("openspiel").ruleset, faces)
    first, second = dice.split("v")
    game = make_round_game(rules, RoundStart((int(first), int(second))))
    solver = Solver(make_public_tree(game, dice_lost_values(game)), method, threads=threads)
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
    """The time of an iteration on both sides, medians; and our exploitability after one CPU second."""
    ours, theirs = [], []
    solver = make_solver(dice, faces)
    for _ in range(REPEATS):
        ours.append(our_ms(solver))
        ms = openspiel_ms(dice, faces)
        if ms is not None:
            theirs.append(ms)
    mine, peer = statistics.median(ours), statistics.median(theirs) if theirs else None
    found: Figures = {"ms_per_iteration": round(mine, 4), "openspiel_ms": peer and round(peer, 1)}
    found["times_as_fast"] = peer and round(peer / mine)
    responded_s = time.process_time()
    solver.bounds()
    found["exploitability_ms"] = round(1000 * (time.process_time() - responded_s), 3)
    for method in Method:
        found[f"exploitability_after_1_cpu_s_{method}"] = bounds_after(
            make_solver(dice, faces, method), 1.0
        ).exploitability
    return found


def bounds_after(solver: Solver, cpu_s: float) -> Bounds:
    """The bounds after so many CPU seconds of iterations."""
    began_s = time.process_time()
    while time.process_time() - began_s < cpu_s:
        solver.iterate(20)
    return solver.bounds()


def to_target(dice: str, faces: int, target: float) -> Figures:
    """CPU seconds to an exploitability of at most `target`, including the computation of bounds."""
    solver = make_solver(dice, faces)
    began_s = time.process_time()
    bounds = solve(solver, target=target)
    return {
        "target": target,
        "cpu_s": round(time.process_time() - began_s, 2),
        "iterations": bounds.iterations,
        "low": round(bounds.low, 6),
        "high": round(bounds.high, 6),
        "numbers_mb": round(solver.memory_mb),
        "most_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000),
        "public_nodes": solver.tree.subtree_types[solver.tree.root].node_count,
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


@numba.njit(nogil=True, fastmath=True)
def triad(out: NDArray[np.float32], one: NDArray[np.float32], other: NDArray[np.float32]) -> None:
    """The triad of the STREAM benchmark: two numbers read and one written for each result."""
    for j in range(out.size):
        out[j] = one[j] + np.float32(3) * other[j]


def triad_gb_s(threads: int) -> float:
    """The bandwidth of the memory in GB/s, for so many threads: the best of several repeats."""
    arrays = [np.ones(TRIAD_NUMBERS, np.float32) for _ in range(3)]
    parts = [[half[part] for half in (np.array_split(one, threads) for one in arrays)] for part in range(threads)]
    seconds = []
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(REPEATS + 1):
            began_s = time.perf_counter()
            list(pool.map(triad, *zip(*parts, strict=True)))
            seconds.append(time.perf_counter() - began_s)
    return sum(one.nbytes for one in arrays) / min(seconds) / 1e9


def memory() -> dict[str, Figures]:
    """The share of the memory bandwidth that iterations of the largest round use, by wall-clock time."""
    found: dict[str, Figures] = {}
    for threads in THREADS:
        solver = make_solver(*LARGEST[:2], threads=threads)
        gb, seconds = TIMES_MOVED * solver.strategy_sum.nbytes / 1e9, []
        for _ in range(REPEATS):
            began_s = time.perf_counter()
            solver.iterate(1)
            seconds.append(time.perf_counter() - began_s)
        spent_s, possible = statistics.median(seconds), triad_gb_s(threads)
        found[f"memory of {LARGEST[0]} {LARGEST[1]} faces, threads {threads}"] = {
            "ms_per_iteration": round(1000 * spent_s, 1),
            "gb_per_iteration": round(gb, 2),
            "gb_s": round(gb / spent_s, 1),
            "triad_gb_s": round(possible, 1),
            "share": round(gb / spent_s / possible, 2),
        }
    return found


def main() -> None:
    """Measure and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="two dice each and six faces, too")
    full = parser.parse_args().full
    figures = first_answer()
    figures |= {f"{dice} {faces} faces": compare_with_openspiel(dice, faces) for dice, faces in COMPARED}
    targets = (*TARGETS, LARGEST) if full else TARGETS
    figures |= {
        f"{dice} {faces} faces to {target:g}": to_target(dice, faces, target) for dice, faces, target in targets
    }
    figures |= memory() if full else {}
    save_figures("solve", figures, packages=PACKAGES)


if __name__ == "__main__":
    main()
