"""Solves whole matches of two players: the value of every round, from the values of the rounds that may follow it.

Rounds that lead back to each other, as when dice are won back, are solved in turns until their bounds meet.
Many jobs run in processes or on a cluster.
"""

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.core.rules.meaning import has_lives, lives_are_limited
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.atomic_files import write_atomically
from liarsdice.runtime.processes import map_unordered
from liarsdice.runtime.ray_cluster import ray_running
from liarsdice.solve.cfr.method import Bounds, Method
from liarsdice.solve.cfr.solver import Solver, check_memory, free_memory_bytes, make_tree_that_fits, solve
from liarsdice.solve.round_game import (
    Outcome,
    RoundGame,
    RoundStart,
    count_bid_sequences,
    make_public_tree,
    make_round_game,
    two_player_exact_call,
)
from liarsdice.solve.strategy.average_strategy import MAX_EXPLOITABILITY_RATIO, average_strategy, quantized
from liarsdice.solve.strategy.reach import FloatArray
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.solve.strategy.strategy_file import StrategySet, encode_strategies, read_strategies

MAX_ROUNDS = 500
MAX_PASSES = 200
STALL_RATIO = 0.98
"""If a pass leaves more than this fraction of the width of the bounds, rounds must be solved to a nearer target."""
MIN_TARGET_SHARE = 0.05
"""No round is solved nearer than this fraction of the width of the bounds of what follows it."""


class ValueInterval(NamedTuple):
    """Bounds of the value of a round to the seat that opens it, from -1 (match lost) to 1 (match won)."""

    low: float
    high: float


UNKNOWN = ValueInterval(-1, 1)
RoundValues = dict[RoundStart, ValueInterval]


class MatchPlan(msgspec.Struct, frozen=True):
    """All rounds that a match may come to, each relabelled so that seat 0 opens.

    `groups`: strongly connected components, each after those that it leads to. `depths`: by round, the most groups that
    a match still passes through.
    """

    start: RoundStart
    rounds: dict[RoundStart, RoundGame]
    groups: tuple[tuple[RoundStart, ...], ...]
    depths: dict[RoundStart, int]

    def is_cycle(self, group: tuple[RoundStart, ...]) -> bool:
        """Return whether the rounds of a group may come again."""
        return len(group) > 1 or group[0] in _successors(self.rounds[group[0]])


def make_match_plan(rules: Ruleset, start: RoundStart) -> MatchPlan:
    """Return all rounds of a match.

    Raises `UnavailableError` if there are more than `MAX_ROUNDS`, or if a round cannot be solved.
    """
    if has_lives(rules) and not lives_are_limited(rules):
        raise UnavailableError(
            "a match with unlimited lives ends only by its rounds; choose a number of lives to solve it"
        )
    call = two_player_exact_call(rules)
    if call is not None and call.success_gain and call.gain_cap is None:
        raise UnavailableError("exact_call.gain_cap none lets hands grow without end; choose a cap to solve a match")
    first = make_round_game(rules, start.with_seat_0_opening())
    games = {first.start: first}
    waiting = _successors(first)
    while waiting:
        round_start = waiting.pop()
        if round_start in games:
            continue
        games[round_start] = make_round_game(rules, round_start)
        waiting += _successors(games[round_start])
        if len(games) > MAX_ROUNDS:
            raise UnavailableError(f"a match of {start} may come to more than {MAX_ROUNDS} rounds; take fewer dice")
    successors = {round_start: _successors(game) for round_start, game in games.items()}
    groups = _strongly_connected_components(successors)
    depths: dict[RoundStart, int] = {}
    for group in groups:
        outside = [after for round_start in group for after in successors[round_start] if after not in group]
        depths |= dict.fromkeys(group, 1 + max((depths[after] for after in outside), default=0))
    return MatchPlan(first.start, games, groups, depths)


def check_match_memory(plan: MatchPlan, method: Method, free: int | None = None) -> None:
    """Raise `UnavailableError` unless the largest round of a match fits into memory. `free`: as in `check_memory`."""
    largest = max(plan.rounds.values(), key=count_bid_sequences)
    try:
        make_tree_that_fits(largest, method, free)
    except UnavailableError as error:
        raise UnavailableError(f"a match of {plan.start} may come to {largest.start}: {error}") from error


def _successors(game: RoundGame) -> list[RoundStart]:
    """Return the rounds that may follow, relabelled so that seat 0 opens."""
    return [outcome.next_start.with_seat_0_opening() for outcome in game.outcomes if outcome.next_start is not None]


def _strongly_connected_components(
    successors: Mapping[RoundStart, list[RoundStart]],
) -> tuple[tuple[RoundStart, ...], ...]:
    """Return strongly connected components, each after those that it leads to.

    Tarjan, *Depth-First Search and Linear Graph Algorithms* (1972).
    """
    components: list[tuple[RoundStart, ...]] = []
    order: dict[RoundStart, int] = {}
    lowest: dict[RoundStart, int] = {}
    path: list[RoundStart] = []

    def visit(node: RoundStart) -> None:
        order[node] = lowest[node] = len(order)
        path.append(node)
        for successor in successors[node]:
            if successor not in order:
                visit(successor)
            if successor in path:
                lowest[node] = min(lowest[node], lowest[successor])
        if lowest[node] == order[node]:
            first = path.index(node)
            components.append(tuple(path[first:]))
            del path[first:]

    for node in successors:
        if node not in order:
            visit(node)
    return tuple(components)


def outcome_values(outcomes: tuple[Outcome, ...], known: RoundValues) -> tuple[FloatArray, FloatArray]:
    """Return bounds of what outcomes are worth to seat 0, lower and upper: twice float64 [outcome].

    `known`: values of rounds to the seat that opens them; a round that is missing may be worth anything.
    """
    intervals = []
    for outcome in outcomes:
        if outcome.next_start is None:
            won = (0 in outcome.winners) - (1 in outcome.winners)
            intervals.append(ValueInterval(won, won))
        else:
            low, high = known.get(outcome.next_start.with_seat_0_opening(), UNKNOWN)
            seat_0_opens = outcome.next_start.starter == 0
            intervals.append(ValueInterval(low, high) if seat_0_opens else ValueInterval(-high, -low))
    return np.array([low for low, _ in intervals], float), np.array([high for _, high in intervals], float)


class MatchSolver:
    """Solves the rounds of a match, one after the other; `values` and `strategies` hold what is done.

    `target`: how far the value of the match (-1 to 1) may be from what each player's strategy guarantees. `known`:
    strategies from an earlier run, which are kept if they are good enough and the values of what follows are the same.
    `on_bounds` is called with each bounds computed while a round is solved.
    """

    def __init__(
        self,
        plan: MatchPlan,
        method: Method,
        target: float,
        *,
        known: Sequence[Strategy] = (),
        threads: int = 1,
        on_bounds: Callable[[RoundStart, Bounds], None] | None = None,
    ) -> None:
        self.plan = plan
        self.values: RoundValues = {}
        self.strategies: dict[RoundStart, Strategy] = {}
        self._method = method
        self._target = target / plan.depths[plan.start]
        self._known = {strategy.start: strategy for strategy in known}
        self._threads = threads
        self._on_bounds = on_bounds

    def run(self, on_solved: Callable[[Strategy], None] | None = None) -> ValueInterval:
        """Solve what is missing and return the value of the match; `on_solved` is called with each strategy done."""
        for group in self.plan.groups:
            if self.plan.is_cycle(group):
                self._solve_cycle(group)
            else:
                self.values[group[0]] = self._solve(group[0], self._target)
            for round_start in group:
                if on_solved:
                    on_solved(self.strategies[round_start])
        return self.values[self.plan.start]

    def _solve_cycle(self, group: tuple[RoundStart, ...]) -> None:
        """Solve rounds that lead to each other in turns, each with the latest values of the others.

        The values start from a lost match, so n passes count n rounds in which a player follows the strategies found.
        So every `low` is guaranteed to the player, whether or not the match ever ends, and every `high` is guaranteed
        by the other player. Bounds only ever come closer.
        """
        self.values |= dict.fromkeys(group, UNKNOWN)
        width, target = math.inf, self._target
        target_width = 2 * self._target * self.plan.depths[group[0]]
        for _ in range(MAX_PASSES):
            for round_start in sorted(group, key=lambda start: sum(start.stakes)):
                old, new = self.values[round_start], self._solve(round_start, target)
                self.values[round_start] = ValueInterval(max(old.low, new.low), min(old.high, new.high))
            if max(self._width(round_start) for round_start in group) <= target_width:
                break
            old_width, width = width, sum(self._width(round_start) for round_start in group)
            if width > STALL_RATIO * old_width:
                target /= 2

    def _width(self, round_start: RoundStart) -> float:
        return self.values[round_start].high - self.values[round_start].low

    def _solve(self, round_start: RoundStart, target: float) -> ValueInterval:
        """Solve one round, unless a known strategy will do; returns its value."""
        game = self.plan.rounds[round_start]
        low, high = outcome_values(game.outcomes, self.values)
        strategy = self._known.get(round_start)
        if strategy is None or not self._is_good_enough(strategy, low, high):
            tree = make_public_tree(game, low, high)
            check_memory(tree, self._method)
            solver = Solver(tree, self._method, threads=self._threads)
            useful_target = max(target, MIN_TARGET_SHARE * float(np.max(high - low, initial=0)))
            on_bounds = self._on_bounds
            on_progress = (lambda bounds: on_bounds(round_start, bounds)) if on_bounds else None
            solve(solver, target=useful_target, on_progress=on_progress)
            strategy = quantized(average_strategy(solver))
        self.strategies[round_start] = strategy
        return ValueInterval(strategy.bounds.low, strategy.bounds.high)

    def _is_good_enough(self, strategy: Strategy, low: FloatArray, high: FloatArray) -> bool:
        """Return whether a known strategy was solved for the same outcome values and meets the target."""
        tree = strategy.tree
        same_values = np.array_equal(tree.low, low) and np.array_equal(tree.high, high)
        width = float(np.max(high - low, initial=0))
        excess = strategy.bounds.exploitability - width / 2
        return same_values and excess <= MAX_EXPLOITABILITY_RATIO * self._target


FILE_SUFFIX = ".lds"
LOST_WORKER = "a worker process was killed, perhaps because memory ran out; try fewer --jobs"


class SolveJob(msgspec.Struct, frozen=True):
    """A round, or with `match` a whole match, to be solved to a target exploitability.

    `name`: of the strategy file, without `FILE_SUFFIX`.
    """

    name: str
    rules: Ruleset
    start: RoundStart
    match: bool
    method: Method
    target: float


class SolveResult(msgspec.Struct, frozen=True):
    """The result of a job: its strategies, or None and why it cannot be solved."""

    job: SolveJob
    strategies: StrategySet | None
    refusal: str = ""

    @property
    def strategy(self) -> Strategy | None:
        """The strategy of the job's first round, or None."""
        return None if self.strategies is None else self.strategies.strategy(self.job.start.with_seat_0_opening())


class EncodedResult(msgspec.Struct, frozen=True):
    """A result as it travels between processes: the content of a strategy file, or why there is none."""

    job: SolveJob
    content: bytes
    refusal: str = ""


def solve_many(
    jobs: Sequence[SolveJob], folder: Path, engine: str, *, workers: int = 1, ray: bool = False
) -> Iterator[SolveResult]:
    """Yield the result of every job: first those with a valid file in the folder, then the others as they are solved.

    `engine`: the version of the package. `workers`: processes of this machine; with `ray` as many as the cluster has
    processors. Raises `UnavailableError` if the folder cannot be written to, Ray is not installed, or a process was
    killed.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnavailableError(f"cannot write to {folder}: {error.strerror}") from error
    missing = []
    for job in jobs:
        result = _stored_result(folder, job)
        if result is None:
            missing.append(job)
        else:
            yield result
    if not missing:
        return
    encoded_results = _run_on_cluster(missing, engine) if ray else _run_in_processes(missing, engine, workers)
    for encoded in encoded_results:
        if encoded.refusal:
            yield SolveResult(encoded.job, None, encoded.refusal)
        else:
            file = folder / (encoded.job.name + FILE_SUFFIX)
            write_atomically(file, encoded.content)
            yield SolveResult(encoded.job, read_strategies(file))


def _stored_result(folder: Path, job: SolveJob) -> SolveResult | None:
    """Return the result in the folder, or None unless there is one for the same game that meets the job's target."""
    try:
        strategies = read_strategies(folder / (job.name + FILE_SUFFIX))
        result = SolveResult(job, strategies)
        strategy = result.strategy
    except LiarsDiceError:
        return None
    same_game = strategies.rules == job.rules and strategies.match == job.match
    good_enough = strategy and strategy.bounds.exploitability <= MAX_EXPLOITABILITY_RATIO * job.target
    return result if same_game and good_enough else None


def run_job(job: SolveJob, engine: str, memory_shares: int) -> EncodedResult:
    """Solve one job with at most 1 / `memory_shares` of the available memory."""
    free = free_memory_bytes()
    free = None if free is None else free // memory_shares
    try:
        tree = make_tree_that_fits(make_round_game(job.rules, job.start), job.method, free)
        if job.match:
            plan = make_match_plan(job.rules, job.start)
            check_match_memory(plan, job.method, free)
            match_solver = MatchSolver(plan, job.method, job.target)
            match_solver.run()
            strategies = tuple(match_solver.strategies.values())
        else:
            solver = Solver(tree, job.method)
            solve(solver, target=job.target)
            strategies = (quantized(average_strategy(solver)),)
    except LiarsDiceError as error:
        return EncodedResult(job, b"", str(error))
    return EncodedResult(job, encode_strategies(StrategySet(job.rules, job.match, strategies), engine))


def _run_in_processes(jobs: Sequence[SolveJob], engine: str, workers: int) -> Iterator[EncodedResult]:
    count = min(workers, len(jobs), os.cpu_count() or 1)
    return map_unordered(run_job, ((job, engine, count) for job in jobs), count, lost_worker=LOST_WORKER)


def _run_on_cluster(jobs: Sequence[SolveJob], engine: str) -> Iterator[EncodedResult]:
    with ray_running() as cluster:
        yield from cluster.map_unordered(run_job, ((job, engine, cluster.processors) for job in jobs))
