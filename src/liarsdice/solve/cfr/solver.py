"""Solving a round by counterfactual regret minimisation, and how far from solved it is, exactly.

DCFR: Brown and Sandholm, *Solving Imperfect-Information Games via Discounted Regret Minimization* (2019). CFR+:
Tammelin, *Solving Large Imperfect Information Games Using CFR+* (2014). PCFR+: Farina, Kroer and Sandholm, *Faster Game
Solving via Predictive Blackwell Approachability* (2021). Players learn in turn; play is averaged with growing weights.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.solve.cfr import kernel_layout as k
from liarsdice.solve.cfr.cfr_kernel import walk_tree
from liarsdice.solve.cfr.method import Bounds, Method
from liarsdice.solve.cfr.tree_layout import Layout, layout_of, stages_of
from liarsdice.solve.game.public_tree import Tree

LOSS, TINY = -1e30, 1e-30
VECTOR = 64
"""Bytes: what lies across the ends of these takes longer."""
CHUNK_S = 0.5
FIRST_LOOK, LOOK_EVERY = 8, 0.15
MOST_ITERATIONS = 2**20
"""By then what one more iteration adds is little more than single precision rounds off, and play gets worse again."""


class Discount(msgspec.Struct, frozen=True):
    """DCFR's exponents: of positive regrets, of negative ones, and of play."""

    alpha: float = 1.5
    beta: float = 0.0
    gamma: float = 2.0


class Solver:
    """Learns to play a round. Its memory is two numbers a row and lane, three for PCFR+."""

    def __init__(
        self,
        tree: Tree,
        method: Method = Method.DCFR,
        *,
        discount: Discount | None = None,
        lanes: int | None = None,
        double: bool = False,
        threads: int = 1,
    ) -> None:
        self.tree = tree
        self.method = method
        self.iterations = 0
        self._discount = discount or Discount()
        self.layout = layout = layout_of(tree, lanes)
        self._kind = np.dtype(np.float64 if double else np.float32)
        foreseen = layout.rows if method is Method.PCFR_PLUS else 0
        self._memory = k.Memory(self._zeros(layout.rows), self._zeros(foreseen), self._zeros(layout.rows))
        self._plan = k.Plan(layout.kinds.ravel(), layout.lists, layout.payoffs.astype(self._kind), layout.links)
        self._stages = stages_of(layout, threads)
        self._work = self._room(layout, max(map(len, self._stages)))
        self._consts = np.array([0, LOSS, TINY, *range(layout.actions + 1)], self._kind)

    def _zeros(self, *shape: int) -> NDArray[Any]:
        """Zeros that begin where a vector does."""
        size = math.prod(shape) * self._kind.itemsize
        room = np.zeros(size + VECTOR, np.uint8)
        skipped = -room.ctypes.data % VECTOR
        return room[skipped : skipped + size].view(self._kind).reshape(shape)

    def _room(self, layout: Layout, threads: int) -> list[k.Work]:
        """Frames for what all threads share, and for the way down of each."""
        shared, depth = len(layout.nodes), layout.depth + 1
        frames = np.zeros((shared + threads * depth, k.FRAME), np.int64)
        frames[:shared] = layout.nodes
        blocks = self._zeros(len(frames), k.BLOCKS, layout.widest)
        for seat, weights in enumerate(self.tree.round.weights):
            blocks[0, seat, : len(weights)] = weights
        return [
            k.Work(
                frames.ravel(),
                blocks.ravel(),
                self._zeros(layout.widest),
                self._zeros(layout.widest),
                shared + thread * depth,
                layout.widest,
            )
            for thread in range(threads)
        ]

    @property
    def summed(self) -> NDArray[Any]:
        """Play added up, by row and lane of the layout."""
        summed: NDArray[Any] = self._memory.summed
        return summed

    @property
    def memory_mb(self) -> float:
        """What the numbers learned take."""
        return sum(one.nbytes for one in self._memory) / 1e6

    def get_ready(self) -> float:
        """Compile, or load what was compiled before; how many seconds that took."""
        began_s = time.perf_counter()
        self._run(self._zeros(0, 4), k.LEARN)
        return time.perf_counter() - began_s

    def iterate(self, count: int) -> None:
        """Learn for both players, so many times."""
        first = self.iterations + 1
        self._run(np.array([self._weights(first + one) for one in range(count)], self._kind), k.LEARN)
        self.iterations += count

    def _weights(self, turn: int) -> tuple[float, float, float, float]:
        """What regrets of old are multiplied with, by sign; the weight of play; the least that a regret may be."""
        match self.method:
            case Method.DCFR:
                up, down = turn**self._discount.alpha, turn**self._discount.beta
                return up / (up + 1), down / (down + 1), turn**self._discount.gamma, LOSS
            case Method.CFR_PLUS:
                return 1, 1, turn, 0
            case Method.PCFR_PLUS:
                return 1, 1, turn**2, 0

    def _run(self, weights: NDArray[Any], mode: int, seats: tuple[int, ...] = (0, 1)) -> None:
        if len(self._work) == 1:
            walks = [self._for(seat, stage[0]) for seat in seats for stage in self._stages]
            self._walk(weights, mode, np.concatenate(walks), self._work[0])
            return
        with ThreadPoolExecutor(len(self._work)) as threads:
            for row in range(len(weights)):
                for seat in seats:
                    for stage in self._stages:
                        walk = partial(self._walk, weights[row : row + 1], mode)
                        list(threads.map(walk, [self._for(seat, walks) for walks in stage], self._work))

    def _for(self, seat: int, walks: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.insert(walks, 0, seat, axis=1)

    def _walk(self, weights: NDArray[Any], mode: int, walks: NDArray[np.int64], work: k.Work) -> None:
        rule = k.FORESEE if self.method is Method.PCFR_PLUS else k.COMPARE
        walk_tree(self._plan, self._memory, work, self._consts, weights, walks, (mode, rule))

    def best_response(self, seat: int) -> float:
        """The most that a seat can win on average against the other one's average play."""
        self._run(self._zeros(1, 4), k.RESPOND, (seat,))
        weights = self.tree.round.weights[seat]
        first = k.VALUE * self.layout.widest
        return float(self._work[0].blocks[first : first + len(weights)].astype(np.float64) @ weights)

    def bounds(self) -> Bounds:
        """How far the average play is from unbeatable: half of what both best responses win beyond the value."""
        first, second = self.best_response(0), self.best_response(1)
        return Bounds(self.iterations, (first + second) / 2, -second, first)


def solve(
    solver: Solver,
    *,
    target: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    tell: Callable[[Bounds], None] | None = None,
) -> Bounds:
    """Learn until the exploitability is at most `target`, or so many iterations or seconds are over.

    Where no iterations are asked for, `MOST_ITERATIONS` are the end. Returns how good play is then. After Ctrl-C
    (`KeyboardInterrupt`) the solver still holds what was learned so far.
    """
    began_s = time.perf_counter()
    solver.get_ready()
    pace_s, learned_s, look_at = 0.0, 0.0, FIRST_LOOK
    most = MOST_ITERATIONS if iterations is None else iterations
    while True:
        count = max(1, min(min(look_at, most) - solver.iterations, int(CHUNK_S / pace_s) if pace_s else 1))
        chunk_s = time.perf_counter()
        solver.iterate(count)
        now_s = time.perf_counter()
        learned_s += now_s - chunk_s
        pace_s = learned_s / solver.iterations
        spent = seconds is not None and now_s - began_s >= seconds
        ended = spent or solver.iterations >= most
        if ended or solver.iterations >= look_at:
            bounds = solver.bounds()
            look_at = solver.iterations + max(FIRST_LOOK, int(LOOK_EVERY * solver.iterations))
            if tell:
                tell(bounds)
            if ended or (target is not None and bounds.exploitability <= target):
                return bounds
