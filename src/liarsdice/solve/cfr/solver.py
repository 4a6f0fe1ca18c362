"""Solves a round by counterfactual regret minimisation (CFR), and estimates the exploitability of the solution.

The bounds that this module computes come from the compiled walk, in single precision by default. They decide when to
stop, and are not certified: `strategy.average_strategy.certify` computes certified bounds in double precision.

Zinkevich, Johanson, Bowling and Piccione, *Regret Minimization in Games with Incomplete Information* (2007); the
variants and their papers are in `Method`. The players learn in turn; later strategies weigh more in the average.
"""

import math
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.meaning import has_lives
from liarsdice.solve.cfr import kernel_layout as layout
from liarsdice.solve.cfr.cfr_kernel import walk_tree
from liarsdice.solve.cfr.method import NO_FLOOR, Bounds, Method, iteration_weights
from liarsdice.solve.cfr.tree_layout import TreeLayout, make_tree_layout, make_walk_stages
from liarsdice.solve.round_game import (
    MAX_BID_SEQUENCES,
    PublicTree,
    RoundGame,
    RoundStart,
    count_bid_sequences,
    dice_lost_values,
    make_public_tree,
    make_round_game,
)

TINY = 1e-30
CACHE_LINE = 64
"""Bytes: vectors that straddle the ends of cache lines take longer."""
CHUNK_S = 0.5
FIRST_CHECK, CHECK_EVERY, CHECK_SELDOM = 8, 0.05, 0.3
"""Bounds are first computed after so many iterations, and then after a fraction more: the first if the target is near,
at most the second."""
PACE = 0.6
"""A tenth of the exploitability takes about 10^0.6 times the iterations."""
MAX_ITERATIONS = 2**20
"""Beyond this, an iteration adds little more than single precision rounds off, and the average gets worse again."""


class Solver:
    """Learns to play a round. It keeps two numbers for each row and lane, three for PCFR+.

    `lanes`: see `make_tree_layout`. `double`: float64 instead of float32.
    """

    def __init__(
        self,
        tree: PublicTree,
        method: Method = Method.DCFR,
        *,
        lanes: int | None = None,
        double: bool = False,
        threads: int = 1,
    ) -> None:
        self.tree = tree
        self.method = method
        self.iterations = 0
        self.layout = tree_layout = make_tree_layout(tree, lanes)
        self._dtype = np.dtype(np.float64 if double else np.float32)
        predicted = tree_layout.rows if method is Method.PCFR_PLUS else 0
        self._memory = layout.Memory(
            self._zeros(tree_layout.rows), self._zeros(predicted), self._zeros(tree_layout.rows)
        )
        self._tree_arrays = layout.TreeArrays(
            tree_layout.types.ravel(), tree_layout.lists, tree_layout.payoffs.astype(self._dtype), tree_layout.links
        )
        self._stages = make_walk_stages(tree_layout, threads)
        self._workspaces = self._make_workspaces(tree_layout, max(map(len, self._stages)))
        self._constants = np.array([0, NO_FLOOR, TINY, *range(tree_layout.max_actions + 1)], self._dtype)

    def _zeros(self, *shape: int) -> NDArray[Any]:
        """Return zeros that begin at a cache line."""
        size = math.prod(shape) * self._dtype.itemsize
        buffer = np.zeros(size + CACHE_LINE, np.uint8)
        skipped = -buffer.ctypes.data % CACHE_LINE
        return buffer[skipped : skipped + size].view(self._dtype).reshape(shape)

    def _make_workspaces(self, tree_layout: TreeLayout, threads: int) -> list[layout.Workspace]:
        """Return a workspace for each thread: shared frames of the stem, and frames of its own for the way down."""
        shared, depth = len(tree_layout.nodes), tree_layout.depth + 1
        frames = np.zeros((shared + threads * depth, layout.FRAME_FIELDS), np.int64)
        frames[:shared] = tree_layout.nodes
        blocks = self._zeros(len(frames), layout.BLOCKS, tree_layout.block_size)
        for seat, weights in enumerate(self.tree.game.hand_probs):
            blocks[0, seat, : len(weights)] = weights
        return [
            layout.Workspace(
                frames.ravel(),
                blocks.ravel(),
                self._zeros(tree_layout.block_size),
                self._zeros(tree_layout.block_size),
                shared + thread * depth,
                tree_layout.block_size,
            )
            for thread in range(threads)
        ]

    @property
    def strategy_sum(self) -> NDArray[Any]:
        """The weighted sum of strategies, float32 or float64 [row x lane of the layout]."""
        strategy_sum: NDArray[Any] = self._memory.strategy_sum
        return strategy_sum

    @property
    def memory_mb(self) -> float:
        """For benchmarks: the size of the learned numbers in MB (10^6 bytes)."""
        return sum(array.nbytes for array in self._memory) / 1e6

    def compile_kernels(self) -> float:
        """Compile the kernel, or load it from the cache; returns how many seconds that took."""
        began_s = time.perf_counter()
        self._walk(self._zeros(0, 4), layout.LEARN, np.zeros((0, 3), np.int64), self._workspaces[0])
        return time.perf_counter() - began_s

    def iterate(self, count: int) -> None:
        """Do `count` iterations; each updates both players."""
        first = self.iterations + 1
        weights = [iteration_weights(self.method, first + n) for n in range(count)]
        self._run(np.array(weights, self._dtype), layout.LEARN)
        self.iterations += count

    def _run(self, weights: NDArray[Any], mode: int, seats: tuple[int, ...] = (0, 1)) -> None:
        if len(self._workspaces) == 1:
            walks = [self._walks_of(seat, stage[0]) for seat in seats for stage in self._stages]
            self._walk(weights, mode, np.concatenate(walks), self._workspaces[0])
            return
        with ThreadPoolExecutor(len(self._workspaces)) as threads:
            for row in range(len(weights)):
                for seat in seats:
                    for stage in self._stages:
                        walk = partial(self._walk, weights[row : row + 1], mode)
                        list(threads.map(walk, [self._walks_of(seat, walks) for walks in stage], self._workspaces))

    def _walks_of(self, seat: int, walks: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.insert(walks, 0, seat, axis=1)

    def _walk(self, weights: NDArray[Any], mode: int, walks: NDArray[np.int64], workspace: layout.Workspace) -> None:
        update = layout.PREDICTIVE if self.method is Method.PCFR_PLUS else layout.DISCOUNTED
        walk_tree(self._tree_arrays, self._memory, workspace, self._constants, weights, walks, (mode, update))

    def best_response_value(self, seat: int) -> float:
        """Return an estimate of the most that a seat can win on average against the other seat's average strategy."""
        self._run(self._zeros(1, 4), layout.RESPOND, (seat,))
        weights = self.tree.game.hand_probs[seat]
        first = layout.VALUE * self.layout.block_size
        return float(self._workspaces[0].blocks[first : first + len(weights)].astype(np.float64) @ weights)

    def bounds(self) -> Bounds:
        """Return estimates of the exploitability of the average strategies, and of bounds of the value of the round.

        They have the rounding errors of the solver's precision; `certify` computes certified bounds.
        """
        first, second = self.best_response_value(0), self.best_response_value(1)
        return Bounds(self.iterations, (first + second) / 2, -second, first)


def solve(
    solver: Solver,
    *,
    target: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    began_s: float | None = None,
    on_progress: Callable[[Bounds], None] | None = None,
) -> Bounds:
    """Iterate until the exploitability is at most `target`, or so many iterations or seconds are over.

    Without `iterations`, `MAX_ITERATIONS` are the limit. `began_s`: the time of `time.perf_counter` from which
    `seconds` count, by default now. `on_progress` is called with each `Solver.bounds()`. Returns the last ones, which
    are estimates. After a `KeyboardInterrupt` the solver still holds what was learned so far.
    """
    if began_s is None:
        began_s = time.perf_counter()
    solver.compile_kernels()
    pace_s, learned_s, next_check = 0.0, 0.0, FIRST_CHECK
    limit = MAX_ITERATIONS if iterations is None else iterations
    while True:
        count = max(1, min(min(next_check, limit) - solver.iterations, int(CHUNK_S / pace_s) if pace_s else 1))
        chunk_s = time.perf_counter()
        solver.iterate(count)
        now_s = time.perf_counter()
        learned_s += now_s - chunk_s
        pace_s = learned_s / solver.iterations
        timed_out = seconds is not None and now_s - began_s >= seconds
        ended = timed_out or solver.iterations >= limit
        if ended or solver.iterations >= next_check:
            bounds = solver.bounds()
            next_check = solver.iterations + max(FIRST_CHECK, int(_until_next_check(bounds, target)))
            if on_progress:
                on_progress(bounds)
            if ended or (target is not None and bounds.exploitability <= target):
                return bounds


def _until_next_check(bounds: Bounds, target: float | None) -> float:
    """Return after how many iterations more the target is likely reached, within the limits above."""
    exploitability = max(bounds.exploitability, 0.0)  # rounding can bring it below zero
    expected = 0.0 if target is None else (exploitability / target) ** PACE - 1
    return bounds.iterations * min(max(expected, CHECK_EVERY), CHECK_SELDOM)


BYTES_PER_NUMBER = 4
GIB = 2**30


def make_tree_that_fits(game: RoundGame, method: Method, free: int | None = None) -> PublicTree:
    """Return the public tree of a round by itself, with outcomes valued by `dice_lost_values`.

    `free`: available bytes, None to ask the system. Raises `UnavailableError` if the tree needs more; the message names
    the nearest smaller round that fits.
    """
    free = free_memory_bytes() if free is None else free
    tree, needs = _tree_if_it_fits(game, method, free)
    if tree is not None:
        return tree
    first, second = (1, 1) if has_lives(game.rules) else game.start.dice  # in games for lives everybody keeps all dice
    while max(first, second) > 1:
        first, second = (first - 1, second) if first >= second else (first, second - 1)
        smaller = make_round_game(game.rules, RoundStart((first, second)))
        if _tree_if_it_fits(smaller, method, free)[0] is not None:
            raise UnavailableError(f"{needs}; {first}v{second} fits")
    raise UnavailableError(f"{needs}; fewer faces need less")


def _tree_if_it_fits(game: RoundGame, method: Method, free: int | None) -> tuple[PublicTree | None, str]:
    """Return the tree, or None and a text that says how much it needs."""
    name, sequences = f"{game.start.dice[0]}v{game.start.dice[1]}", count_bid_sequences(game)
    if sequences > MAX_BID_SEQUENCES:
        return None, f"{name} has {sequences:.1e} public nodes, more than any memory holds"
    tree = make_public_tree(game, dice_lost_values(game))
    try:
        check_memory(tree, method, free)
    except UnavailableError as error:
        return None, str(error)
    return tree, name


def check_memory(tree: PublicTree, method: Method, free: int | None = None) -> None:
    """Raise `UnavailableError` unless there is memory for solving a tree and for the strategy that results.

    `free`: available bytes, None to ask the system.
    """
    free = free_memory_bytes() if free is None else free
    needed = make_tree_layout(tree).rows * BYTES_PER_NUMBER * (4 if method is Method.PCFR_PLUS else 3)
    if free is not None and needed > free:
        name = tree.game.start
        raise UnavailableError(f"{name} needs {needed / GIB:,.1f} GiB of memory and {free / GIB:,.1f} are free")


def free_memory_bytes() -> int | None:
    """Return the available physical memory in bytes, or None if the system does not say."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None
