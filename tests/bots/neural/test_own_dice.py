"""What the own dice prove, the champion does not play against."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.bots.neural.champion import Champion, champion_network, possible_actions
from liarsdice.bots.neural.champions import BASELINES, baseline_network
from liarsdice.bots.neural.features import CHALLENGE, encode, observe
from liarsdice.bots.registry import make_bot
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from tests.bots.positions import position

PERUDO = preset("perudo").ruleset
OWN = (6, 6, 1, 2, 3)


def shown(bids: str, rules: Ruleset = PERUDO, own: tuple[int, ...] = OWN) -> View:
    """Return the view of the second of two players, whose turn it is."""
    return view(position(rules, ((5,) * len(own), own), bids), 1)


def may_challenge(seen: View) -> bool:
    inputs = encode(observe(seen))
    return bool(possible_actions(inputs, seen.ruleset)[0, CHALLENGE])


@pytest.mark.parametrize("bids, may", [("3x6", False), ("4x6", True)])
def test_a_bid_that_the_own_dice_make_true_is_not_challenged(bids: str, may: bool) -> None:
    assert may_challenge(shown(bids)) == may


def test_a_bid_that_the_own_dice_rule_out_is_challenged() -> None:
    seen = shown("7x4")  # one own die counts, and the other player holds five
    inputs = encode(observe(seen))
    assert np.flatnonzero(possible_actions(inputs, PERUDO)[0]).tolist() == [CHALLENGE]
    assert Champion(champion_network()).action_probs(seen) == {Challenge(): 1.0}


@pytest.mark.parametrize("name", BASELINES)
@pytest.mark.parametrize("bids", ["6x4 7x3", "5x4 7x3", "6x3 6x4 7x3"])
def test_what_the_own_dice_prove_mends_a_bid_that_the_network_alone_makes(bids: str, name: str) -> None:
    mover = len(bids.split()) % 2
    hands = ((1, 4, 4, 4, 4), (2,) * 5) if mover == 0 else ((2,) * 5, (1, 4, 4, 4, 4))
    seen = view(position(preset("joker").ruleset, hands, bids), mover)
    network = baseline_network(name)
    alone = Champion(network, heeds_own_dice=False).action_probs(seen)
    assert alone[Bid(7, 4)] > 0.7
    assert Champion(network).action_probs(seen) == {Challenge(): 1.0}


def test_a_bid_that_the_own_dice_rule_out_is_not_made() -> None:
    seen = shown("6x2")  # 7x4 and 7x5 are ruled out, as one own die counts for them; 7x6 needs four of five
    inputs = encode(observe(seen))
    bids = [move for move in Champion(champion_network()).action_probs(seen) if isinstance(move, Bid)]
    assert inputs.ruled_out.any()
    assert all(bid.quantity <= 6 or bid.face in {1, 2, 6} for bid in bids)


def test_without_any_other_move_all_legal_ones_are_left() -> None:
    rules = preset("basic").ruleset
    seen = shown("1x6", rules, (6,))  # a challenge loses, and only 2x6 may be true; every other raise is ruled out
    inputs = encode(observe(seen))
    left = possible_actions(inputs, rules)[0]
    assert left.sum() == 1
    highest = shown("2x6", rules, (6,))
    inputs = encode(observe(highest))
    assert np.flatnonzero(possible_actions(inputs, rules)[0]).tolist() == [CHALLENGE]


def test_where_wild_dice_need_a_natural_one_no_bid_is_taken_for_proven() -> None:
    rules = patched(PERUDO, wilds__needs_natural=True)
    assert may_challenge(shown("3x6", rules))


def test_where_stairs_count_one_more_nothing_is_left_out() -> None:
    seen = shown("3x3", preset("snyd-stairs").ruleset, (1, 2, 3, 4, 5))
    inputs = encode(observe(seen))
    assert (possible_actions(inputs, seen.ruleset) == inputs.action_mask).all()


def test_a_baseline_from_before_that_rule_plays_by_its_network_alone() -> None:
    seen = shown("7x4")
    latest, earlier = make_bot("champion@7", 1), make_bot("champion@5", 1)
    assert isinstance(latest, Champion)
    assert isinstance(earlier, Champion)
    assert latest.action_probs(seen).keys() == {Challenge()}
    inputs = encode(observe(seen))
    network = baseline_network("champion@5")
    probs = network.drop_unlikely(network.action_probs(inputs.features, inputs.action_mask))
    assert len(earlier.action_probs(seen)) == int((probs > 0).sum())
