"""Trains a blueprint: a run of CFR on one recall graph, which can be stored and continued."""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.rule_costs import require_approximated
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.atomic_files import write_atomically
from liarsdice.runtime.processes import defer_signals
from liarsdice.solve.blueprint.blueprint import MAX_WEIGHT, Blueprint, quantized
from liarsdice.solve.blueprint.learned_arrays import (
    NO_MODELS,
    Models,
    bytes_needed,
    make_learned,
    make_node_groups,
    make_pass,
)
from liarsdice.solve.blueprint.reach_kernel import learn
from liarsdice.solve.blueprint.recall_graph import DEFAULT_RECALL, RecallGraph, find_menus, make_recall_graph
from liarsdice.solve.cfr.solver import GIB, free_memory_bytes
from liarsdice.solve.round_game import RoundStart, dice_lost_values, make_round_game

METHOD = "reach"
"""Names how the numbers of a run are computed, so that a run does not continue from other numbers."""
RESTRICTED = b"restricted"
"""Names likewise how they are computed against models."""


class BlueprintTrainer:
    """Learns the strategies of both seats of a round. The same iterations give the same numbers.

    `models`: fixed opponents, which either seat meets with some probability. Each seat then learns in a game of its
    own: there it meets the models, and the other seat, which is learned beside it, does not.
    `match_stakes`: whether outcomes are worth what they are in the match. A stored run then goes on with other values.
    Raises `UnavailableError` if the graph does not fit into memory.
    """

    def __init__(self, graph: RecallGraph, models: Models = NO_MODELS, *, match_stakes: bool = False) -> None:
        require_memory(graph, len(models.shares))
        self.graph = graph
        self.iterations = 0
        self.cpu_s = 0.0
        self._models = models
        self._match_stakes = match_stakes
        self._met = (models, NO_MODELS), (NO_MODELS, models)
        self._groups = make_node_groups(graph)
        self._games = [make_learned(graph.arrays)]
        if len(models.shares):
            self._games.append(make_learned(graph.arrays, self._games[0].sums))
        self._pass = make_pass(graph.arrays, models)

    @property
    def value(self) -> float:
        """What the round is worth to seat 0, which opens it: the mean of the iterations, the latest weighted most.

        With models, the mean of both games, in which a seat that leans on the models plays one that does not.
        """
        return float(np.mean([learned.value[0] for learned in self._games]))

    def run(
        self,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        on_progress: Callable[[BlueprintTrainer], None] | None = None,
    ) -> None:
        """Learn until the first limit that is reached: so many iterations more, or seconds of processor time.

        `on_progress` is called after each iteration.
        """
        last = None if iterations is None else self.iterations + iterations
        began_s, before_s = time.process_time(), self.cpu_s
        while (last is None or self.iterations < last) and (seconds is None or self.cpu_s - before_s < seconds):
            with defer_signals():  # Ctrl-C leaves both games after the same iteration
                self.iterations += 1
                for learned, met in zip(self._games, self._met, strict=False):
                    learn(self.graph.arrays, self._groups, learned, self._pass, met, self.iterations)
            self.cpu_s = before_s + time.process_time() - began_s
            if on_progress is not None:
                on_progress(self)

    def blueprint(self, min_share: float = 0.0, levels: int = MAX_WEIGHT + 1) -> Blueprint:
        """Return the average strategies so far. `min_share`, `levels`: as in `blueprint.quantized`."""
        return Blueprint(self.graph, quantized(self._games[0].sums, self.graph, min_share, levels))

    def save(self, path: Path) -> None:
        """Write all that the run needs to continue. Raises `UnavailableError` if that fails."""
        content = BytesIO()
        np.savez(
            content,
            allow_pickle=False,
            run=np.array(self._run_digest()),
            progress=np.array([self.iterations, self.cpu_s]),
            **self._arrays(),
        )
        write_atomically(path, content.getvalue())

    def load(self, path: Path) -> None:
        """Continue a run that `save` wrote.

        Raises `UnavailableError` if the file cannot be read, and `MalformedError` if it holds no run, or one of other
        rules or settings.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                if str(file["run"]) != self._run_digest():
                    raise MalformedError(f"{path} holds a run with other rules or settings; choose another folder")
                stored = {name: file[name] for name in ("progress", *self._arrays())}
        except OSError as error:
            raise UnavailableError(f"cannot read {path}: {error.strerror or error}") from error
        except (ValueError, KeyError, BadZipFile, EOFError) as error:
            raise MalformedError(f"{path} holds no run of liarsdice train blueprint") from error
        for name, array in self._arrays().items():
            array[:] = stored[name]
        self.iterations, self.cpu_s = int(stored["progress"][0]), float(stored["progress"][1])

    def _arrays(self) -> dict[str, NDArray[np.float32] | NDArray[np.float64]]:
        """Return all that was learned by name; the two games of a run against models share the sums."""
        arrays = self._games[0]._asdict()
        for learned in self._games[1:]:
            arrays |= {"other_regrets": learned.regrets, "other_value": learned.value}
        return arrays

    def _run_digest(self) -> str:
        """Return a digest of all that the numbers depend on."""
        graph = self.graph
        stakes = "match" if self._match_stakes else graph.values.tolist()
        parts = (graph.game.rules, graph.game.start, graph.recall, graph.menu, stakes)
        digest = sha256(msgspec.json.encode((*parts, METHOD)))
        if len(self._games) > 1:
            digest.update(RESTRICTED)
        digest.update(self._models.shares.tobytes())
        digest.update(self._models.weights.tobytes())
        return digest.hexdigest()


def require_memory(graph: RecallGraph, model_count: int) -> None:
    """Raise `UnavailableError` if learning against so many models does not fit into memory."""
    needed, free = bytes_needed(graph.arrays, model_count), free_memory_bytes()
    if free is not None and needed > free:
        raise UnavailableError(
            f"{graph.game.start} needs {needed / GIB:,.1f} GiB of memory and {free / GIB:,.1f} are free;"
            " remember or offer fewer bids" + (", or name fewer bots" if model_count else "")
        )


MAX_DICE = 6
"""The most dice that both players together hold."""
MENU = 12
"""The most raises that are considered."""
LEAST_TRUE = 0.02
"""Raises that are less likely to be true, if nothing is known of any hand, are not considered."""
WORK = 120_000_000
"""How much a blueprint computes, in the unit of `iteration_work`: about 0.1 s of processor time."""
ROW_WORK = 40
"""What a row of the graph costs beside its pairs of hands, in pairs of hands (measured)."""
MAX_ITERATIONS = 80
"""More iterations hardly change the strategy."""
MIN_SHARE = 0.02
"""Actions below this fraction of a hand's likeliest action are left out."""


def quick_blueprint(rules: Ruleset, start: RoundStart, work: int = WORK) -> Blueprint | None:
    """Return a blueprint of a round, or None for more than `MAX_DICE` dice.

    `work`: how much is computed, in the unit of `iteration_work`, by which the size of the round tells the number of
    iterations. The same round and work always give the same blueprint.
    Raises `UnavailableError` as `make_round_game` and `make_recall_graph` do, for rules that they do not know.
    """
    if sum(start.dice) > MAX_DICE:
        return None
    require_approximated(rules, "blueprints are computed")
    game = make_round_game(rules, start)
    values = dice_lost_values(game)
    menus = find_menus(game, values, MENU, LEAST_TRUE)
    trainer = BlueprintTrainer(make_recall_graph(game, values, DEFAULT_RECALL, MENU, menus=menus))
    trainer.run(iterations=iteration_count(trainer.graph, work))
    return trainer.blueprint(MIN_SHARE)


def iteration_count(graph: RecallGraph, work: int) -> int:
    """Return how many iterations (1..`MAX_ITERATIONS`) so much work allows."""
    return min(max(work // iteration_work(graph), 1), MAX_ITERATIONS)


def iteration_work(graph: RecallGraph) -> int:
    """Return how much an iteration computes: for each row, the hands of the other seat and `ROW_WORK`."""
    arrays = graph.arrays
    return int((np.diff(arrays.first_row) * (arrays.hand_counts[1 - arrays.movers] + ROW_WORK)).sum())
