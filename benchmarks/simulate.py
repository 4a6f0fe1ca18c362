"""Random rounds per second compared with OpenSpiel's C++ bots, and matches and steps on one and two threads.

Both play two players with five dice each by the rules of the preset `openspiel`, alternately. Threads are measured by
wall-clock time, which suffers from whatever else runs, and by CPU seconds, which show what they cost.
"""

import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from benchmarks.figures import Figures, save_figures
from liarsdice.core.rules.presets import preset
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice.sim import rollouts
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import Policy, ThresholdPolicy, UniformPolicy
from liarsdice.sim.vector_env import VectorEnv

REPEATS = 7
ROUNDS = 4_000_000
PEER_GAMES = 20_000
MATCHES = 10_000
ENV_SIZE = 1_024
STEPS = 400
PACKAGES = (DISTRIBUTION, "numba", "numpy", "open_spiel")


def our_rounds_per_s(name: str, policies: tuple[Policy, ...] = (UniformPolicy(),), count: int = ROUNDS) -> float:
    """Our rounds per CPU second on one thread."""
    rules = preset(name).ruleset
    began_s = time.process_time()
    rollouts.play_rounds(rules, (5, 5), count, seed=1, policies=policies)
    return count / (time.process_time() - began_s)


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
    ours, theirs = [], []
    for _ in range(REPEATS):
        ours.append(our_rounds_per_s("openspiel"))
        games = openspiel_rounds_per_s()
        if games is not None:
            theirs.append(games)
    mine, peer = statistics.median(ours), statistics.median(theirs) if theirs else None
    return {
        "rounds_per_cpu_s": round(mine),
        "openspiel_per_cpu_s": peer and round(peer),
        "times_as_fast": peer and round(mine / peer, 1),
    }


def general_rounds(name: str) -> Figures:
    """Rounds under rules without the fast path: uniform policy and threshold policy."""
    count = ROUNDS // 10
    return {
        "random_per_cpu_s": round(statistics.median(our_rounds_per_s(name, count=count) for _ in range(REPEATS))),
        "threshold_per_cpu_s": round(
            statistics.median(our_rounds_per_s(name, (ThresholdPolicy(),), count) for _ in range(REPEATS))
        ),
    }


def matches(seats: int, threads: int, policy: Policy) -> Figures:
    """Whole matches of Perudo, all seats with the same policy."""
    rules = preset("perudo").ruleset
    action_counts: list[int] = []

    def play() -> int:
        results = rollouts.play_matches(
            rules, seats, MATCHES, seed=len(action_counts), threads=threads, policies=(policy,)
        )
        action_counts.append(int(results.actions.sum()))
        return action_counts[-1]

    figures = measure_decisions(play)
    return figures | {"decisions_a_match": round(statistics.mean(action_counts) / MATCHES)}


def steps(seats: int, threads: int, *, masks: bool) -> Figures:
    """The step interface: a mask (with `masks`), a choice, a step, and a reset of finished matches."""
    compiled = compile_rules(preset("perudo").ruleset, seats)
    envs = [VectorEnv(compiled, ENV_SIZE, seed=1, first=ENV_SIZE * thread) for thread in range(threads)]

    def play(env: VectorEnv) -> None:
        for _ in range(STEPS):
            if masks:
                env.action_mask()
            seats, actions = env.choose_actions()
            env.step(actions, seats)
            env.reset()

    def play_all() -> int:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(play, envs))
        return threads * ENV_SIZE * STEPS

    return measure_decisions(play_all)


def measure_decisions(play: Callable[[], int]) -> Figures:
    """Decisions per second of wall-clock and of CPU time, medians; `play` returns how many it made."""
    walls, cpus = [], []
    for _ in range(REPEATS):
        wall_s, cpu_s = time.perf_counter(), time.process_time()
        decisions = play()
        walls.append(decisions / (time.perf_counter() - wall_s))
        cpus.append(decisions / (time.process_time() - cpu_s))
    return {
        "decisions_per_s": round(statistics.median(walls)),
        "decisions_per_cpu_s": round(statistics.median(cpus)),
    }


def load_kernels() -> Figures:
    """The time to compile the kernels, or to load them from the cache."""
    began_s = time.perf_counter()
    our_rounds_per_s("openspiel", count=10)
    our_rounds_per_s("perudo", count=10)
    VectorEnv(compile_rules(preset("perudo").ruleset, 2), 1).action_mask()
    return {"seconds": round(time.perf_counter() - began_s, 1)}


def main() -> None:
    """Measure and save the figures."""
    figures = {"compile or load": load_kernels(), "random rounds, 5v5, beside OpenSpiel": compare_with_openspiel()}
    figures["rounds of perudo, 5v5"] = general_rounds("perudo")
    for seats in (2, 6):
        for threads in (1, 2):
            where = f"{seats} seats, {threads} threads"
            figures[f"random matches of perudo, {where}"] = matches(seats, threads, UniformPolicy())
            figures[f"threshold matches of perudo, {where}"] = matches(seats, threads, ThresholdPolicy())
            figures[f"steps of perudo with masks, {where}"] = steps(seats, threads, masks=True)
            figures[f"steps of perudo without masks, {where}"] = steps(seats, threads, masks=False)
    save_figures("simulate", figures, packages=PACKAGES)


if __name__ == "__main__":
    main()
