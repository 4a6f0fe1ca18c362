"""Solve many rounds or matches in parallel, in processes of this machine or on a Ray cluster, with a file for each.

The calling process writes the files, so that a killed run goes on from the last finished one, wherever it runs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.atomic_files import write_atomically
from liarsdice.runtime.process_pool import map_unordered
from liarsdice.runtime.ray_cluster import ray_running
from liarsdice.solve.cfr.memory_check import free_memory_bytes, make_tree_that_fits
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.game.round_game import make_round_game
from liarsdice.solve.game.round_start import RoundStart
from liarsdice.solve.match_solver import MatchSolver, check_match_memory, make_match_plan
from liarsdice.solve.strategy.average_strategy import MAX_EXPLOITABILITY_RATIO, average_strategy, quantized
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.solve.strategy.strategy_file import StrategySet, encode_strategies, read_strategies

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
