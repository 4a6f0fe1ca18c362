"""Learned values of round ends, and the packaged network of state values."""

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from liarsdice.core.engine.state import Phase
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from liarsdice.sim.policies import ThresholdPolicy
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.values.features import Situation, situation_of_state
from liarsdice.values.playouts import compiled_for, round_ends, situation_of_env
from liarsdice.values.round_ends import (
    LEAST_ERROR,
    UNMEASURED_ERROR,
    RoundEnd,
    learned_values,
    round_end_error,
    situation_of_ends,
)
from liarsdice.values.value_network import ValueNetwork, value_network

PERUDO = preset("perudo").ruleset
OVER = RoundEnd((0, 0, 0), -1, -1, 1, (0,) * 3, (False,) * 3, 0, (False, True, True))


def test_ends_of_matches_are_exact_and_others_have_the_measured_error_or_less_near_certainty() -> None:
    going_on, even = (OVER._replace(dice=dice, starter=0, winners=None) for dice in ((5, 1, 0), (3, 3, 0)))
    values = learned_values(PERUDO, 3)
    ends = [OVER, going_on, even]
    shares, variances = values.shares(ends), values.variances(ends)
    assert shares[0].tolist() == [0, 0.5, 0.5]
    assert shares[1, 0] > 0.8
    assert shares[1, 2] == 0
    assert shares.sum(axis=1) == pytest.approx(1)
    assert variances[2, :2] == pytest.approx(LEAST_ERROR**2)
    assert (variances[1, :2] > 0).all()
    assert (variances[1, :2] < LEAST_ERROR**2 / 2).all()
    assert (variances[0] == 0).all()
    assert (variances[1:, 2] == 0).all()


def test_more_dice_are_worth_more_and_a_seat_may_hold_more_than_at_the_start() -> None:
    ends = [RoundEnd(dice, 0, -1, 1, (0, 0), (False, False), 0, None) for dice in ((5, 1), (3, 3), (1, 5))]
    shares = learned_values(PERUDO, 2).shares(ends)[:, 0]
    assert shares[0] > shares[1] > shares[2]
    rules = patched(PERUDO, loss__destination="opponent", exact_call=None)
    assert compiled_for(rules, (7, 3)).dice == (7, 5)
    assert learned_values(rules, 2).shares([ends[0]._replace(dice=(7, 3))])[0, 0] > 0.5


def test_errors_are_the_measured_ones_and_larger_where_nothing_was_measured() -> None:
    assert round_end_error(PERUDO, 3) == LEAST_ERROR < round_end_error(PERUDO, 6)
    assert round_end_error(preset("mustache").ruleset, 3) == 0.080
    assert round_end_error(patched(PERUDO, labels__game="Dudo"), 3) == LEAST_ERROR
    unmeasured = [(PERUDO, 5), (patched(PERUDO, exact_call=None), 3), (preset("official").ruleset, 6)]
    assert {round_end_error(rules, seats) for rules, seats in unmeasured} == {UNMEASURED_ERROR}
    assert UNMEASURED_ERROR > LEAST_ERROR


@pytest.mark.parametrize("rules", ["perudo", "official", "red-dead"])
def test_an_end_is_seen_as_the_training_saw_the_situation_between_its_rounds(rules: str) -> None:
    ruleset = preset(rules).ruleset
    env = VectorEnv(compiled_for(ruleset, (5, 5, 5)), 60, seed=4)
    env.advance((ThresholdPolicy(),), last_round=5)
    env.deal()
    rows = np.flatnonzero(~env.over)
    different, numbers = round_ends(env)
    ends = [different[number] for number in numbers[rows].tolist()]
    seen, expected = situation_of_ends(ruleset, ends), situation_of_env(env).rows(rows)
    same = ("dice", "exact_calls", "step", "turn", "special_seat", "bid_count", "quantity")
    for name in same:
        if name != "exact_calls" or (ruleset.exact_call is not None and ruleset.exact_call.budget is not None):
            assert np.array_equal(getattr(seen, name), getattr(expected, name)), name
    assert all(seen_array.shape == other.shape for seen_array, other in zip(seen[1:], expected[1:], strict=True))
    assert isinstance(seen, Situation)


def test_the_packaged_networks_are_small() -> None:
    folder = files("liarsdice.values") / "models"
    assert sum(len(file.read_bytes()) for file in folder.iterdir()) <= 1_000_000


def test_shares_sum_to_one_and_seats_without_dice_have_none() -> None:
    match = play_match(preset("perudo").ruleset, ["threshold"] * 4, seed=2)
    for state, _, _ in recorded_actions(match.events):
        if state.phase in {Phase.BIDDING, Phase.DEAL}:
            shares = value_network().shares(situation_of_state(state), in_round=state.phase is Phase.BIDDING)[0]
            assert shares.sum() == pytest.approx(1, abs=1e-12)
            assert all((share > 0) == (held > 0) for share, held in zip(shares, state.dice, strict=True))


def test_more_dice_are_worth_more_and_a_true_bid_is_worth_more_than_a_false_one() -> None:
    match = play_match(preset("perudo").ruleset, ["threshold"] * 2, seed=2)
    between = [state for state, _, _ in recorded_actions(match.events) if state.phase is Phase.DEAL]
    situation = situation_of_state(between[1])
    values = [
        value_network().shares(situation._replace(dice=np.array([dice])), in_round=False)[0, 0]
        for dice in ((5, 1), (3, 3), (1, 5))
    ]
    assert values == sorted(values, reverse=True)
    bidding = next(state for state, _, _ in recorded_actions(match.events) if state.bids)
    situation, bidder = situation_of_state(bidding), bidding.bidder
    hands = np.zeros_like(situation.hands)
    assert bidder is not None
    hands[..., situation.face[0]] = situation.dice
    is_true = value_network().shares(situation._replace(hands=hands, quantity=np.array([9])), in_round=True)
    is_false = value_network().shares(situation._replace(quantity=np.array([9])), in_round=True)
    assert is_true[0, bidder] > is_false[0, bidder]


def test_a_saved_network_gives_the_same_values(tmp_path: Path) -> None:
    network = value_network()
    network.save(tmp_path / "value.npz")
    again = ValueNetwork.load(tmp_path / "value.npz")
    for one, other in zip((*network.between, *network.in_round), (*again.between, *again.in_round), strict=True):
        assert all(np.array_equal(left, right) for left, right in zip(one, other, strict=True))
