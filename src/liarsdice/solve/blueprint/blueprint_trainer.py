"""Trains a blueprint: a run of Monte Carlo CFR on one recall graph, which can be stored and continued."""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import msgspec
import numpy as np

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.runtime.atomic_files import write_atomically
from liarsdice.solve.blueprint.blueprint import Blueprint, quantized
from liarsdice.solve.blueprint.mccfr_arrays import Learned, Walk, WalkSettings
from liarsdice.solve.blueprint.mccfr_kernel import learn
from liarsdice.solve.blueprint.recall_graph import RecallGraph
from liarsdice.solve.cfr.memory_check import GIB, free_memory_bytes

CHUNK = 50
"""The number of iterations between two looks at the clock."""
BYTES_PER_ROW = 9
"""Two float32 while learning, and a uint8 of the result."""


class BlueprintTrainer:
    """Learns the strategies of both seats of a round. The same seed and iterations give the same numbers.

    `seed` (at least 0): of the random numbers. Raises `UnavailableError` if the graph does not fit into memory.
    """

    def __init__(self, graph: RecallGraph, seed: int = 0, settings: WalkSettings | None = None) -> None:
        needed, free = graph.row_count * BYTES_PER_ROW, free_memory_bytes()
        if free is not None and needed > free:
            raise UnavailableError(
                f"{graph.game.start} needs {needed / GIB:,.1f} GiB of memory and {free / GIB:,.1f} are free;"
                " remember or offer fewer bids"
            )
        self.graph = graph
        self.seed = seed
        self.iterations = 0
        self.cpu_s = 0.0
        self._settings = WalkSettings() if settings is None else settings
        state = int.from_bytes(sha256(f"blueprint {seed}".encode()).digest()[:8], "little") | 1
        self._learned = Learned(
            np.zeros(graph.row_count, np.float32),
            np.zeros(graph.row_count, np.float32),
            np.zeros(graph.arrays.hand_probs.shape[1], np.float32),
            np.array([state], np.uint64),
        )
        self._walk = _make_walk(graph)

    @property
    def value(self) -> float:
        """What the round is worth to seat 0, which opens it, as the latest iterations estimate it."""
        return float(self._learned.baseline @ self.graph.arrays.hand_probs[0])

    def run(
        self,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        on_progress: Callable[[BlueprintTrainer], None] | None = None,
    ) -> None:
        """Learn until the first limit that is reached: so many iterations more, or seconds of processor time.

        `on_progress` is called from time to time.
        """
        last = None if iterations is None else self.iterations + iterations
        began_s, before_s = time.process_time(), self.cpu_s
        while (last is None or self.iterations < last) and (seconds is None or self.cpu_s - before_s < seconds):
            count = CHUNK if last is None else min(CHUNK, last - self.iterations)
            learn(self.graph.arrays, self._learned, self._walk, self._settings, self.iterations + 1, count)
            self.iterations += count
            self.cpu_s = before_s + time.process_time() - began_s
            if on_progress is not None:
                on_progress(self)

    def blueprint(self, min_share: float = 0.0) -> Blueprint:
        """Return the average strategies so far. `min_share`: as in `blueprint.quantized`."""
        return Blueprint(self.graph, quantized(self._learned.sums, self.graph, min_share))

    def save(self, path: Path) -> None:
        """Write all that the run needs to continue. Raises `UnavailableError` if that fails."""
        content = BytesIO()
        np.savez(
            content,
            allow_pickle=False,
            run=np.array(self._run_digest()),
            progress=np.array([self.iterations, self.cpu_s]),
            **self._learned._asdict(),
        )
        write_atomically(path, content.getvalue())

    def load(self, path: Path) -> None:
        """Continue a run that `save` wrote.

        Raises `UnavailableError` if the file cannot be read, and `MalformedError` if it holds no run, or one of other
        rules or settings.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                stored = {name: file[name] for name in ("run", "progress", *Learned._fields)}
        except OSError as error:
            raise UnavailableError(f"cannot read {path}: {error.strerror or error}") from error
        except (ValueError, KeyError, BadZipFile, EOFError) as error:
            raise MalformedError(f"{path} holds no run of liarsdice solve blueprint") from error
        if str(stored["run"]) != self._run_digest():
            raise MalformedError(f"{path} holds a run with other rules or settings; choose another file")
        for name, array in self._learned._asdict().items():
            array[:] = stored[name]
        self.iterations, self.cpu_s = int(stored["progress"][0]), float(stored["progress"][1])

    def _run_digest(self) -> str:
        """Return a digest of all that the numbers depend on."""
        graph = self.graph
        parts = (graph.game.rules, graph.game.start, graph.recall, graph.menu, graph.values.tolist())
        return sha256(msgspec.json.encode((*parts, self.seed, self._settings))).hexdigest()


def _make_walk(graph: RecallGraph) -> Walk:
    arrays, depth = graph.arrays, graph.depth + 1
    hands, buckets = arrays.hand_probs.shape[1], arrays.payoffs.shape[2]
    actions = int((arrays.calls + np.diff(arrays.first_child)).max())

    def zeros(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return np.zeros(shape, np.float32)

    return Walk(
        zeros(depth, actions, hands),
        zeros(depth, actions, hands),
        zeros(depth, hands),
        zeros(depth, hands),
        zeros(depth, actions),
        zeros(depth),
        np.zeros(depth, np.int64),
        np.zeros(depth, np.int64),
        zeros(hands),
        zeros(buckets),
        zeros(buckets),
        zeros(actions),
    )
