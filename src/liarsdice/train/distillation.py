"""Teaches a network to play balanced rounds: blueprints teach the rounds they know, and a network everything else.

The rows of a round are drawn by two weights: how likely a hand is dealt and its own bids lead to the decision, and how
often it decides while best responses play against the network as it is. So the network learns most where it is
exploited.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray

from liarsdice.bots.neural.features import FEATURE_COUNT
from liarsdice.bots.neural.network import Network
from liarsdice.bots.neural.observation import BoolArray, FloatArray
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.atomic_files import error_reason
from liarsdice.train.checkpoint import load_optimizer, load_weights, load_weights_widened, read_checkpoint
from liarsdice.train.config import CONFIG_FILE
from liarsdice.train.distillation_config import DistillationConfig
from liarsdice.train.load_networks import load_network
from liarsdice.train.match_lessons import MatchLessons, play_matches
from liarsdice.train.model import PolicyNetwork, export_network, policy_state
from liarsdice.train.round_lessons import Lessons, draw_features, own_reach, worst_case
from liarsdice.train.run_folder import append_row, drop_rows, replace_file
from liarsdice.train.taught_rounds import learn_lessons, taught_graph, taught_rules

CHECKPOINT_FILE, CURVE_FILE, NETWORK_FILE = "checkpoint.pt", "curve.csv", "network.npz"
MATCHES_FILE = "matches.npz"
CHUNK = 8192
"""The number of rows that the network plays at a time when it is measured."""
LATEST_VISITS = 0.3
"""The weight of the latest best responses in the mean of all so far."""
MIN_RATE_RATIO = 0.02
"""The last learning rate, as a fraction of the first."""
MAX_GRAD_NORM = 1.0

Float64Array = NDArray[np.float64]


class Measure(NamedTuple):
    """How well a network has learned: the lower bound of its exploitability in each round, and the divergence (nats).

    The rounds are `DistillationConfig.different_rounds`. `rounds`: the mean of KL(teacher, network) over their rows as
    they are drawn. `matches`: over those of matches; NaN if none teach.
    """

    exploitability: tuple[float, ...]
    rounds: float
    matches: float


class Distiller:
    """A run in a folder, new or resumed. The same configuration gives the same network.

    Raises `MalformedError` if the folder holds a run with another configuration or a damaged one, or if a round cannot
    be taught, and `UnavailableError` if a file cannot be read or written.
    """

    def __init__(self, folder: Path, config: DistillationConfig, say: Callable[[str], None]) -> None:
        self.folder = folder
        self.config = config
        self.steps_done = 0
        start = load_network(config.initial_weights)
        self.policy = PolicyNetwork(FEATURE_COUNT, config.width, len(start.weights) - 1)
        try:
            load_weights_widened(self.policy, policy_state(start))
        except ValueError as error:
            raise UnavailableError(f"cannot start from {config.initial_weights}: {error}") from error
        self._optimizer = torch.optim.Adam(self.policy.parameters(), lr=config.learning_rate)
        rules = [taught_rules(taught) for taught in config.rounds]
        self._keep_config(rules)
        ruleset_of = dict(zip(config.rounds, rules, strict=True))
        self._graphs = [taught_graph(ruleset, taught.dice) for taught, ruleset in ruleset_of.items()]
        self._lessons = [self._learn_round(place, say) for place in range(len(self._graphs))]
        self._reach = [
            _shares(own_reach(graph, lessons)) for graph, lessons in zip(self._graphs, self._lessons, strict=True)
        ]
        self._visits: list[Float64Array] = []
        self._matches = self._learn_matches(rules, say) if config.match_share else None
        if (folder / CHECKPOINT_FILE).exists():
            self._load()

    def run(self, report: Callable[[int, Measure], None], stop: Callable[[], bool] = lambda: False) -> Network:
        """Learn until all steps are done, or `stop` returns True after a measurement; returns the network so far.

        `report` is called with the number of steps done after each measurement.
        """
        config = self.config
        drop_rows(self.folder / CURVE_FILE, later_than=self.steps_done - 1)
        while True:
            measure = self._measure()
            columns = ["step", *map(str, config.different_rounds), "rounds", "matches"]
            figures = [round(value, 4) for value in (*measure.exploitability, measure.rounds, measure.matches)]
            append_row(self.folder / CURVE_FILE, columns, [self.steps_done, *figures])
            network = export_network(self.policy, config.min_prob_ratio)
            replace_file(self.folder / NETWORK_FILE, network.save)
            report(self.steps_done, measure)
            if self.steps_done == config.steps or stop():
                return network
            self._learn(min(config.measure_every, config.steps - self.steps_done))
            self._save()

    def _keep_config(self, rules: list[Ruleset]) -> None:
        """Write the configuration and the rules to the folder, or check that they are those of its run."""
        file = self.folder / CONFIG_FILE
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            content = msgspec.json.format(msgspec.json.encode({"config": self.config, "rules": rules}))
            stored = file.read_bytes() if file.exists() else content
        except OSError as error:
            raise UnavailableError(f"cannot use {self.folder}: {error_reason(error)}") from error
        if stored != content:
            raise MalformedError(f"{self.folder} contains a run with another configuration; choose another folder")
        replace_file(file, lambda temporary: temporary.write_bytes(content))

    def _learn_round(self, place: int, say: Callable[[str], None]) -> Lessons:
        """Return what the blueprint of a round teaches, from the folder if it is there."""

        def make() -> Lessons:
            taught = self.config.different_rounds[place]
            taught = self.config.different_rounds[place]
            lessons, line = learn_lessons(taught, self._graphs[place], self.config.iterations)
            say(line)
            return lessons

        return Lessons(**self._stored(f"round-{place + 1}.npz", make))

    def _learn_matches(self, rules: list[Ruleset], say: Callable[[str], None]) -> MatchLessons:
        """Return the matches of the teacher, from the folder if they are there."""
        config = self.config

        def make() -> MatchLessons:
            known = [(ruleset, taught.dice) for ruleset, taught in zip(rules, config.rounds, strict=True)]
            matches = play_matches(config.teacher, config.seed, config.tables, config.table_steps, known)
            say(f"{len(matches.probs):,} decisions of {config.teacher}")
            return matches

        return MatchLessons(**self._stored(MATCHES_FILE, make))

    def _stored(self, name: str, make: Callable[[], Lessons | MatchLessons]) -> dict[str, Any]:
        """Return the arrays in a file of the folder by name, or make and store them."""
        file = self.folder / name
        try:
            if not file.exists():
                arrays = make()._asdict()
                replace_file(file, lambda temporary: _save_arrays(temporary, arrays))
            with np.load(file, allow_pickle=False) as stored:
                return {field: stored[field] for field in stored.files}
        except (OSError, ValueError) as error:
            raise UnavailableError(f"{file} cannot be read: {error_reason(error)}; delete it") from error

    def _measure(self) -> Measure:
        """Measure the network, and remember where best responses make it decide."""
        network = export_network(self.policy, self.config.min_prob_ratio)
        values, divergences = [], []
        for place, (graph, lessons) in enumerate(zip(self._graphs, self._lessons, strict=True)):
            probs = _probs(network, lessons.features, lessons.action_mask)
            value, visits = worst_case(graph, lessons, network.drop_unlikely(probs))
            values.append(value)
            divergences.append(float(_divergence(lessons.probs, probs) @ self._weights(place)))
            if len(self._visits) == place:
                self._visits.append(_shares(visits))
            else:
                self._visits[place] += LATEST_VISITS * (_shares(visits) - self._visits[place])
        matches = math.nan
        if self._matches is not None:
            shown = slice(0, None, max(1, len(self._matches.probs) // CHUNK))
            probs = _probs(network, self._matches.features[shown], self._matches.action_mask[shown])
            matches = float(_divergence(self._matches.probs[shown].astype(np.float32), probs).mean())
        return Measure(tuple(values), float(np.mean(divergences)), matches)

    def _weights(self, place: int) -> Float64Array:
        """Return how likely each row of a round is drawn, float64 [row]."""
        reach = self._reach[place]
        return reach if len(self._visits) <= place else (reach + self._visits[place]) / 2

    def _learn(self, steps: int) -> None:
        """Learn from minibatches of rows by chance; the seed and the steps done determine them."""
        config = self.config
        rng = np.random.default_rng((config.seed, self.steps_done))
        cumulated = [np.cumsum(self._weights(place)) for place in range(len(self._lessons))]
        match_rows = round(config.minibatch * config.match_share)
        for _ in range(steps):
            share = (1 + math.cos(math.pi * self.steps_done / config.steps)) / 2
            for group in self._optimizer.param_groups:
                group["lr"] = config.learning_rate * max(share, MIN_RATE_RATIO)
            batches: list[tuple[NDArray[np.float16], BoolArray, NDArray[Any]]] = []
            counts = rng.multinomial(config.minibatch - match_rows, config.round_shares)
            for lessons, sums, count in zip(self._lessons, cumulated, counts.tolist(), strict=True):
                rows = np.minimum(np.searchsorted(sums, rng.random(count) * sums[-1]), len(sums) - 1)
                batches.append((draw_features(lessons, rows, rng), lessons.action_mask[rows], lessons.probs[rows]))
            if self._matches is not None:
                features, action_mask, probs = self._matches
                rows = rng.integers(len(probs), size=match_rows)
                batches.append((features[rows], action_mask[rows], probs[rows]))
            self._step(*(np.concatenate(columns) for columns in zip(*batches, strict=True)))
            self.steps_done += 1

    def _step(self, features: NDArray[np.float16], action_mask: BoolArray, targets: NDArray[Any]) -> None:
        """Take a step down the cross entropy to the teachers."""
        mask = torch.from_numpy(action_mask)
        log_probs = torch.log_softmax(self.policy(torch.from_numpy(features.astype(np.float32)), mask), dim=1)
        wanted = torch.from_numpy(targets.astype(np.float32))
        loss = -(wanted * log_probs.masked_fill(~mask, 0)).sum(dim=1).mean()
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), MAX_GRAD_NORM)
        self._optimizer.step()

    def _save(self) -> None:
        state = {
            "player": self.policy.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "done": self.steps_done,
            "visits": [torch.from_numpy(visits) for visits in self._visits],
        }
        buffer = BytesIO()  # so that a full disk gives a clear error
        torch.save(state, buffer)
        replace_file(self.folder / CHECKPOINT_FILE, lambda temporary: temporary.write_bytes(buffer.getbuffer()))

    def _load(self) -> None:
        """Resume from the checkpoint in the folder."""
        file = self.folder / CHECKPOINT_FILE
        try:
            state = read_checkpoint(file)
            load_weights(self.policy, state.get("player"))
            load_optimizer(self._optimizer, state.get("optimizer"))
            self.steps_done = int(state["done"])
            self._visits = [visits.numpy() for visits in state["visits"]]
        except (OSError, ValueError, KeyError) as error:
            raise MalformedError(f"{file} cannot be read; delete it to start again") from error


def _probs(network: Network, features: NDArray[np.float16], action_mask: BoolArray) -> FloatArray:
    """Return the probabilities of a network for many rows, float32 [row, action]."""
    starts = range(0, len(features), CHUNK)
    parts = [slice(start, start + CHUNK) for start in starts]
    return np.concatenate(
        [network.action_probs(features[part].astype(np.float32), action_mask[part]) for part in parts]
    )


def _divergence(teacher: FloatArray, probs: FloatArray) -> FloatArray:
    """Return KL(teacher, network) in nats, float32 [row]."""
    ratios = np.log(np.where(teacher > 0, teacher, 1)) - np.log(np.where(teacher > 0, np.maximum(probs, 1e-9), 1))
    divergence: FloatArray = (teacher * ratios).sum(axis=1)
    return divergence


def _shares(weights: Float64Array) -> Float64Array:
    shares: Float64Array = weights / weights.sum()
    return shares


def _save_arrays(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
