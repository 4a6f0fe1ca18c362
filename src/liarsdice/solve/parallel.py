"""Many games solved side by side, in processes of this machine or spread by Ray, a file for each that is finished.

Whoever asked writes the files, so that a killed run goes on from the last finished game, wherever games are solved.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import msgspec

from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.atomic_files import write_whole
from liarsdice.runtime.ray_cluster import ray_running
from liarsdice.solve.cfr.memory_check import free_bytes, tree_that_fits
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.game.round_game import round_of
from liarsdice.solve.game.round_start import Opening
from liarsdice.solve.match_solver import MatchSolver, need_to_fit, opened_by_first, plan_of
from liarsdice.solve.strategy.average_strategy import DEARER, rounded, strategy_of
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.solve.strategy.strategy_file import Solved, packed, read_solved

ENDING = ".lds"


class Game(msgspec.Struct, frozen=True):
    """A round, or with `match` a match, to be solved to a target. `name`: of its file, without the ending."""

    name: str
    rules: Ruleset
    opening: Opening
    match: bool
    method: Method
    target: float


class Answer(msgspec.Struct, frozen=True):
    """What came of a game: its strategies, or why it can't be solved."""

    game: Game
    solved: Solved | None
    refused: str = ""

    @property
    def strategy(self) -> Strategy | None:
        """The strategy of the game's first round."""
        return None if self.solved is None else self.solved.strategy(opened_by_first(self.game.opening))


Raw = tuple[bytes, str]
"""A file, or why there is none: what goes from where a game is solved to who asked."""


def solve_many(
    games: Sequence[Game], folder: Path, engine: str, *, jobs: int = 1, ray: bool = False
) -> Iterator[Answer]:
    """Solve games that the folder has no good file of yet, and yield all of them: those first that were there.

    `engine`: the version of the package. `jobs`: processes of this machine; with `ray` as many as Ray has processors.
    Raises `UnavailableError` where the folder can't be written to, or Ray isn't installed.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnavailableError(f"cannot write to {folder}: {error.strerror}") from error
    missing = []
    for game in games:
        found = _found(folder / (game.name + ENDING), game)
        if found is None:
            missing.append(game)
        else:
            yield Answer(game, found)
    if not missing:
        return
    spread = _by_ray if ray else _by_processes
    for game, (raw, refused) in spread(missing, engine, jobs):
        if refused:
            yield Answer(game, None, refused)
        else:
            file = folder / (game.name + ENDING)
            write_whole(file, raw)
            yield Answer(game, read_solved(file))


def _found(file: Path, game: Game) -> Solved | None:
    """What is known of a game already, if it is whole and good enough."""
    try:
        solved = read_solved(file)
        strategy = Answer(game, solved).strategy
    except LiarsDiceError:
        return None
    same = solved.rules == game.rules and solved.match == game.match
    return solved if same and strategy and strategy.bounds.exploitability <= DEARER * game.target else None


def solved_alone(game: Game, engine: str, share: int) -> Raw:
    """Solve one game in a process of its own, one of so many that share the memory."""
    free = free_bytes()
    free = None if free is None else free // share
    try:
        tree = tree_that_fits(round_of(game.rules, game.opening), game.method, free)
        if game.match:
            plan = plan_of(game.rules, game.opening)
            need_to_fit(plan, game.method, free)
            solver = MatchSolver(plan, game.method, game.target)
            solver.run()
            strategies = tuple(solver.strategies.values())
        else:
            alone = Solver(tree, game.method)
            solve(alone, target=game.target)
            strategies = (rounded(strategy_of(alone)),)
    except LiarsDiceError as error:
        return b"", str(error)
    return packed(Solved(game.rules, game.match, strategies), engine), ""


def _by_processes(games: Sequence[Game], engine: str, jobs: int) -> Iterator[tuple[Game, Raw]]:
    fresh, others = multiprocessing.get_context("spawn"), set(multiprocessing.active_children())
    count = min(jobs, len(games), os.cpu_count() or 1)
    leave_it = signal.SIGINT, signal.SIG_IGN  # Ctrl-C is for who asked
    with ProcessPoolExecutor(count, fresh, signal.signal, leave_it) as processes:
        running = {processes.submit(solved_alone, game, engine, count): game for game in games}
        try:
            for one in as_completed(running):
                yield running[one], one.result()
        except BrokenProcessPool as error:
            lost = (
                "a process that solved was ended from outside, perhaps for want of memory; start again with fewer jobs"
            )
            raise UnavailableError(lost) from error
        except BaseException:  # nobody waits any more, and what runs could take hours
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise


def _by_ray(games: Sequence[Game], engine: str, _: int) -> Iterator[tuple[Game, Raw]]:
    with ray_running() as (ray, processors):
        remote = ray.remote(solved_alone)
        running = {remote.remote(game, engine, processors): game for game in games}
        while running:
            done, _rest = ray.wait(list(running))
            yield running.pop(done[0]), ray.get(done[0])
