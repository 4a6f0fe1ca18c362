"""Solving a round by counterfactual regret minimisation, and how far from solved it is, exactly.

DCFR: Brown and Sandholm, *Solving Imperfect-Information Games via Discounted Regret Minimization* (2019). CFR+:
Tammelin, *Solving Large Imperfect Information Games Using CFR+* (2014). PCFR+: Farina, Kroer and Sandholm, *Faster Game
Solving via Predictive Blackwell Approachability* (2021). Players learn in turn; play is averaged with growing weights.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.choices import Choice
from liarsdice.solve import blocks as k
from liarsdice.solve.kernel import walk_tree
from liarsdice.solve.tree import Layout, Tree, layout_of, shared_out

LOSS, TINY = -1e30, 1e-30
CHUNK_S = 0.5
FIRST_LOOK, LOOK_EVERY = 8, 0.15


class Method(Choice):
    """How regrets are kept and play is averaged."""

    DCFR = "dcfr"
    CFR_PLUS = "cfr+"
    PCFR_PLUS = "pcfr+"


class Bounds(NamedTuple):
    """How good the average play is: the value of the round to seat 0 lies between what each seat makes sure of."""

    iterations: int
    exploitability: float
    low: float
    high: float


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
        layout = layout_of(tree, lanes)
        self._kind = np.dtype(np.float64 if double else np.float32)
        foreseen = layout.rows if method is Method.PCFR_PLUS else 0
        self._memory = k.Memory(self._zeros(layout.rows), self._zeros(foreseen), self._zeros(layout.rows))
        self._plan = k.Plan(
            layout.kinds,
            layout.lists,
            layout.payoffs.astype(self._kind),
            layout.stem,
            layout.actions,
            layout.branches,
            np.array([*layout.lanes, 1], np.int64),
        )
        self._stem = self._first_nodes(layout)
        self._parts = [(part, self._room(layout)) for part in shared_out(layout, threads)]
        self._consts = np.array([0, 1, LOSS, TINY, *range(layout.actions.shape[1] + 1)], self._kind)
        for seat, weights in enumerate(tree.round.weights):
            self._stem.ways[0, seat, : len(weights)] = weights

    def _zeros(self, *shape: int) -> NDArray[Any]:
        return np.zeros(shape, self._kind)

    def _first_nodes(self, layout: Layout) -> k.Stem:
        nodes, hands = len(layout.stem), layout.hands
        return k.Stem(
            self._zeros(nodes, 2, hands),
            self._zeros(nodes, hands),
            self._zeros(nodes, hands),
            self._zeros(nodes, layout.actions.shape[1], hands),
            self._zeros(nodes, hands),
        )

    def _room(self, layout: Layout) -> k.Work:
        lanes, depth = max(layout.lanes), layout.depth + 1
        classes = int(max(layout.kinds[:, k.MY_CLASSES].max(), layout.kinds[:, k.THEIR_CLASSES].max()))
        rows = layout.hands * lanes
        return k.Work(
            self._zeros(depth + 2, rows),
            self._zeros(depth, rows),
            self._zeros(depth, rows),
            self._zeros(depth, rows),
            self._zeros(depth, rows),
            self._zeros(depth, rows),
            self._zeros(rows),
            self._zeros(classes * lanes),
            self._zeros(classes * lanes),
            np.zeros((depth + 2, 5), np.int64),
        )

    @property
    def memory_mb(self) -> float:
        """What the numbers learned take."""
        return sum(one.nbytes for one in self._memory) / 1e6

    def get_ready(self) -> float:
        """Compile, or load what was compiled before; how many seconds that took."""
        began_s = time.perf_counter()
        self._run(self._zeros(0, 4), k.LEARN, 0)
        return time.perf_counter() - began_s

    def iterate(self, count: int) -> None:
        """Learn for both players, so many times."""
        first = self.iterations + 1
        self._run(np.array([self._weights(first + one) for one in range(count)], self._kind), k.LEARN, 3)
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

    def _run(self, weights: NDArray[Any], mode: int, players: int) -> None:
        branches, work = self._parts[0]
        if len(self._parts) == 1:
            self._walk(weights, (mode, players, k.DOWN | k.UP), branches, work)
            return
        with ThreadPoolExecutor(len(self._parts)) as threads:
            for row in range(len(weights)):
                for player in (1, 2):
                    if players & player:
                        one = weights[row : row + 1]
                        self._walk(one, (mode, player, k.DOWN), branches[:0], work)
                        halves = [threads.submit(self._walk, one, (mode, player, 0), *part) for part in self._parts]
                        for half in halves:
                            half.result()
                        self._walk(one, (mode, player, k.UP), branches[:0], work)

    def _walk(
        self, weights: NDArray[Any], how: tuple[int, int, int], branches: NDArray[np.int64], work: k.Work
    ) -> None:
        mode, players, ends = how
        rule = k.FORESEE if self.method is Method.PCFR_PLUS else k.COMPARE
        told = mode, rule, players, ends
        walk_tree(self._plan, self._memory, self._stem, work, self._consts, weights, branches, told)

    def best_response(self, seat: int) -> float:
        """The most that a seat can win on average against the other one's average play."""
        self._run(self._zeros(1, 4), k.RESPOND, 1 << seat)
        weights = self.tree.round.weights[seat]
        return float(self._stem.totals[0, : len(weights)].astype(np.float64) @ weights)

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

    Returns how good play is then. Ctrl-C only ends it early: what was learned so far is kept.
    """
    began_s = time.perf_counter()
    solver.get_ready()
    pace_s, learned_s, bounds = 0.0, 0.0, None
    look_at = FIRST_LOOK
    try:
        while True:
            until = look_at if iterations is None else min(look_at, iterations)
            count = max(1, min(until - solver.iterations, int(CHUNK_S / pace_s) if pace_s else 1))
            chunk_s = time.perf_counter()
            solver.iterate(count)
            now_s = time.perf_counter()
            learned_s += now_s - chunk_s
            pace_s = learned_s / solver.iterations
            spent = seconds is not None and now_s - began_s >= seconds
            ended = spent or (iterations is not None and solver.iterations >= iterations)
            if ended or solver.iterations >= look_at:
                bounds = solver.bounds()
                look_at = solver.iterations + max(FIRST_LOOK, int(LOOK_EVERY * solver.iterations))
                if tell:
                    tell(bounds)
                if ended or (target is not None and bounds.exploitability <= target):
                    return bounds
    except KeyboardInterrupt:
        return bounds if bounds and bounds.iterations == solver.iterations else solver.bounds()
