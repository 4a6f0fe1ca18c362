"""The speed of batch simulation: random rounds beside OpenSpiel's C++ random bots, and whole matches of Perudo."""

import statistics
import time

from benchmarks.figures import Figures, save_figures
from liarsdice.core.rules.presets import preset
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice.sim import rollouts
from liarsdice.sim.policies import Policy, ThresholdPolicy, UniformPolicy

REPEATS = 7
ROUNDS = 4_000_000
PEER_GAMES = 20_000
MATCHES = 10_000
PACKAGES = (DISTRIBUTION, "numba", "numpy", "open_spiel")


def our_rounds_per_s() -> float:
    """Our rounds per CPU second on one thread."""
    rules = preset("openspiel").ruleset
    began_s = time.process_time()
    rollouts.play_rounds(rules, (5, 5), ROUNDS, seed=1, policies=(UniformPolicy(),))
    return ROUNDS / (time.process_time() - began_s)


def openspiel_rounds_per_s() -> float | None:
    """Games per CPU second of OpenSpiel's C++ random bots, or None if OpenSpiel is not installed."""
    try:
        import pyspiel  # noqa: PLC0415  the extra `research` brings it
    except ImportError:
        return None
    game = pyspiel.load_game("liars_dice(players=2,numdice=5)")
    bots = [pyspiel.make_uniform_random_bot(player, 1) for player in range(2)]
    began_s = time.process_time()
    for number in range(PEER_GAMES):
        pyspiel.evaluate_bots(game.new_initial_state(), bots, number)
    return PEER_GAMES / (time.process_time() - began_s)


def compare_with_openspiel() -> Figures:
    """Random rounds on both sides, measured alternately; medians."""
    our_rounds_per_s()  # compiles the kernels
    ours, theirs = [], []
    for _ in range(REPEATS):
        ours.append(our_rounds_per_s())
        games = openspiel_rounds_per_s()
        if games is not None:
            theirs.append(games)
    mine, peer = statistics.median(ours), statistics.median(theirs) if theirs else None
    return {
        "rounds_per_cpu_s": round(mine),
        "openspiel_per_cpu_s": peer and round(peer),
        "times_as_fast": peer and round(mine / peer, 1),
    }


def matches(seats: int, threads: int, policy: Policy) -> Figures:
    """Decisions per second of wall-clock and of CPU time in matches of Perudo with one policy; medians."""
    rules = preset("perudo").ruleset
    walls, cpus = [], []
    for seed in range(REPEATS):
        wall_s, cpu_s = time.perf_counter(), time.process_time()
        results = rollouts.play_matches(rules, seats, MATCHES, seed=seed, threads=threads, policies=(policy,))
        decisions = int(results.actions.sum())
        walls.append(decisions / (time.perf_counter() - wall_s))
        cpus.append(decisions / (time.process_time() - cpu_s))
    return {
        "decisions_per_s": round(statistics.median(walls)),
        "decisions_per_cpu_s": round(statistics.median(cpus)),
    }


def main() -> None:
    """Measure and save the figures."""
    figures = {"random rounds, 5v5, beside OpenSpiel": compare_with_openspiel()}
    for seats in (2, 6):
        for threads in (1, 2):
            where = f"matches of perudo, {seats} seats, {threads} threads"
            figures[f"random {where}"] = matches(seats, threads, UniformPolicy())
            figures[f"threshold {where}"] = matches(seats, threads, ThresholdPolicy())
    save_figures("simulate", figures, packages=PACKAGES)


if __name__ == "__main__":
    main()
