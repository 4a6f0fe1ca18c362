"""Rollouts, updates and whole runs: what is learned from, that it is learned, and that a run goes on."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.features import ACTION_COUNT, BID_ACTIONS, FEATURE_COUNT, NetworkInput
from liarsdice.bots.neural.network import Network
from liarsdice.bots.neural.observation import BoolArray, FloatArray, IntArray
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.presets import preset
from liarsdice.sim.policies import ExternalPolicy, ThresholdPolicy
from liarsdice.train.config import PPOConfig, TrainingConfig
from liarsdice.train.evaluate import win_share
from liarsdice.train.load_networks import load_network
from liarsdice.train.model import Actor, Critic, PolicyNetwork, export_network, update_ema
from liarsdice.train.opponents import sample_actions
from liarsdice.train.ppo import PPOLearner, UpdateStats
from liarsdice.train.rollout import Experience, TableSetup, TrainingTable, advantages
from liarsdice.train.trainer import BEST_FILE, CURVE_FILE, Trainer


def test_advantages_are_those_of_each_seat_s_own_decisions() -> None:
    rng = np.random.default_rng(1)
    steps, matches, count, keep = 12, 5, 3, 0.8
    seats = rng.integers(0, count, (steps, matches))
    over = rng.random((steps, matches)) < 0.2
    out = rng.random((steps, matches, count)) < 0.1
    share = np.where(over[:, :, np.newaxis], rng.random((steps, matches, count)), 0).astype(np.float32)
    values = rng.random((steps, matches)).astype(np.float32)
    advantage, target, known = compute_gae(seats, over, out, share, values, keep)
    for match in range(matches):
        for step in range(steps):
            found = _plainly(step, match, seats, over, out, share, values, keep)
            assert known.reshape(steps, matches)[step, match] == (found is not None)
            if found is not None:
                assert advantage[step, match] == pytest.approx(found, abs=1e-5)
                assert target[step, match] == pytest.approx(found + values[step, match], abs=1e-5)


def _plainly(
    step: int,
    match: int,
    seats: IntArray,
    over: BoolArray,
    out: BoolArray,
    share: FloatArray,
    values: FloatArray,
    keep: float,
) -> float | None:
    """The sum of what each later decision was better than the one before, or None where nothing came of it."""
    seat = seats[step, match]
    for later in range(step, len(seats)):
        if over[later, match] or out[later, match, seat]:
            return float(share[later, match, seat] - values[step, match])
        if later + 1 < len(seats) and seats[later + 1, match] == seat:
            gain = float(values[later + 1, match] - values[step, match])
            return gain + keep * (_plainly(later + 1, match, seats, over, out, share, values, keep) or 0.0)
    return None


class Fixed:
    """Decides alike in every case, and counts what it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(
        self, reading: NetworkInput, hidden: FloatArray, _chance: np.random.Generator
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        self.asked += len(hidden)
        assert reading.action_mask.any(axis=1).all()
        return reading.action_mask.argmax(axis=1), np.zeros(len(hidden), np.float32), np.zeros(len(hidden), np.float32)


def test_a_table_plays_on_and_tells_what_came_of_it() -> None:
    fixed = Fixed()
    table = TrainingTable(
        TableSetup(preset("perudo").ruleset, (ExternalPolicy(), ThresholdPolicy(0.4), ExternalPolicy()), 8), seed=3
    )
    first, second = table.play(40, fixed, 1.0), table.play(40, fixed, 1.0)
    assert fixed.asked == 2 * 40 * 8
    for part in (first, second):
        assert 0.7 * 320 <= len(part.answers) <= 320
        assert part.numbers.shape == (len(part.answers), FEATURE_COUNT)
        assert part.legal[np.arange(len(part.answers)), part.answers].all()
        assert set(np.unique(part.target)) <= {0, 1}  # no value was expected, so that only ends count


def test_an_update_makes_better_answers_likelier() -> None:
    torch.manual_seed(1)
    player, critic = PolicyNetwork(FEATURE_COUNT, 32, 1), Critic(FEATURE_COUNT, 32, 1)
    rows = 512
    rng = np.random.default_rng(2)
    numbers = rng.random((rows, FEATURE_COUNT)).astype(np.float32)
    legal = np.zeros((rows, ACTION_COUNT), np.bool_)
    legal[:, [3, 7, BID_ACTIONS]] = True
    answers = rng.choice([3, 7, BID_ACTIONS], rows)
    better = (answers == 7).astype(np.float32)
    even = np.full(rows, -np.log(3), np.float32)
    hidden, untaught = np.zeros((rows, 8), np.float32), np.zeros(legal.shape, np.float32)
    part = Experience(numbers, hidden, legal, answers, even, better, better, untaught)
    learner = PPOLearner(player, critic, PPOConfig(minibatch=128, entropy_weight=0.0, final_entropy_weight=0.0), seed=1)
    told = [learner.update([part], 0.0) for _ in range(20)]
    chances = export_network(player).action_probs(numbers, legal)
    assert chances[:, 7].mean() > 0.6
    assert chances.sum(axis=1) == pytest.approx(np.ones(rows), abs=1e-5)
    assert chances[~legal].max() == 0
    assert told[-1].value < told[0].value


def test_stale_experience_is_measured_from_the_weights_of_now() -> None:
    rng, rows = np.random.default_rng(2), 256
    numbers = rng.random((rows, FEATURE_COUNT)).astype(np.float32)
    legal = np.zeros((rows, ACTION_COUNT), np.bool_)
    legal[:, [3, 7]] = True
    answers, advantage = rng.choice([3, 7], rows), rng.random(rows).astype(np.float32)
    hidden, even = np.zeros((rows, 8), np.float32), np.full(rows, -np.log(2), np.float32)
    untaught = np.zeros(legal.shape, np.float32)
    part = Experience(numbers, hidden, legal, answers, even, advantage, advantage, untaught)
    learned = []
    for stale in (False, True):
        torch.manual_seed(1)
        player, critic = PolicyNetwork(FEATURE_COUNT, 16, 1), Critic(FEATURE_COUNT, 16, 1)
        logs = np.log(export_network(player).action_probs(numbers, legal)[np.arange(rows), answers])
        right = part._replace(logs=even * 3 if stale else logs)
        PPOLearner(player, critic, PPOConfig(minibatch=64), seed=1).update([right], 0.0, stale=stale)
        learned.append(export_network(player).action_probs(numbers, legal))
    assert learned[0] == pytest.approx(learned[1], abs=1e-4)


def test_numpy_plays_as_the_trained_network_does(tmp_path: Path) -> None:
    torch.manual_seed(3)
    player = PolicyNetwork(FEATURE_COUNT, 48, 2)
    for layer in player.parameters():
        torch.nn.init.normal_(layer, std=0.2)
    rng = np.random.default_rng(4)
    numbers = rng.random((64, FEATURE_COUNT)).astype(np.float32)
    legal = rng.random((64, ACTION_COUNT)) < 0.5
    legal[:, 0] = True
    with torch.inference_mode():
        logits = player(torch.from_numpy(numbers), torch.from_numpy(legal))
        wanted = torch.softmax(logits, dim=1).numpy()
    network = export_network(player)
    assert network.action_probs(numbers, legal) == pytest.approx(wanted, abs=1e-5)
    for hardly in (0.0, 0.05, 0.2):
        given = Network(
            network.weights, network.biases, hardly, answers_out_of_turn=hardly > 0, knows_stairs=hardly > 0.1
        )
        given.save(tmp_path / "one.npz")
        kept = Network.load(tmp_path / "one.npz")
        assert (kept.min_prob_ratio, kept.answers_out_of_turn, kept.knows_stairs) == (hardly, hardly > 0, hardly > 0.1)
        assert kept.action_probs(numbers, legal) == pytest.approx(wanted, abs=0.05)
        pure = kept.drop_unlikely(wanted)
        assert (pure.argmax(axis=1) == wanted.argmax(axis=1)).all()
        assert ((pure == 0) == (wanted < hardly * wanted.max(axis=1, keepdims=True)) | (wanted == 0)).all()


@pytest.mark.parametrize("width", [256, 300])
def test_a_run_may_begin_with_a_network_of_its_width_or_narrower(width: int, tmp_path: Path) -> None:
    run = Trainer(tmp_path, plan(width=width, layers=2, initial_weights="champion@1"))
    rng = np.random.default_rng(1)
    numbers, legal = rng.random((5, FEATURE_COUNT)).astype(np.float32), np.ones((5, ACTION_COUNT), np.bool_)
    for player in (run.policy, run.average):
        assert export_network(player).action_probs(numbers, legal) == pytest.approx(
            champion_network(1).action_probs(numbers, legal), abs=1e-6
        )


def plan(**changes: object) -> TrainingConfig:
    small = {"rules": ("joker",), "iterations": 4, "width": 16, "layers": 1, "tables": 2, "at_once": 1, "matches": 8}
    return TrainingConfig(**{**small, "steps": 8, "measure_every": 2, "measure_matches": 20, **changes})  # type: ignore[arg-type]


class EnoughError(Exception):
    """Ends a run as a kill would: in the middle of an iteration."""


def test_a_run_goes_on_from_where_it_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told: list[int] = []

    def tell(done: int, _learned: UpdateStats, _pace: float) -> None:
        told.append(done)

    def killed(average: PolicyNetwork, player: PolicyNetwork, done: int, share: float) -> None:
        if done == 2:
            raise EnoughError
        update_ema(average, player, done, share)

    with monkeypatch.context() as patched:
        patched.setattr("liarsdice.train.trainer.update_ema", killed)
        with pytest.raises(EnoughError):
            Trainer(tmp_path, plan()).run(tell)
    again = Trainer(tmp_path, plan())
    assert again.iterations_done == 2
    again.go(tell)
    assert told == [1, 2, 3, 4]
    with (tmp_path / CURVE_FILE).open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [int(row["iteration"]) for row in rows] == [2, 4]
    assert all(0 <= float(row["strength"]) <= 1 for row in rows)
    assert Network.load(tmp_path / BEST_FILE).weights[0].shape == (FEATURE_COUNT, 16)
    with pytest.raises(MalformedError, match="holds a run by another plan"):
        Trainer(tmp_path, plan(width=17))


def test_a_strong_player_is_told_from_a_weak_one() -> None:
    torch.manual_seed(5)
    player = PolicyNetwork(FEATURE_COUNT, 16, 1)
    assert win_share(export_network(player), "joker", 2, ThresholdPolicy(0.4), 200) < 0.2
    assert win_share(champion_network(1), "joker", 2, ThresholdPolicy(0.4), 200) > 0.5


def test_an_actor_draws_by_the_chances() -> None:
    torch.manual_seed(6)
    player, critic = PolicyNetwork(FEATURE_COUNT, 16, 1), Critic(FEATURE_COUNT, 16, 1)
    legal = np.zeros((4000, ACTION_COUNT), np.bool_)
    legal[:, :4] = True
    reading = NetworkInput(
        np.zeros((4000, FEATURE_COUNT), np.float32), np.zeros((4000, 6, 4), np.int64), legal, legal * 0.0
    )
    answers, logs, values = Actor(player, critic)(reading, np.zeros((4000, 8), np.float32), np.random.default_rng(1))
    chances = export_network(player).action_probs(reading.features[:1], legal[:1])[0]
    assert np.bincount(answers, minlength=4) / 4000 == pytest.approx(chances[:4], abs=0.03)
    assert np.exp(logs) == pytest.approx(chances[answers], abs=1e-5)
    assert values.shape == (4000,)


def test_rivals_play_and_do_not_learn() -> None:
    fixed = Fixed()
    table = TrainingTable(TableSetup(preset("perudo").ruleset, (ExternalPolicy(),) * 3, 8, "champion@1", 2), seed=3)
    part = table.play(60, fixed, 1.0)
    assert fixed.asked == 60 * 8
    assert len(part.answers) > 0.5 * 60 * 8
    assert part.target.mean() < 0.1  # whoever takes the first legal answer loses to them


def test_a_network_among_itself_wins_its_share() -> None:
    assert win_share(champion_network(1), "perudo", 2, champion_network(1), 2000) == pytest.approx(1 / 2, abs=0.04)
    assert win_share(champion_network(1), "perudo", 4, champion_network(1), 2000) == pytest.approx(1 / 4, abs=0.04)


class Highest:
    """Chance that comes as near to 1 as it can, or is 0."""

    def __init__(self, value: float) -> None:
        self._value = value

    def random(self, shape: tuple[int, ...]) -> FloatArray:
        return np.full(shape, self._value)


@pytest.mark.parametrize("value", [0.0, float(np.nextafter(1.0, 0.0))])
def test_what_has_no_chance_is_never_drawn(value: float) -> None:
    chances = np.zeros((3, ACTION_COUNT), np.float32)
    chances[:, 5:15] = 0.1 - 1e-7  # their sum is below 1
    chances[1, 9] = 0
    answers = sample_actions(chances, Highest(value))  # type: ignore[arg-type]
    assert (chances[np.arange(3), answers] > 0).all()
    assert set(answers.tolist()) == ({14} if value else {5})


def test_networks_are_found_by_name_and_by_file(tmp_path: Path) -> None:
    assert load_network("champion@1") is champion_network(1)
    champion_network(1).save(tmp_path / "one.npz")
    assert np.array_equal(load_network(str(tmp_path / "one.npz")).weights[0], champion_network(1).weights[0])
    damaged = {name: tmp_path / f"{name}.npz" for name in ("half", "array", "empty", "narrow")}
    damaged["half"].write_bytes((tmp_path / "one.npz").read_bytes()[:5000])
    with damaged["array"].open("wb") as file:
        np.save(file, np.zeros(3))
    np.savez(damaged["empty"], min_prob_ratio=0.2)
    Network([np.zeros((3, 2), np.float32)], [np.zeros(2, np.float32)]).save(damaged["narrow"])
    for name in (
        "champion@99",
        "champion@x",
        str(tmp_path / "none.npz"),
        str(Path(__file__)),
        *map(str, damaged.values()),
    ):
        with pytest.raises(UnavailableError, match=f"no network is called {re.escape(name)}"):
            load_network(name)


def test_more_seats_than_a_network_tells_apart_are_refused() -> None:
    with pytest.raises(UnavailableError, match="tables of up to 8, not of 9"):
        win_share(champion_network(1), "perudo", 9, champion_network(1), 2)
    assert 0 <= win_share(champion_network(1), "perudo", 8, champion_network(1), 2) <= 1
