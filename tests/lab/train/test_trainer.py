"""Training runs: they start from networks, stop, resume, and are resumed only with the same inputs."""

import csv
import math
import multiprocessing
import os
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch

from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.champions import baseline_network
from liarsdice.bots.neural.features import ACTION_COUNT, FEATURE_COUNT
from liarsdice.bots.neural.network import Network
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.sim.policies import ThresholdPolicy
from liarsdice_lab.train.balance import Balance, Figures
from liarsdice_lab.train.config import CONFIG_FILE, BalanceConfig, PPOConfig, TrainingConfig, load_config, read_config
from liarsdice_lab.train.curriculum import own_bot_tables
from liarsdice_lab.train.model import (
    HIDDEN_FEATURE_COUNT,
    Critic,
    PolicyNetwork,
    critic_file,
    export_critic,
    export_network,
    load_critic,
    update_ema,
)
from liarsdice_lab.train.ppo import UpdateStats
from liarsdice_lab.train.rollout import Experience
from liarsdice_lab.train.run_folder import append_row, drop_rows, lock_folder, replace_file
from liarsdice_lab.train.trainer import (
    BEST_FILE,
    CHECKPOINT_FILE,
    CURVE_FILE,
    EVALUATIONS,
    Evaluated,
    Trainer,
    Weights,
    choose_tables,
    collect_locally,
    collect_with_processes,
    evaluate,
    evaluations_of,
    win_share,
)
from tests.lab.train.training_configs import SMALL, SMALL_BALANCE, evaluated_iterations, ignore_report


@pytest.mark.parametrize("width", [256, 300])
def test_a_run_may_start_from_a_network_of_its_width_or_narrower(width: int, tmp_path: Path) -> None:
    config = msgspec.structs.replace(SMALL, width=width, layers=2, initial_weights="champion@5")
    run = Trainer(tmp_path, config)
    rng = np.random.default_rng(1)
    features, action_mask = rng.random((5, FEATURE_COUNT)).astype(np.float32), np.ones((5, ACTION_COUNT), np.bool_)
    for policy in (run.policy, run.average):
        assert export_network(policy).action_probs(features, action_mask) == pytest.approx(
            baseline_network("champion@5").action_probs(features, action_mask), abs=1e-6
        )


class KilledError(Exception):
    """Ends a run in the middle of an iteration, as a kill would."""


def test_a_run_that_was_killed_resumes_from_its_checkpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = msgspec.structs.replace(SMALL, width=16, evaluation_matches=20)
    reported: list[int] = []

    def report(iterations_done: int, _stats: UpdateStats, _decisions_per_s: float) -> None:
        reported.append(iterations_done)

    def update_ema_or_die(average: PolicyNetwork, policy: PolicyNetwork, updates: int, rate: float) -> None:
        if updates == 2:
            raise KilledError
        update_ema(average, policy, updates, rate)

    with monkeypatch.context() as patched:
        patched.setattr("liarsdice_lab.train.trainer.update_ema", update_ema_or_die)
        with pytest.raises(KilledError):
            Trainer(tmp_path, config).run(report)
    resumed = Trainer(tmp_path, config)
    assert resumed.iterations_done == 2
    resumed.run(report)
    assert reported == [1, 2, 3, 4]
    with (tmp_path / CURVE_FILE).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["iteration"]) for row in rows] == [2, 4]
    assert all(0 <= float(row["strength"]) <= 1 for row in rows)
    assert Network.load(tmp_path / BEST_FILE).weights[0].shape == (FEATURE_COUNT, 16)
    with pytest.raises(MalformedError, match="contains a run with another configuration"):
        Trainer(tmp_path, msgspec.structs.replace(config, width=17))


def test_a_run_stops_after_the_current_iteration_and_evaluates_when_it_resumes(tmp_path: Path) -> None:
    run = Trainer(tmp_path, SMALL)
    run.run(ignore_report, stop=lambda: run.iterations_done == 2)
    assert run.iterations_done == 2
    assert not (tmp_path / CURVE_FILE).exists()
    Trainer(tmp_path, SMALL).run(ignore_report)
    assert evaluated_iterations(tmp_path) == [2, 4]


def test_an_iteration_is_on_the_curve_once(tmp_path: Path) -> None:
    run = Trainer(tmp_path, SMALL)
    run.run(ignore_report, stop=lambda: run.iterations_done == 3)
    with (tmp_path / CURVE_FILE).open("a", newline="") as file:
        file.write("4,1,1\r\n6,1,1\r\n6,")
    Trainer(tmp_path, SMALL).run(ignore_report)
    assert evaluated_iterations(tmp_path) == [2, 4]


def temporary_path(path: Path) -> Path:
    """Return the path at which this process writes a file before it replaces the older one."""
    return path.with_name(f"{path.stem}.{os.getpid()}.part{path.suffix}")


@pytest.mark.parametrize("name", [CHECKPOINT_FILE, CURVE_FILE, BEST_FILE])
def test_a_full_disk_is_reported(name: str, tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no disk that is always full")
    run = Trainer(tmp_path, SMALL)
    temporary_path(tmp_path / name).symlink_to(full)
    with pytest.raises(UnavailableError, match=rf"cannot write .*{name}: No space left"):
        run.run(ignore_report, stop=lambda: run.iterations_done == 3)


def test_a_checkpoint_that_cannot_be_written_leaves_the_older_one(tmp_path: Path) -> None:
    run = Trainer(tmp_path, SMALL)
    run.save()
    temporary_path(tmp_path / CHECKPOINT_FILE).mkdir()
    with pytest.raises(UnavailableError, match=r"cannot write .*checkpoint\.pt"):
        run.save()
    assert Trainer(tmp_path, SMALL).iterations_done == 0


def test_a_run_whose_plan_was_lost_resumes_with_the_same_plan_only(
    paused_state: dict[str, Any], tmp_path: Path
) -> None:
    torch.save(paused_state, tmp_path / CHECKPOINT_FILE)
    with pytest.raises(
        MalformedError, match=r"2 layers of 256; plan.json is missing: name the configuration of the run \(--config\)"
    ):
        Trainer(tmp_path, TrainingConfig())
    with pytest.raises(MalformedError, match=r"was trained with another configuration, and its plan\.json is missing"):
        Trainer(tmp_path, msgspec.structs.replace(SMALL, rules=("joker", "basic")))
    assert not (tmp_path / CONFIG_FILE).exists()
    assert Trainer(tmp_path, SMALL).iterations_done == 2
    assert read_config(tmp_path / CONFIG_FILE) == SMALL


def test_a_run_does_not_resume_with_other_rules(tmp_path: Path) -> None:
    house, folder = tmp_path / "house.toml", tmp_path / "run"
    house.write_text('extends = "joker"\n')
    config = msgspec.structs.replace(SMALL, rules=(str(house),))
    Trainer(folder, config).save()
    house.write_text('extends = "joker"\n[labels]\ngame = "Ours"\n')
    Trainer(folder, config)
    house.write_text('extends = "joker"\n[dice]\nper_player = 4\n')
    with pytest.raises(MalformedError, match=r"these changed since .* was trained: .*house.toml; restore them"):
        Trainer(folder, config)


@pytest.mark.parametrize("field", ["opponents", "teachers"])
def test_a_run_does_not_resume_with_other_networks(field: str, tmp_path: Path) -> None:
    file, folder = tmp_path / "network.npz", tmp_path / "run"
    older, newer = PolicyNetwork(FEATURE_COUNT, 8, 1), PolicyNetwork(FEATURE_COUNT, 8, 1)
    export_network(older).save(file)
    name = str(file)
    config = msgspec.structs.replace(SMALL, **{field: (name,) if field == "opponents" else {SMALL.rules[0]: name}})
    Trainer(folder, config).save()
    Trainer(folder, config)
    export_network(newer).save(file)
    with pytest.raises(MalformedError, match=r"these changed since .* was trained: .*network\.npz; restore them"):
        Trainer(folder, config)


def test_weights_that_are_not_finite_are_not_saved(tmp_path: Path) -> None:
    run = Trainer(tmp_path, SMALL)
    run.save()
    with torch.no_grad():
        next(run.critic.parameters()).fill_(math.nan)
    with pytest.raises(
        UnavailableError, match="iteration 1 produced values that are not numbers; start another folder"
    ):
        run.run(ignore_report)
    assert Trainer(tmp_path, SMALL).iterations_done == 0
    assert (tmp_path / CONFIG_FILE).exists()


def test_a_checkpoint_of_a_run_with_one_ruleset_teaches_a_run_that_pauses_and_resumes(tmp_path: Path) -> None:
    small = TrainingConfig(
        rules=("perudo",),
        iterations=2,
        width=8,
        tables=2,
        tables_per_iteration=2,
        matches=8,
        steps=8,
        evaluation_matches=1,
        balance=SMALL_BALANCE,
    )
    Trainer(tmp_path / "teacher", small).save()
    teacher = str(tmp_path / "teacher" / CHECKPOINT_FILE)
    rules = tmp_path / "house.toml"
    rules.write_text('extends = "perudo"\n[dice]\nper_player = 4\n')
    names, folder = ("perudo", str(rules)), tmp_path / "learner"
    changes = {"rules": names, "width": 16, "iterations": 3, "teachers": dict.fromkeys(names, teacher)}
    config = load_config(
        folder, None, msgspec.to_builtins(small) | changes | {"ppo": PPOConfig(), "balance": SMALL_BALANCE}
    )
    reported: list[int] = []

    def report(iterations_done: int, _stats: UpdateStats, _decisions_per_s: float) -> None:
        reported.append(iterations_done)

    Trainer(folder, config).run(report, stop=lambda: len(reported) == 1)
    assert load_config(folder, None, {}) == config
    Trainer(folder, config).run(report)
    assert reported == [1, 2, 3]


def test_a_network_is_kept_at_every_pause(tmp_path: Path) -> None:
    run = Trainer(tmp_path, msgspec.structs.replace(SMALL, evaluate_every=100, iterations=100))
    run.run(ignore_report, stop=lambda: run.iterations_done == 1)
    first = Network.load(tmp_path / BEST_FILE)
    assert (run.best, (tmp_path / CURVE_FILE).exists()) == (None, False)
    run.run(ignore_report, stop=lambda: run.iterations_done == 2)
    assert not np.array_equal(Network.load(tmp_path / BEST_FILE).weights[0], first.weights[0])


@pytest.mark.parametrize(
    "until_s, evaluation_s, iterations, measured, ended_s",
    [
        (300, 20, 20, [9, 20], 290),  # 60 + 8 x 10 + 20, then what another evaluation leaves
        (300, 150, 9, [9], 290),  # what is left then is too little for another
        (300, 1000, 9, [], 340),  # given up after its first part
        (50, 10, 1, [], 60),  # the first iteration took it all
        (0, 10, 0, [], 0),
    ],
)
def test_a_run_ends_with_its_time_and_the_evaluation_is_part_of_it(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    until_s: int,
    evaluation_s: int,
    iterations: int,
    measured: list[int],
    ended_s: int,
) -> None:
    """The clock of the test goes on by 60 s in the first iteration, which compiles, and by 10 s in each later one."""
    now_s = 0.0
    forecasts: list[float | None] = []

    def learned(average: PolicyNetwork, policy: PolicyNetwork, done: int, rate: float) -> None:
        nonlocal now_s
        now_s += 10 if done else 60
        update_ema(average, policy, done, rate)

    def win_share(*_: object) -> float:
        nonlocal now_s
        now_s += evaluation_s / 5
        return 0.5

    monkeypatch.setattr("liarsdice_lab.train.trainer.update_ema", learned)
    monkeypatch.setattr("liarsdice_lab.train.trainer.win_share", win_share)
    config = msgspec.structs.replace(
        SMALL, evaluate_every=100, iterations=100, balance=BalanceConfig(rules=(), hunter_rounds=0, response_reach=None)
    )
    monkeypatch.setattr(
        "liarsdice_lab.train.trainer.evaluations_of", lambda _: {str(part): ("joker", 2, None) for part in range(5)}
    )
    run = Trainer(tmp_path, config, clock_s=lambda: now_s)
    run.run(lambda *_: forecasts.append(run.remaining_s()), until_s=until_s)
    assert run.iterations_done == iterations
    assert (evaluated_iterations(tmp_path) if measured else []) == measured
    assert now_s == pytest.approx(ended_s)
    assert Trainer(tmp_path, config).iterations_done == iterations
    assert forecasts[:1] == [None][:iterations], "one iteration, with compilation, tells nothing of the others"
    assert all(left is not None and 0 <= left <= until_s for left in forecasts[1:])


def test_the_best_network_is_the_least_exploitable_one_with_its_critic(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    worst = iter((0.5, 0.304, 0.296, 0.4))
    shares = iter((0.2, 0.1, 0.3, 0.9))
    monkeypatch.setattr(
        "liarsdice_lab.train.trainer.measure_balance", lambda *_: Balance({"worst": next(worst)}, {}, {})
    )
    monkeypatch.setattr("liarsdice_lab.train.trainer.evaluate", lambda *_: {"share": next(shares)})
    run = Trainer(tmp_path, msgspec.structs.replace(SMALL, evaluate_every=1))
    evaluated: list[Evaluated] = []
    critics = []

    def report(result: Evaluated) -> None:
        evaluated.append(result)
        critics.append(export_critic(run.critic).biases[0].astype(np.float16))

    run.run(ignore_report, report_evaluation=report)
    assert [(result.iteration, result.is_best) for result in evaluated] == [(1, True), (2, True), (3, True), (4, False)]
    assert run.best == Figures(0.296, None, None, 0.3)
    kept = load_critic(str(tmp_path / BEST_FILE))
    assert kept is not None
    assert np.array_equal(kept.biases[0], critics[2].astype(np.float32))
    assert not np.array_equal(critics[2], critics[3])
    assert Trainer(tmp_path, run.config).best == run.best
    with (tmp_path / CURVE_FILE).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["worst"]) for row in rows] == [0.5, 0.304, 0.296, 0.4]


def test_another_run_starts_from_a_network_and_its_critic(tmp_path: Path) -> None:
    run = Trainer(tmp_path / "first", SMALL)
    run.run(ignore_report)
    best = tmp_path / "first" / BEST_FILE
    config = msgspec.structs.replace(SMALL, initial_weights=str(best))
    started = Trainer(tmp_path / "second", config)
    features, hidden = torch.rand(5, FEATURE_COUNT), torch.rand(5, HIDDEN_FEATURE_COUNT)
    kept = load_critic(str(best))
    assert kept is not None
    expected = kept.outputs(torch.cat([features, hidden], dim=1).numpy())[:, 0]
    assert started.critic(features, hidden).detach().numpy() == pytest.approx(expected, abs=1e-4)
    critic_file(best).write_bytes(b"damaged")
    with pytest.raises(UnavailableError, match=r"cannot start from .*best-critic\.npz holds no critic"):
        Trainer(tmp_path / "third", config)


def test_the_average_moves_at_the_rate_of_the_configuration(tmp_path: Path) -> None:
    config = msgspec.structs.replace(SMALL, ppo=PPOConfig(ema_rate=1.0))
    run = Trainer(tmp_path, config)
    run.run(ignore_report, stop=lambda: run.iterations_done == 3)
    assert all(map(torch.equal, run.average.parameters(), run.policy.parameters()))
    slow = Trainer(tmp_path / "slow", SMALL)
    slow.run(ignore_report, stop=lambda: slow.iterations_done == 3)
    assert not all(map(torch.equal, slow.average.parameters(), slow.policy.parameters()))


def untrained_network() -> Network:
    """A small network, which decides faster than the champion."""
    torch.manual_seed(5)
    return export_network(PolicyNetwork(FEATURE_COUNT, 16, 1))


def test_a_trained_network_wins_more_than_an_untrained_one() -> None:
    assert win_share(untrained_network(), "joker", 2, ThresholdPolicy(0.4), 200) < 0.2
    assert win_share(champion_network(), "joker", 2, ThresholdPolicy(0.4), 200) > 0.5


def test_a_network_against_itself_wins_one_part_of_as_many_as_there_are_seats() -> None:
    network = untrained_network()
    assert win_share(network, "perudo", 2, network, 2000) == pytest.approx(1 / 2, abs=0.04)
    assert win_share(network, "perudo", 4, network, 2000) == pytest.approx(1 / 4, abs=0.04)


def test_a_network_plays_at_tables_with_more_seats_than_it_was_trained_for() -> None:
    assert 0 <= win_share(champion_network(), "perudo", 9, champion_network(), 2) <= 1


def test_a_run_of_all_presets_is_measured_as_the_champion_was() -> None:
    assert evaluations_of(TrainingConfig()) == EVALUATIONS


def test_strength_is_measured_on_the_rules_that_a_run_learns(tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text('extends = "perudo"\n[dice]\nper_player = 2\n[players]\nmin = 3\n', encoding="utf-8")
    evaluations = evaluations_of(TrainingConfig(rules=("joker", "bluff", str(house))))
    assert {rules for rules, _, _ in evaluations.values()} == {"joker", "bluff", str(house)}
    assert [name for name in evaluations if name.startswith("bluff")] == [
        "bluff, 2, inference",
        "bluff, 4, inference",
        "bluff, 2, champion@5",
    ]
    assert [seats for rules, seats, _ in evaluations.values() if rules == str(house)] == [3, 4, 3]
    shares = evaluate(untrained_network(), 4, {k: v for k, v in evaluations.items() if v[0] == str(house)})
    assert all(0 <= share <= 1 for share in shares.values())


def test_rules_whose_odds_are_not_compiled_are_measured_against_random_moves(tmp_path: Path) -> None:
    house = tmp_path / "natural.toml"
    house.write_text('extends = "snyd-stairs+loser-pays"\nwilds.needs_natural = true\n', encoding="utf-8")
    assert own_bot_tables(str(house)) == []
    names = [f"{house}, 2, random", f"{house}, 2, champion@5"]
    assert list(evaluations_of(TrainingConfig(rules=(str(house),)))) == names


def test_a_folder_is_locked_by_one_program_at_a_time(tmp_path: Path) -> None:
    with (
        lock_folder(tmp_path / "run"),
        pytest.raises(UnavailableError, match="another program trains in"),
        lock_folder(tmp_path / "run"),
    ):
        pass
    with lock_folder(tmp_path / "run"):
        pass


def test_a_curve_that_does_not_exist_has_no_rows_to_drop(tmp_path: Path) -> None:
    drop_rows(tmp_path / CURVE_FILE, later_than=3)
    assert not (tmp_path / CURVE_FILE).exists()


def test_rows_of_later_iterations_and_incomplete_rows_are_dropped(tmp_path: Path) -> None:
    file = tmp_path / CURVE_FILE
    for iteration in (2, 4, 6):
        append_row(file, ["iteration", "strength"], [iteration, 0.5])
    with file.open("a", newline="") as opened:
        opened.write("abc")
    drop_rows(file, later_than=4)
    assert file.read_bytes() == b"iteration,strength\r\n2,0.5\r\n4,0.5\r\n"


def test_a_file_that_cannot_be_written_leaves_the_older_one(tmp_path: Path) -> None:
    file = tmp_path / "best.npz"
    replace_file(file, lambda temporary: temporary.write_bytes(b"older"))

    def fail(temporary: Path) -> None:
        temporary.write_bytes(b"new")
        raise OSError(28, "No space left on device")

    with pytest.raises(UnavailableError, match=r"cannot write .*best\.npz: No space left"):
        replace_file(file, fail)
    assert file.read_bytes() == b"older"
    assert [path.name for path in tmp_path.iterdir()] == ["best.npz"]


CONFIG = TrainingConfig(
    rules=("perudo",), iterations=2, width=8, layers=1, tables=6, tables_per_iteration=4, matches=8, steps=8
)


def initial_weights() -> Weights:
    torch.manual_seed(1)
    return PolicyNetwork(FEATURE_COUNT, 8, 1).state_dict(), Critic(FEATURE_COUNT, 8, 1).state_dict()


def are_equal(left: Experience, right: Experience) -> bool:
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in left._fields)


@pytest.mark.parametrize("workers", [1, 2])
def test_processes_collect_the_same_experience(workers: int) -> None:
    other_children = set(multiprocessing.active_children())
    collect, weights = collect_locally(CONFIG), initial_weights()
    expected = [collect(iteration, weights) for iteration in range(2)]
    with collect_with_processes(CONFIG, workers) as collect_in_processes:
        collected = [collect_in_processes(iteration, weights) for iteration in range(2)]
    for left, right in zip(expected, collected, strict=True):
        assert all(are_equal(*pair) for pair in zip(left, right, strict=True))
    assert set(multiprocessing.active_children()) <= other_children


def test_each_table_has_its_own_seed() -> None:
    weights = initial_weights()
    assert choose_tables(CONFIG, 0) != choose_tables(CONFIG, 1)
    first = collect_locally(CONFIG)(0, weights)
    assert not are_equal(first[0], first[1])
    again = collect_locally(CONFIG)(0, weights)
    assert all(are_equal(*pair) for pair in zip(first, again, strict=True))
