"""Rollouts: generalised advantage estimates, and the experience of tables with opponents and teachers."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from liarsdice.bots.neural.batch_observation import BatchObserver
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.features import FEATURE_COUNT, SILENT, BoolArray, FloatArray, IntArray, Observation
from liarsdice.bots.neural.network import Network
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy, Policy, ThresholdPolicy
from liarsdice.sim.vector_env import AgentSelector, VectorEnv
from liarsdice.values.playouts import RoundPlays
from liarsdice_lab.train.model import WHOLE_CHAMPION, load_network
from liarsdice_lab.train.rollout import Endings, OpponentPlayer, TableSetup, TrainingTable, champion_shares, compute_gae
from tests.lab.train.training_configs import FirstLegalPolicy

LATEST_CHAMPION = "champion@7"


def test_advantages_equal_those_of_a_plain_recursion_over_each_seat_s_decisions() -> None:
    rng = np.random.default_rng(1)
    steps, matches, seat_count, gae_lambda = 12, 5, 3, 0.8
    seats = rng.integers(0, seat_count, (steps, matches))
    over = rng.random((steps, matches)) < 0.2
    eliminated = rng.random((steps, matches, seat_count)) < 0.1
    rewards = np.where(over[:, :, np.newaxis], rng.random((steps, matches, seat_count)), 0).astype(np.float32)
    values = rng.random((steps, matches)).astype(np.float32)
    advantages, returns, known = compute_gae(seats, over, eliminated, rewards, values, gae_lambda)
    for match in range(matches):
        for step in range(steps):
            expected = _plain_advantage(step, match, seats, over, eliminated, rewards, values, gae_lambda)
            assert known.reshape(steps, matches)[step, match] == (expected is not None)
            if expected is not None:
                assert advantages[step, match] == pytest.approx(expected, abs=1e-5)
                assert returns[step, match] == pytest.approx(expected + values[step, match], abs=1e-5)


def _plain_advantage(
    step: int,
    match: int,
    seats: IntArray,
    over: BoolArray,
    eliminated: BoolArray,
    rewards: FloatArray,
    values: FloatArray,
    gae_lambda: float,
) -> float | None:
    """Return the advantage of one decision by its recursive definition, or None if its return is not known."""
    seat = seats[step, match]
    for later in range(step, len(seats)):
        if over[later, match] or eliminated[later, match, seat]:
            return float(rewards[later, match, seat] - values[step, match])
        if later + 1 < len(seats) and seats[later + 1, match] == seat:
            delta = float(values[later + 1, match] - values[step, match])
            next_advantage = _plain_advantage(later + 1, match, seats, over, eliminated, rewards, values, gae_lambda)
            return delta + gae_lambda * (next_advantage or 0.0)
    return None


def test_a_table_continues_its_matches_and_returns_experience() -> None:
    policy = FirstLegalPolicy()
    table = TrainingTable(
        TableSetup(preset("perudo").ruleset, (ExternalPolicy(), ThresholdPolicy(0.4), ExternalPolicy()), 8), seed=3
    )
    first, second = table.play(40, policy, 1.0), table.play(40, policy, 1.0)
    assert policy.decisions == 2 * 40 * 8
    for experience in (first, second):
        assert 0.7 * 320 <= len(experience.actions) <= 320
        assert experience.features.shape == (len(experience.actions), FEATURE_COUNT)
        assert experience.action_mask[np.arange(len(experience.actions)), experience.actions].all()
        assert set(np.unique(experience.returns)) <= {0, 1}  # all values are 0, so that only rewards count


def test_opponents_play_and_do_not_learn() -> None:
    policy = FirstLegalPolicy()
    table = TrainingTable(TableSetup(preset("perudo").ruleset, (ExternalPolicy(),) * 3, 8, "champion@5", 2), seed=3)
    experience = table.play(60, policy, 1.0)
    assert policy.decisions == 60 * 8
    assert len(experience.actions) > 0.5 * 60 * 8
    assert experience.returns.mean() < 0.1  # the first legal action loses to them


@pytest.mark.parametrize("rules", ["perudo", "official"])
def test_a_match_of_opponents_alone_is_not_played_on(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where seats may call out of turn, so that the bid of one may wait for the answer of another."""
    observed: list[BoolArray] = []

    class WatchingObserver(BatchObserver):
        def __init__(self, env: VectorEnv) -> None:
            super().__init__(env)
            self.env = env

        def observe(self, seats: NDArray[np.int32], matches: IntArray | None = None) -> Observation:
            rows = np.arange(len(seats)) if matches is None else matches
            observed.append((self.env.dice[rows, 0] > 0) & ~self.env.over[rows])
            return super().observe(seats, matches)

    monkeypatch.setattr("liarsdice_lab.train.rollout.BatchObserver", WatchingObserver)
    table = TrainingTable(TableSetup(preset(rules).ruleset, (ExternalPolicy(),) * 4, 12, "champion@5", 3), seed=3)
    experience = table.play(40, FirstLegalPolicy(), 1.0)
    assert len(experience.actions) > 0.5 * 40 * 12
    assert set(np.unique(experience.returns)) <= {0, 1}
    assert np.concatenate(observed).all()


@pytest.mark.parametrize("opponent, plays_rounds", [(WHOLE_CHAMPION, True), (LATEST_CHAMPION, False)])
def test_only_the_whole_champion_plays_its_solved_rounds(
    opponent: str, plays_rounds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = 0

    class CountingRoundPlays(RoundPlays):
        def draw(self, matches: IntArray, draws: NDArray[np.float64]) -> tuple[BoolArray, NDArray[np.int32]]:
            nonlocal played
            is_played, actions = super().draw(matches, draws)
            played += int(is_played.sum())
            return is_played, actions

    monkeypatch.setattr("liarsdice_lab.train.rollout.RoundPlays", CountingRoundPlays)
    setup = TableSetup(preset("openspiel").ruleset, (ExternalPolicy(),) * 2, 8, opponent, 1)
    experience = TrainingTable(setup, seed=3).play(20, FirstLegalPolicy(), 0.5)
    assert len(experience.actions) > 50
    assert (played > 50) is plays_rounds


def test_a_teacher_s_probabilities_are_those_for_what_learners_see() -> None:
    setup = TableSetup(
        preset("perudo").ruleset, (ExternalPolicy(), ThresholdPolicy(0.4), ExternalPolicy()), 8, teacher=LATEST_CHAMPION
    )
    taught = TrainingTable(setup, seed=3).play(30, FirstLegalPolicy(), 0.5)
    assert len(taught.teacher_probs) == len(taught.actions) > 100
    probs = champion_network().action_probs(taught.features, taught.action_mask)
    assert taught.teacher_probs == pytest.approx(probs, abs=1e-6)
    untaught = TrainingTable(TableSetup(setup.rules, setup.policies, 8), seed=3).play(30, FirstLegalPolicy(), 0.5)
    assert np.array_equal(untaught.features, taught.features)
    assert untaught.teacher_probs.shape == taught.teacher_probs.shape
    assert not untaught.teacher_probs.any()


PERUDO = preset("perudo").ruleset


@pytest.mark.parametrize("opponent", [ThresholdPolicy(0.4), "champion@5"])
def test_the_champion_wins_more_with_more_dice(opponent: Policy | str, tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text('extends = "perudo"\n[dice]\nper_player = 2\n', encoding="utf-8")
    shares = champion_shares(find_rules(house), opponent, 100)
    assert shares.shape == (2, 3, 3)
    assert not shares[:, 0].any()
    assert not shares[:, :, 0].any()
    assert (shares[:, 2, 1] > 0.65).all()
    assert (shares[:, 1, 2] < 0.35).all()
    assert ((shares[:, 1, 1] > 0.35) & (shares[:, 1, 1] < 0.75)).all()


def test_an_ending_is_where_two_players_are_left_and_is_worth_what_its_learner_wins() -> None:
    shares = np.random.default_rng(1).random((2, 6, 6)).astype(np.float32)
    shares[:, 0] = 0
    env = VectorEnv(compile_rules(PERUDO, 3), 3, seed=1)
    env.reset(np.ones(3, np.bool_), starters=[0, 2, 1], dice=[[2, 1, 1], [3, 0, 1], [4, 5, 0]])
    endings = Endings(env, 0, shares)
    assert endings.reached().tolist() == [False, True, True]
    assert endings.values(np.array([1, 2])).tolist() == [shares[0, 3, 1], shares[0, 4, 5]]
    env.reset(np.ones(3, np.bool_), starters=[0, 0, 0], dice=[[2, 1, 1], [3, 0, 1], [4, 5, 0]])
    assert endings.values(np.array([2, 1])).tolist() == [shares[1, 4, 5], shares[1, 3, 1]]
    assert Endings(env, 2, shares).values(np.array([2])) == 0  # the learner is out


@pytest.mark.parametrize(
    "policies, opponent, won",
    [
        ((ExternalPolicy(), ThresholdPolicy(0.4), ThresholdPolicy(0.4)), "", {0, 0.25}),
        ((ExternalPolicy(),) * 3, "champion@5", {0, 0.25}),
        ((ExternalPolicy(),) * 3, "", {0, 1}),
    ],
)
def test_matches_of_one_learner_end_with_two_players_left(
    policies: tuple[Policy, ...], opponent: str, won: set[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    def quarters(rules: Ruleset, asked: Policy | str) -> FloatArray:
        assert rules == PERUDO
        assert asked == (opponent or policies[-1])
        return np.full((2, 6, 6), 0.25, np.float32)

    monkeypatch.setattr("liarsdice_lab.train.rollout.champion_shares", quarters)
    setup = TableSetup(PERUDO, policies, 16, opponent, 2 if opponent else 0, ends_with_two=True)
    experience = TrainingTable(setup, seed=3).play(60, FirstLegalPolicy(), 1.0)
    assert len(experience.actions) > 0.5 * 60 * 16
    assert set(np.unique(experience.returns).tolist()) == won  # all values are 0, so that only rewards count


class OutOfTurnCounter(VectorEnv):
    """An environment that counts actions out of turn."""

    out_of_turn_count = 0

    def step(self, actions: ArrayLike, seats: ArrayLike | None = None, *, deals: bool = True) -> None:
        """Apply one action in each match."""
        if seats is not None:
            acts = np.asarray(actions) != schema.NO_ACTION
            self.out_of_turn_count += int((acts & (np.asarray(seats) != self.turn)).sum())
        super().step(actions, seats, deals=deals)


@pytest.mark.parametrize("is_silent", [False, True])
def test_networks_call_out_of_turn_unless_they_prefer_silence(is_silent: bool) -> None:
    champion = load_network("champion@5")
    biases = [layer.copy() for layer in champion.biases]
    biases[-1][SILENT] += 50.0 * is_silent
    network = Network(champion.weights, biases, champion.min_prob_ratio)
    env = OutOfTurnCounter(compile_rules(find_rules("official"), 4), 20, seed=6)
    selector = AgentSelector(env, (ExternalPolicy(),))
    selector.advance()
    player = OpponentPlayer(env, selector, BatchObserver(env), dict.fromkeys(range(4), network))
    player.play_turns(np.random.default_rng(2))
    assert env.over.all()
    assert (env.out_of_turn_count > 0) != is_silent
