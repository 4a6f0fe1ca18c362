"""Rollouts, updates and whole runs: what is learned from, that it is learned, and that a run goes on."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from liarsdice.bots.neural.champion import model
from liarsdice.bots.neural.features import ANSWERS, BIDS, FEATURES, Reading
from liarsdice.bots.neural.network import Network
from liarsdice.bots.neural.observation import Flags, Ints, Reals
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.presets import preset
from liarsdice.sim.policies import Asked, Threshold
from liarsdice.train.config import Plan, Recipe
from liarsdice.train.evaluate import win_share
from liarsdice.train.load_networks import network_called
from liarsdice.train.model import Actor, Critic, Player, follow, network_of
from liarsdice.train.opponents import drawn
from liarsdice.train.ppo import Learned, Learner
from liarsdice.train.rollout import Experience, Setting, Table, advantages
from liarsdice.train.trainer import BEST, CURVE, Run


def test_advantages_are_those_of_each_seat_s_own_decisions() -> None:
    rng = np.random.default_rng(1)
    steps, matches, count, keep = 12, 5, 3, 0.8
    seats = rng.integers(0, count, (steps, matches))
    over = rng.random((steps, matches)) < 0.2
    out = rng.random((steps, matches, count)) < 0.1
    share = np.where(over[:, :, np.newaxis], rng.random((steps, matches, count)), 0).astype(np.float32)
    values = rng.random((steps, matches)).astype(np.float32)
    advantage, target, known = advantages(seats, over, out, share, values, keep)
    for match in range(matches):
        for step in range(steps):
            found = _plainly(step, match, seats, over, out, share, values, keep)
            assert known.reshape(steps, matches)[step, match] == (found is not None)
            if found is not None:
                assert advantage[step, match] == pytest.approx(found, abs=1e-5)
                assert target[step, match] == pytest.approx(found + values[step, match], abs=1e-5)


def _plainly(
    step: int, match: int, seats: Ints, over: Flags, out: Flags, share: Reals, values: Reals, keep: float
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

    def __call__(self, reading: Reading, hidden: Reals, _chance: np.random.Generator) -> tuple[Ints, Reals, Reals]:
        self.asked += len(hidden)
        assert reading.legal.any(axis=1).all()
        return reading.legal.argmax(axis=1), np.zeros(len(hidden), np.float32), np.zeros(len(hidden), np.float32)


def test_a_table_plays_on_and_tells_what_came_of_it() -> None:
    fixed = Fixed()
    table = Table(Setting(preset("perudo").ruleset, (Asked(), Threshold(0.4), Asked()), 8), seed=3)
    first, second = table.play(40, fixed, 1.0), table.play(40, fixed, 1.0)
    assert fixed.asked == 2 * 40 * 8
    for part in (first, second):
        assert 0.7 * 320 <= len(part.answers) <= 320
        assert part.numbers.shape == (len(part.answers), FEATURES)
        assert part.legal[np.arange(len(part.answers)), part.answers].all()
        assert set(np.unique(part.target)) <= {0, 1}  # no value was expected, so that only ends count


def test_an_update_makes_better_answers_likelier() -> None:
    torch.manual_seed(1)
    player, critic = Player(FEATURES, 32, 1), Critic(FEATURES, 32, 1)
    rows = 512
    rng = np.random.default_rng(2)
    numbers = rng.random((rows, FEATURES)).astype(np.float32)
    legal = np.zeros((rows, ANSWERS), np.bool_)
    legal[:, [3, 7, BIDS]] = True
    answers = rng.choice([3, 7, BIDS], rows)
    better = (answers == 7).astype(np.float32)
    even = np.full(rows, -np.log(3), np.float32)
    hidden, untaught = np.zeros((rows, 8), np.float32), np.zeros(legal.shape, np.float32)
    part = Experience(numbers, hidden, legal, answers, even, better, better, untaught)
    learner = Learner(player, critic, Recipe(minibatch=128, entropy=0.0, entropy_last=0.0), seed=1)
    told = [learner.learn([part], 0.0) for _ in range(20)]
    chances = network_of(player).chances(numbers, legal)
    assert chances[:, 7].mean() > 0.6
    assert chances.sum(axis=1) == pytest.approx(np.ones(rows), abs=1e-5)
    assert chances[~legal].max() == 0
    assert told[-1].value < told[0].value


def test_stale_experience_is_measured_from_the_weights_of_now() -> None:
    rng, rows = np.random.default_rng(2), 256
    numbers = rng.random((rows, FEATURES)).astype(np.float32)
    legal = np.zeros((rows, ANSWERS), np.bool_)
    legal[:, [3, 7]] = True
    answers, advantage = rng.choice([3, 7], rows), rng.random(rows).astype(np.float32)
    hidden, even = np.zeros((rows, 8), np.float32), np.full(rows, -np.log(2), np.float32)
    untaught = np.zeros(legal.shape, np.float32)
    part = Experience(numbers, hidden, legal, answers, even, advantage, advantage, untaught)
    learned = []
    for stale in (False, True):
        torch.manual_seed(1)
        player, critic = Player(FEATURES, 16, 1), Critic(FEATURES, 16, 1)
        logs = np.log(network_of(player).chances(numbers, legal)[np.arange(rows), answers])
        right = part._replace(logs=even * 3 if stale else logs)
        Learner(player, critic, Recipe(minibatch=64), seed=1).learn([right], 0.0, stale=stale)
        learned.append(network_of(player).chances(numbers, legal))
    assert learned[0] == pytest.approx(learned[1], abs=1e-4)


def test_numpy_plays_as_the_trained_network_does(tmp_path: Path) -> None:
    torch.manual_seed(3)
    player = Player(FEATURES, 48, 2)
    for layer in player.parameters():
        torch.nn.init.normal_(layer, std=0.2)
    rng = np.random.default_rng(4)
    numbers = rng.random((64, FEATURES)).astype(np.float32)
    legal = rng.random((64, ANSWERS)) < 0.5
    legal[:, 0] = True
    with torch.inference_mode():
        logits = player(torch.from_numpy(numbers), torch.from_numpy(legal))
        wanted = torch.softmax(logits, dim=1).numpy()
    network = network_of(player)
    assert network.chances(numbers, legal) == pytest.approx(wanted, abs=1e-5)
    for hardly in (0.0, 0.05, 0.2):
        given = Network(
            network.weights, network.biases, hardly, answers_out_of_turn=hardly > 0, knows_stairs=hardly > 0.1
        )
        given.save(tmp_path / "one.npz")
        kept = Network.load(tmp_path / "one.npz")
        assert (kept.hardly, kept.answers_out_of_turn, kept.knows_stairs) == (hardly, hardly > 0, hardly > 0.1)
        assert kept.chances(numbers, legal) == pytest.approx(wanted, abs=0.05)
        pure = kept.purified(wanted)
        assert (pure.argmax(axis=1) == wanted.argmax(axis=1)).all()
        assert ((pure == 0) == (wanted < hardly * wanted.max(axis=1, keepdims=True)) | (wanted == 0)).all()


@pytest.mark.parametrize("width", [256, 300])
def test_a_run_may_begin_with_a_network_of_its_width_or_narrower(width: int, tmp_path: Path) -> None:
    run = Run(tmp_path, plan(width=width, layers=2, begin="champion@1"))
    rng = np.random.default_rng(1)
    numbers, legal = rng.random((5, FEATURES)).astype(np.float32), np.ones((5, ANSWERS), np.bool_)
    for player in (run.player, run.average):
        assert network_of(player).chances(numbers, legal) == pytest.approx(model(1).chances(numbers, legal), abs=1e-6)


def plan(**changes: object) -> Plan:
    small = {"rules": ("joker",), "iterations": 4, "width": 16, "layers": 1, "tables": 2, "at_once": 1, "matches": 8}
    return Plan(**{**small, "steps": 8, "measure_every": 2, "measure_matches": 20, **changes})  # type: ignore[arg-type]


class EnoughError(Exception):
    """Ends a run as a kill would: in the middle of an iteration."""


def test_a_run_goes_on_from_where_it_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told: list[int] = []

    def tell(done: int, _learned: Learned, _pace: float) -> None:
        told.append(done)

    def killed(average: Player, player: Player, done: int, share: float) -> None:
        if done == 2:
            raise EnoughError
        follow(average, player, done, share)

    with monkeypatch.context() as patched:
        patched.setattr("liarsdice.train.trainer.follow", killed)
        with pytest.raises(EnoughError):
            Run(tmp_path, plan()).go(tell)
    again = Run(tmp_path, plan())
    assert again.done == 2
    again.go(tell)
    assert told == [1, 2, 3, 4]
    with (tmp_path / CURVE).open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [int(row["iteration"]) for row in rows] == [2, 4]
    assert all(0 <= float(row["strength"]) <= 1 for row in rows)
    assert Network.load(tmp_path / BEST).weights[0].shape == (FEATURES, 16)
    with pytest.raises(MalformedError, match="holds a run by another plan"):
        Run(tmp_path, plan(width=17))


def test_a_strong_player_is_told_from_a_weak_one() -> None:
    torch.manual_seed(5)
    player = Player(FEATURES, 16, 1)
    assert win_share(network_of(player), "joker", 2, Threshold(0.4), 200) < 0.2
    assert win_share(model(1), "joker", 2, Threshold(0.4), 200) > 0.5


def test_an_actor_draws_by_the_chances() -> None:
    torch.manual_seed(6)
    player, critic = Player(FEATURES, 16, 1), Critic(FEATURES, 16, 1)
    legal = np.zeros((4000, ANSWERS), np.bool_)
    legal[:, :4] = True
    reading = Reading(np.zeros((4000, FEATURES), np.float32), np.zeros((4000, 6, 4), np.int64), legal, legal * 0.0)
    answers, logs, values = Actor(player, critic)(reading, np.zeros((4000, 8), np.float32), np.random.default_rng(1))
    chances = network_of(player).chances(reading.numbers[:1], legal[:1])[0]
    assert np.bincount(answers, minlength=4) / 4000 == pytest.approx(chances[:4], abs=0.03)
    assert np.exp(logs) == pytest.approx(chances[answers], abs=1e-5)
    assert values.shape == (4000,)


def test_rivals_play_and_do_not_learn() -> None:
    fixed = Fixed()
    table = Table(Setting(preset("perudo").ruleset, (Asked(),) * 3, 8, "champion@1", 2), seed=3)
    part = table.play(60, fixed, 1.0)
    assert fixed.asked == 60 * 8
    assert len(part.answers) > 0.5 * 60 * 8
    assert part.target.mean() < 0.1  # whoever takes the first legal answer loses to them


def test_a_network_among_itself_wins_its_share() -> None:
    assert win_share(model(1), "perudo", 2, model(1), 2000) == pytest.approx(1 / 2, abs=0.04)
    assert win_share(model(1), "perudo", 4, model(1), 2000) == pytest.approx(1 / 4, abs=0.04)


class Highest:
    """Chance that comes as near to 1 as it can, or is 0."""

    def __init__(self, value: float) -> None:
        self._value = value

    def random(self, shape: tuple[int, ...]) -> Reals:
        return np.full(shape, self._value)


@pytest.mark.parametrize("value", [0.0, float(np.nextafter(1.0, 0.0))])
def test_what_has_no_chance_is_never_drawn(value: float) -> None:
    chances = np.zeros((3, ANSWERS), np.float32)
    chances[:, 5:15] = 0.1 - 1e-7  # their sum is below 1
    chances[1, 9] = 0
    answers = drawn(chances, Highest(value))  # type: ignore[arg-type]
    assert (chances[np.arange(3), answers] > 0).all()
    assert set(answers.tolist()) == ({14} if value else {5})


def test_networks_are_found_by_name_and_by_file(tmp_path: Path) -> None:
    assert network_called("champion@1") is model(1)
    model(1).save(tmp_path / "one.npz")
    assert np.array_equal(network_called(str(tmp_path / "one.npz")).weights[0], model(1).weights[0])
    damaged = {name: tmp_path / f"{name}.npz" for name in ("half", "array", "empty", "narrow")}
    damaged["half"].write_bytes((tmp_path / "one.npz").read_bytes()[:5000])
    with damaged["array"].open("wb") as file:
        np.save(file, np.zeros(3))
    np.savez(damaged["empty"], hardly=0.2)
    Network([np.zeros((3, 2), np.float32)], [np.zeros(2, np.float32)]).save(damaged["narrow"])
    for name in (
        "champion@99",
        "champion@x",
        str(tmp_path / "none.npz"),
        str(Path(__file__)),
        *map(str, damaged.values()),
    ):
        with pytest.raises(UnavailableError, match=f"no network is called {re.escape(name)}"):
            network_called(name)


def test_more_seats_than_a_network_tells_apart_are_refused() -> None:
    with pytest.raises(UnavailableError, match="tables of up to 8, not of 9"):
        win_share(model(1), "perudo", 9, model(1), 2)
    assert 0 <= win_share(model(1), "perudo", 8, model(1), 2) <= 1
