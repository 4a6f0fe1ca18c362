"""Random rounds a second beside OpenSpiel's C++ bots, and matches and environment steps, on one thread and two.

Both sides play two players with five dice each by the rules of the preset `openspiel`, and take turns. Threads are
measured by the wall clock, which suffers from whatever else runs, and by CPU seconds, which tell what they cost.
"""

import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from benchmarks.measured import Figures, save
from liarsdice.core.rules.presets import preset
from liarsdice.sim import rollouts
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import Policy, ThresholdPolicy, UniformPolicy
from liarsdice.sim.vector_env import VectorEnv

TURNS = 7
ROUNDS = 4_000_000
PEER_GAMES = 20_000
MATCHES = 10_000
BESIDE = 1_024
STEPS = 400
PACKAGES = ("liarsdice", "numba", "numpy", "open_spiel")


def our_rounds_per_s(name: str, policies: tuple[Policy, ...] = (UniformPolicy(),), count: int = ROUNDS) -> float:
    """Rounds a CPU second of one thread."""
    rules = preset(name).ruleset
    began_s = time.process_time()
    rollouts.play_rounds(rules, (5, 5), count, seed=1, policies=policies)
    return count / (time.process_time() - began_s)


def their_rounds_per_s() -> float | None:
    """Games a CPU second of OpenSpiel's C++ random bots; None where it is not installed."""
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


def beside() -> Figures:
    """Random rounds on both sides in turns, medians."""
    ours, theirs = [], []
    for _ in range(TURNS):
        ours.append(our_rounds_per_s("openspiel"))
        games = their_rounds_per_s()
        if games is not None:
            theirs.append(games)
    mine, peer = statistics.median(ours), statistics.median(theirs) if theirs else None
    return {
        "rounds_per_cpu_s": round(mine),
        "openspiel_per_cpu_s": peer and round(peer),
        "times_as_fast": peer and round(mine / peer, 1),
    }


def any_rules(name: str) -> Figures:
    """Rounds of rules that have no shorter way: random play, and the threshold mind."""
    count = ROUNDS // 10
    return {
        "random_per_cpu_s": round(statistics.median(our_rounds_per_s(name, count=count) for _ in range(TURNS))),
        "threshold_per_cpu_s": round(
            statistics.median(our_rounds_per_s(name, (ThresholdPolicy(),), count) for _ in range(TURNS))
        ),
    }


def matches(seats: int, threads: int, policy: Policy) -> Figures:
    """Whole matches of Perudo."""
    rules = preset("perudo").ruleset
    counted: list[int] = []

    def play() -> int:
        found = rollouts.play_matches(rules, seats, MATCHES, seed=len(counted), threads=threads, policies=(policy,))
        counted.append(int(found.actions.sum()))
        return counted[-1]

    figures = paces(play)
    return figures | {"decisions_a_match": round(statistics.mean(counted) / MATCHES)}


def steps(seats: int, threads: int, *, masks: bool) -> Figures:
    """The step interface: with `masks` a mask of what is legal, a choice, a step, and a new match where one is over."""
    compiled = compile_rules(preset("perudo").ruleset, seats)
    envs = [VectorEnv(compiled, BESIDE, seed=1, first=BESIDE * thread) for thread in range(threads)]

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
        return threads * BESIDE * STEPS

    return paces(play_all)


def paces(play: Callable[[], int]) -> Figures:
    """Decisions a second by the wall clock and by CPU seconds, medians; `play` answers how many it made."""
    walls, cpus = [], []
    for _ in range(TURNS):
        wall_s, cpu_s = time.perf_counter(), time.process_time()
        decisions = play()
        walls.append(decisions / (time.perf_counter() - wall_s))
        cpus.append(decisions / (time.process_time() - cpu_s))
    return {
        "decisions_per_s": round(statistics.median(walls)),
        "decisions_per_cpu_s": round(statistics.median(cpus)),
    }


def get_ready() -> Figures:
    """Compile, or load what was compiled before."""
    began_s = time.perf_counter()
    our_rounds_per_s("openspiel", count=10)
    our_rounds_per_s("perudo", count=10)
    VectorEnv(compile_rules(preset("perudo").ruleset, 2), 1).action_mask()
    return {"seconds": round(time.perf_counter() - began_s, 1)}


def main() -> None:
    """Measure and keep the figures."""
    figures = {"compile or load": get_ready(), "random rounds, 5v5, beside OpenSpiel": beside()}
    figures["rounds of perudo, 5v5"] = any_rules("perudo")
    for seats in (2, 6):
        for threads in (1, 2):
            where = f"{seats} seats, {threads} threads"
            figures[f"random matches of perudo, {where}"] = matches(seats, threads, UniformPolicy())
            figures[f"threshold matches of perudo, {where}"] = matches(seats, threads, ThresholdPolicy())
            figures[f"steps of perudo with masks, {where}"] = steps(seats, threads, masks=True)
            figures[f"steps of perudo without masks, {where}"] = steps(seats, threads, masks=False)
    save("simulate", figures, packages=PACKAGES)


if __name__ == "__main__":
    main()
