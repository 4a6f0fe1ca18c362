"""Trains a network in a folder: the run can be resumed, and keeps its learning curve and its best network."""

import math
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import torch
from torch import Tensor

from liarsdice.bots.neural.batch_observation import BatchObserver
from liarsdice.bots.neural.champions import baseline_network
from liarsdice.bots.neural.features import FEATURE_COUNT
from liarsdice.bots.neural.network import Network
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.presets import FULL
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.runtime.atomic_files import error_reason
from liarsdice.runtime.processes import single_worker
from liarsdice.runtime.ray_cluster import ray_running
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy, Policy, ThresholdPolicy, UniformPolicy
from liarsdice.sim.vector_env import AgentSelector, VectorEnv
from liarsdice_lab.train.balance import Figures, balance_measures, figures_of, measure_balance
from liarsdice_lab.train.config import CONFIG_FILE, TrainingConfig, input_digests, read_config
from liarsdice_lab.train.curriculum import INFERENCE_POLICY, make_table_setups, own_bot_tables, rules_beside_the_recipe
from liarsdice_lab.train.model import (
    Actor,
    Critic,
    PolicyNetwork,
    critic_file,
    export_critic,
    export_network,
    has_fast_bfloat16,
    is_finite,
    load_critic,
    load_network,
    load_optimizer,
    load_weights,
    load_weights_widened,
    policy_state,
    read_checkpoint,
    read_progress,
    update_ema,
)
from liarsdice_lab.train.ppo import NO_UPDATE, PPOLearner, UpdateStats
from liarsdice_lab.train.rollout import Experience, OpponentPlayer, TrainingTable
from liarsdice_lab.train.run_folder import append_row, drop_rows, replace_file

Weights = tuple[dict[str, Tensor], dict[str, Tensor]]
"""The state dictionaries of a policy and its critic."""
CollectExperience = Callable[[int, Weights], list[Experience]]
"""A function from the number of an iteration and the weights to the experience of each table."""


class Collector:
    """Plays the tables of a configuration. Each has its own seed, and its matches continue in the next iteration."""

    def __init__(self, config: TrainingConfig, device: str = "cpu") -> None:
        self._config = config
        fast = has_fast_bfloat16(device)
        self._policy = PolicyNetwork(FEATURE_COUNT, config.width, config.layers, bfloat16=fast).to(device)
        self._critic = Critic(FEATURE_COUNT, config.width, config.layers, bfloat16=fast).to(device)
        self._actor = Actor(self._policy, self._critic, device)
        self._setups = make_table_setups(config)
        self._tables: dict[int, TrainingTable] = {}

    def collect(self, iteration: int, table_ids: list[int], weights: Weights) -> list[Experience]:
        """Play `config.steps` decisions in each match of some tables with these weights; returns one item a table."""
        config = self._config
        self._policy.load_state_dict(weights[0])
        self._critic.load_state_dict(weights[1])
        for table_id in table_ids:
            if table_id not in self._tables:
                seed = config.seed * 100_003 + table_id * 1_009 + iteration
                self._tables[table_id] = TrainingTable(self._setups[table_id], seed)
        return [self._tables[table_id].play(config.steps, self._actor, config.ppo.gae_lambda) for table_id in table_ids]


def choose_tables(config: TrainingConfig, iteration: int) -> list[int]:
    """Return the indices of the tables that play in an iteration; the seed and the iteration determine them."""
    rng = np.random.default_rng((config.seed, iteration))
    table_ids: list[int] = rng.choice(config.tables, config.tables_per_iteration, replace=False).tolist()
    return table_ids


def collect_locally(config: TrainingConfig, device: str = "cpu") -> CollectExperience:
    """Return a function that plays in this process."""
    collector = Collector(config, device)
    return lambda iteration, weights: collector.collect(iteration, choose_tables(config, iteration), weights)


@contextmanager
def collect_with_processes(config: TrainingConfig, workers: int) -> Iterator[CollectExperience]:
    """Return a function that plays in so many processes of this machine, an iteration ahead of learning.

    The experience is that of `collect_with_ray`, whatever the number of processes.
    """
    with ExitStack() as stack:
        pools = [stack.enter_context(single_worker(_start_collector, (config,))) for _ in range(workers)]

        def submit(index: int, iteration: int, table_ids: list[int], weights: Weights) -> Callable[[], Any]:
            return pools[index].submit(_collect, iteration, table_ids, weights).result

        yield _collect_ahead(config, workers, submit)


_COLLECTORS: list[Collector] = []
"""The collector of a worker process."""


def _start_collector(config: TrainingConfig) -> None:
    torch.set_num_threads(1)
    _COLLECTORS.append(Collector(config))


def _collect(iteration: int, table_ids: list[int], weights: Weights) -> list[Experience]:
    return _COLLECTORS[0].collect(iteration, table_ids, weights)


@contextmanager
def collect_with_ray(config: TrainingConfig) -> Iterator[CollectExperience]:
    """Return a function that plays with Ray's actors, one for each processor but one, an iteration ahead of learning.

    An iteration plays with the weights that the iteration before it began with, whatever the number of actors. Raises
    `UnavailableError` if Ray is not installed.
    """
    with ray_running() as (ray, processors):
        actor_class = ray.remote(num_cpus=1)(Collector)
        actors: list[Any] = [actor_class.remote(config) for _ in range(max(1, processors - 1))]

        def submit(index: int, iteration: int, table_ids: list[int], weights: Weights) -> Callable[[], Any]:
            return partial(ray.get, actors[index].collect.remote(iteration, table_ids, weights))

        yield _collect_ahead(config, len(actors), submit, share=ray.put)


def _collect_ahead(
    config: TrainingConfig,
    workers: int,
    submit: Callable[[int, int, list[int], Any], Callable[[], Any]],
    share: Callable[[Weights], Any] = lambda weights: weights,
) -> CollectExperience:
    """Return a function that collects an iteration while the one before is learned from.

    `submit(worker, iteration, table_ids, weights)` starts to play and returns a function that waits for the result.
    `share`: makes the weights ready for being sent to several workers. Each table is always played by the same worker.
    """
    pending: dict[int, list[tuple[list[int], Callable[[], Any]]]] = {}

    def start(iteration: int, weights: Weights) -> None:
        shared_weights = share(weights)
        tables_by_worker: dict[int, list[int]] = {}
        for table_id in choose_tables(config, iteration):
            tables_by_worker.setdefault(table_id % workers, []).append(table_id)
        pending[iteration] = [
            (table_ids, submit(index, iteration, table_ids, shared_weights))
            for index, table_ids in tables_by_worker.items()
        ]

    def collect(iteration: int, weights: Weights) -> list[Experience]:
        if iteration not in pending:
            start(iteration, weights)
        if iteration + 1 < config.iterations:
            start(iteration + 1, weights)
        experience: dict[int, Experience] = {}
        for table_ids, result in pending.pop(iteration):
            experience |= zip(table_ids, result(), strict=True)
        return [experience[table_id] for table_id in choose_tables(config, iteration)]

    return collect


BASELINE = "champion@5"
Evaluation = tuple[str, int, Policy | None]
"""Rules, seats, and the policy in all seats but the first; None: the network of the baseline."""

EVALUATIONS: dict[str, Evaluation] = {
    f"{rules}, {seats}, {name}": (rules, seats, policy)
    for rules, seats, name, policy in (
        ("joker", 2, "threshold:0.3", ThresholdPolicy(0.3)),
        ("perudo", 2, "inference", INFERENCE_POLICY),
        ("perudo", 3, "threshold:0.4", ThresholdPolicy(0.4)),
        ("perudo", 4, "inference", INFERENCE_POLICY),
        ("perudo", 6, "threshold:0.4", ThresholdPolicy(0.4)),
        ("mustache", 2, "inference", INFERENCE_POLICY),
        ("mustache", 4, "inference", INFERENCE_POLICY),
        ("official", 2, "inference", INFERENCE_POLICY),
        (FULL, 2, "inference", INFERENCE_POLICY),
        ("basic", 2, "inference", INFERENCE_POLICY),
        ("chart", 2, "inference", INFERENCE_POLICY),
        ("joker", 2, BASELINE, None),
        ("perudo", 2, BASELINE, None),
        ("perudo", 4, BASELINE, None),
        ("mustache", 2, BASELINE, None),
    )
}
"""The evaluations of a run that learns all presets that are simulated, by column name.

Networks play without the solved endgames that a champion uses."""
EVALUATION_SEED = 987_654_321
"""A seed that no training run uses."""


def win_share(
    network: Network,
    rules: str,
    seats: int,
    opponent: Policy | Network,
    matches: int,
    seed: int = EVALUATION_SEED,
    *,
    champions: Collection[int] = (),
) -> float:
    """Return the share of `matches` that a network in seat 0 wins against the same opponent in all other seats.

    A match that ends with several winners counts in equal parts. 0..1; 1 / `seats` means equal strength. `champions`:
    seats with a network that play as a whole champion (see `OpponentPlayer`).
    """
    policies: list[Policy] = [ExternalPolicy()] * seats
    networks = {0: network}
    for seat in range(1, seats):
        if isinstance(opponent, Network):
            networks[seat] = opponent
        else:
            policies[seat] = opponent
    env = VectorEnv(compile_rules(find_rules(rules), seats), matches, seed=seed)
    selector = AgentSelector(env, tuple(policies))
    selector.advance()
    player = OpponentPlayer(env, selector, BatchObserver(env), networks, champions)
    player.play_turns(np.random.default_rng(seed))
    shares = env.won / np.maximum(env.won.sum(axis=1, keepdims=True), 1)
    return float(shares[:, 0].mean())


def evaluations_of(config: TrainingConfig) -> dict[str, Evaluation]:
    """Return the evaluations of a run, all under the rules that it learns.

    Under rules that `EVALUATIONS` do not have, a network plays at two and four seats, as far as the rules allow it,
    against `inference`, against random moves where the odds of the rules are not compiled, and against the
    baseline.
    """
    known = {name: evaluation for name, evaluation in EVALUATIONS.items() if evaluation[0] in config.rules}
    for name in rules_beside_the_recipe(config, (rules for rules, _, _ in EVALUATIONS.values())):
        seats = find_rules(name).players.min
        tables = [table for table in own_bot_tables(name) if table[2] == INFERENCE_POLICY]
        known |= {f"{rules}, {count}, inference": (rules, count, policy) for rules, count, policy in tables}
        if not tables:
            known[f"{name}, {seats}, random"] = name, seats, UniformPolicy()
        known[f"{name}, {seats}, {BASELINE}"] = name, seats, None
    return known


def evaluate(
    network: Network,
    matches: int,
    evaluations: Mapping[str, Evaluation] = EVALUATIONS,
    check: Callable[[], None] = lambda: None,
) -> dict[str, float]:
    """Return the win share of a network in each evaluation, with `matches` matches each.

    `check` is called before each one; what it raises ends them.
    """
    shares = dict[str, float]()
    for name, (rules, seats, policy) in evaluations.items():
        check()
        shares[name] = win_share(network, rules, seats, policy or baseline_network(BASELINE), matches)
    return shares


CHECKPOINT_FILE, CURVE_FILE, BEST_FILE = "checkpoint.pt", "curve.csv", "best.npz"
CURVE_STATS = ("policy", "value", "entropy", "moved")
"""The columns of the learning curve that hold `UpdateStats`."""
RECENT_ITERATIONS = 10
"""By how many of the latest iterations the time of the next ones is foretold."""


class Evaluated(NamedTuple):
    """The result of an evaluation after `iteration` iterations; `is_best`: no network of the run was better so far."""

    iteration: int
    figures: Figures
    is_best: bool


class TimeUpError(UnavailableError):
    """The time of a run is up during an evaluation, which is given up."""


class TrainingTimes:
    """How long the parts of a run take, by its clock, in seconds; for forecasts and for a limit of time.

    `evaluation_s`: None until an evaluation is known. The first iteration compiles and is not typical.
    """

    def __init__(self) -> None:
        self.evaluation_s: float | None = None
        self._iterations_s: deque[float] = deque(maxlen=RECENT_ITERATIONS)
        self._first_s: float | None = None

    def add_iteration(self, taken_s: float) -> None:
        """Note an iteration."""
        if self._first_s is None:
            self._first_s = taken_s
        else:
            self._iterations_s.append(taken_s)

    @property
    def iteration_s(self) -> float:
        """How long the next iteration takes, 0 before any."""
        if self._iterations_s:
            return sum(self._iterations_s) / len(self._iterations_s)
        return self._first_s or 0.0

    @property
    def is_typical(self) -> bool:
        """Whether an iteration after the first one is known, by which to foretell others."""
        return bool(self._iterations_s)


class Trainer:
    """A training run in a folder, new or resumed.

    `collect`: a function that plays an iteration ahead of learning (default: play in this process). `clock_s`: returns
    seconds since any moment. Learns on a GPU if PyTorch finds one. Raises `MalformedError` if the folder holds a run
    with another configuration, other rules or other networks, or a damaged one, and `UnavailableError` if a file cannot
    be read or written.
    """

    def __init__(
        self,
        folder: Path,
        config: TrainingConfig,
        collect: CollectExperience | None = None,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock_s, self._times, self._until_s = clock_s, TrainingTimes(), math.inf
        self.folder = folder
        self.config = config
        device = "cuda" if torch.cuda.is_available() else "cpu"
        fast = has_fast_bfloat16(device)
        self.policy = PolicyNetwork(FEATURE_COUNT, config.width, config.layers, bfloat16=fast).to(device)
        self.average = PolicyNetwork(FEATURE_COUNT, config.width, config.layers).to(device)
        self.critic = Critic(FEATURE_COUNT, config.width, config.layers, bfloat16=fast).to(device)
        self.learner = PPOLearner(self.policy, self.critic, config.ppo, config.seed)
        self.iterations_done = 0
        self.decisions = 0
        self.spent_s = 0.0
        self.best: Figures | None = None
        self._last_evaluated = 0
        self.evaluations = evaluations_of(config)
        self.measures = balance_measures(config)
        self._last_stats = NO_UPDATE
        self._digests = input_digests(config)
        has_checkpoint = (folder / CHECKPOINT_FILE).exists()
        if config.initial_weights and not has_checkpoint:
            self._load_initial_weights(config.initial_weights)
        has_config = self._check_stored_config()
        self.average.load_state_dict(self.policy.state_dict())
        self.learner.magnet.load_state_dict(self.policy.state_dict())
        if has_checkpoint:
            self._load_checkpoint(has_config=has_config)
        if not has_config:
            content = msgspec.json.format(msgspec.json.encode(config))
            replace_file(folder / CONFIG_FILE, lambda temporary: temporary.write_bytes(content))
        self._stale = collect is not None
        self._collect = collect or collect_locally(config, device)

    @property
    def best_file(self) -> Path:
        """The best network so far; until one is measured, the network of the latest pause."""
        return self.folder / BEST_FILE

    def _load_initial_weights(self, name: str) -> None:
        """Load policy and critic from the checkpoint of another run, or from a network and the critic kept with it."""
        try:
            if name.endswith(Path(CHECKPOINT_FILE).suffix):
                state = read_checkpoint(name)
                load_weights_widened(self.policy, state.get("average"))
                load_weights_widened(self.critic, state.get("critic"))
            else:
                load_weights_widened(self.policy, policy_state(load_network(name)))
                if (critic := load_critic(name)) is not None:
                    load_weights_widened(self.critic, policy_state(critic))
        except (OSError, ValueError) as error:
            raise UnavailableError(f"cannot start from {name}: {error_reason(error)}") from error

    def _check_stored_config(self) -> bool:
        """Make the folder, and return whether it holds this configuration; False if it holds none."""
        file = self.folder / CONFIG_FILE
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnavailableError(f"cannot write to {self.folder}: {error.strerror}") from error
        if not file.exists():
            return False
        stored = read_config(file, complete=True)
        changed = [name for name in stored.__struct_fields__ if getattr(stored, name) != getattr(self.config, name)]
        if changed:
            raise MalformedError(
                f"{self.folder} contains a run with another configuration (other {', '.join(changed)}); choose another"
                f" folder, with --start-from {self.folder / CHECKPOINT_FILE} to continue from its result"
            )
        return True

    def run(
        self,
        report: Callable[[int, UpdateStats, float], None],
        *,
        until_s: float = math.inf,
        stop: Callable[[], bool] = lambda: False,
        report_evaluation: Callable[[Evaluated], None] = lambda _evaluated: None,
    ) -> None:
        """Train until all iterations are done, the time is up, or `stop` returns True after an iteration.

        `until_s`: the time by `clock_s` at which the run ends. What would last longer does not begin, by what earlier
        iterations and evaluations took. While none is known, half of the time is left for the last evaluation, which is
        given up when the time is up. `report` is called after each iteration with the number of iterations done, the
        statistics of the update, and the decisions per second, and `report_evaluation` after each evaluation. Raises
        `UnavailableError` if a file cannot be written, or if weights are not finite.
        """
        self._until_s = until_s
        began_s = self._clock_s()
        drop_rows(self.folder / CURVE_FILE, later_than=self._last_evaluated)
        while not stop():
            out_of_time = self._is_out_of_time(began_s)
            if self._evaluation_is_due() or (out_of_time and self.iterations_done > self._last_evaluated):
                self.save()  # the evaluation takes long
                evaluated = self._evaluate()
                if evaluated is not None:
                    report_evaluation(evaluated)
                    continue  # what it took is known now
            if self.iterations_done == self.config.iterations or out_of_time:
                break
            start_s = self._clock_s()
            self._last_stats, decisions = self._iterate()
            taken_s = self._clock_s() - start_s
            self._times.add_iteration(taken_s)
            self.spent_s += taken_s
            self.iterations_done += 1
            self.decisions += decisions
            try:
                report(self.iterations_done, self._last_stats, decisions / max(taken_s, 1e-9))
            except BaseException:
                self.save()  # such as a closed pipe; what was learned is kept
                raise
        if self.iterations_done and (self.best is None or not self.best_file.exists()):
            self._keep_as_best(export_network(self.average, self.config.min_prob_ratio))
        self.save()

    def remaining_s(self) -> float | None:
        """Return how long the run goes on, None while too little is known to foretell that."""
        times, left_s = self._times, self._until_s - self._clock_s()
        if not times.is_typical:
            return None
        done, config = self.iterations_done, self.config
        evaluations = config.iterations // config.evaluate_every - done // config.evaluate_every
        evaluations += config.iterations % config.evaluate_every > 0
        iterations_s = (config.iterations - done) * times.iteration_s
        return min(iterations_s + evaluations * (times.evaluation_s or 0.0), max(left_s, 0.0))

    def _is_out_of_time(self, began_s: float) -> bool:
        """Return whether one more iteration and the evaluation after it would last too long."""
        if math.isinf(self._until_s):
            return False
        evaluation_s = self._times.evaluation_s
        reserve_s = (self._until_s - began_s) / 2 if evaluation_s is None else evaluation_s
        return self._clock_s() + self._times.iteration_s + reserve_s >= self._until_s

    def _evaluation_is_due(self) -> bool:
        done, config = self.iterations_done, self.config
        is_scheduled = done % config.evaluate_every == 0 or done == config.iterations
        return is_scheduled and done > self._last_evaluated

    def _iterate(self) -> tuple[UpdateStats, int]:
        """Collect experience and update; returns the statistics of the update and the number of decisions."""
        tables = self._collect(self.iterations_done, (_state_on_cpu(self.policy), _state_on_cpu(self.critic)))
        progress = self.iterations_done / self.config.iterations
        stats = self.learner.update(tables, progress, stale=self._stale)
        if not (is_finite(self.policy) and is_finite(self.critic)):
            raise UnavailableError(
                f"iteration {self.iterations_done + 1} produced values that are not numbers; start another folder with"
                f" a smaller `learning_rate` under `ppo` in the configuration (see {self.folder / CONFIG_FILE})"
            )
        update_ema(self.average, self.policy, self.iterations_done, self.config.ppo.ema_rate)
        return stats, sum(len(table.actions) for table in tables)

    def _evaluate(self) -> Evaluated | None:
        """Add a row to the learning curve, keep the averaged policy if it is the best so far, and save.

        Returns None, and does nothing of that, if there is too little time.
        """
        start_s = self._clock_s()
        if start_s + (self._times.evaluation_s or 0.0) > self._until_s:
            return None
        network = export_network(self.average, self.config.min_prob_ratio)
        try:
            shares = evaluate(network, self.config.evaluation_matches, self.evaluations, self._check_time)
            balance = measure_balance(network, self.measures, self._check_time)
        except TimeUpError:
            return None
        figures = figures_of(balance, float(np.mean(list(shares.values()))))
        measured = {**balance.columns, "strength": figures.strength, **shares}
        columns = ["iteration", "decisions", "hours", *measured, *CURVE_STATS]
        row = [self.iterations_done, self.decisions, round(self.spent_s / 3600, 4)]
        row += [round(value, 4) for value in (*measured.values(), *self._last_stats)]
        append_row(self.folder / CURVE_FILE, columns, row)
        is_best = self.best is None or figures.rank < self.best.rank
        if is_best:
            self.best = figures
            self._keep_as_best(network)
        self._last_evaluated = self.iterations_done
        self.save()
        self._times.evaluation_s = self._clock_s() - start_s
        return Evaluated(self.iterations_done, figures, is_best)

    def _check_time(self) -> None:
        if self._clock_s() > self._until_s:
            raise TimeUpError("the time of the run was up before its evaluation")

    def _keep_as_best(self, network: Network) -> None:
        """Store a network and the critic beside it."""
        replace_file(self.best_file, network.save)
        replace_file(critic_file(self.best_file), export_critic(self.critic).save)

    def save(self) -> None:
        """Write the checkpoint atomically. Raises `UnavailableError` if it cannot be written."""
        state: dict[str, Any] = {
            "player": self.policy.state_dict(),
            "average": self.average.state_dict(),
            "critic": self.critic.state_dict(),
            "optimizer": self.learner.optimizer.state_dict(),
            **({"magnet": self.learner.magnet.state_dict()} if self.config.ppo.magnet_weight else {}),
            "iterations_done": self.iterations_done,
            "decisions": self.decisions,
            "spent_s": self.spent_s,
            "best_strength": -1.0 if self.best is None else self.best.strength,
            "best_balance": (None, None, None) if self.best is None else self.best[:3],
            "last_evaluated": self._last_evaluated,
            "last_stats": tuple(self._last_stats),
            "input_digests": self._digests,
        }
        buffer = BytesIO()  # so that a full disk gives a clear error
        torch.save(state, buffer)
        replace_file(self.folder / CHECKPOINT_FILE, lambda temporary: temporary.write_bytes(buffer.getbuffer()))

    def _load_checkpoint(self, *, has_config: bool) -> None:
        """Resume from the checkpoint in the folder, after checking that it was trained with the same inputs."""
        file = self.folder / CHECKPOINT_FILE
        try:
            state = read_checkpoint(file)
            progress = read_progress(state, self.config.iterations)
            load_weights(self.policy, state.get("player"))
            load_weights(self.average, state.get("average"))
            load_weights(self.critic, state.get("critic"))
            if self.config.ppo.magnet_weight:
                load_weights(self.learner.magnet, state.get("magnet"))
            load_optimizer(self.learner.optimizer, state.get("optimizer"))
        except OSError as error:
            raise UnavailableError(f"{file} cannot be read: {error.strerror or error}") from error
        except ValueError as error:
            lost_config = f"{CONFIG_FILE} is missing: name the configuration of the run (--config), or "
            advice = "" if has_config else lost_config
            raise MalformedError(f"{file} cannot be read: {error}; {advice}delete it to start again") from error
        stored = progress.input_digests
        if not has_config and not set(self.config.rules) <= stored.keys() <= self._digests.keys():
            raise MalformedError(
                f"{self.folder} was trained with another configuration, and its {CONFIG_FILE} is missing; restore"
                " it, or name it (--config)"
            )
        if changed := [name for name, digest in self._digests.items() if stored.get(name, digest) != digest]:
            raise MalformedError(
                f"these changed since {self.folder} was trained: {', '.join(changed)}; restore them, or choose another"
                f" folder, with --start-from {file} to continue from the result"
            )
        self.iterations_done, self.decisions = progress.iterations_done, progress.decisions
        self.spent_s = progress.spent_s
        if progress.best_strength >= 0:
            self.best = Figures(*progress.best_balance, progress.best_strength)
        self._last_evaluated = progress.last_evaluated
        self._last_stats = UpdateStats(*progress.last_stats)


def _state_on_cpu(module: torch.nn.Module) -> dict[str, Tensor]:
    return {name: tensor.detach().cpu() for name, tensor in module.state_dict().items()}
