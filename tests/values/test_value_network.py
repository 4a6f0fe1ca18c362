"""The packaged network of state values."""

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from liarsdice.core.engine.state import Phase
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from liarsdice.values.features import situation_of_state
from liarsdice.values.value_network import ValueNetwork, value_network


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
