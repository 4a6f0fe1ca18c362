"""Beliefs are Bayes' rule over all rolls, computed the slow way, and predict real matches better than odds alone."""

from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import pytest

from liarsdice.bots.neural.belief import OFF_POLICY_SHARE, beliefs, count_beliefs, expected_count
from liarsdice.bots.neural.champion import Champion, champion_network
from liarsdice.bots.neural.explain import Explanation, explain
from liarsdice.bots.neural.features import BID_ACTIONS, QUANTITY_STEPS, encode, observe
from liarsdice.bots.neural.reasons import total_probs
from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.bids.odds import odds
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import tally
from liarsdice.play.match import Dealer
from liarsdice.values.features import slot_faces
from tests.bots.positions import dealt_state, first_round_hands

NETWORK = champion_network()


def likelihood(rules: Ruleset, hands: tuple[tuple[int, ...], ...], bids: tuple[Bid, ...]) -> float:
    """Return the probability of the last bid with these hands, by the network and the off-policy share."""
    *before, bid = bids
    state = dealt_state(rules, hands, tuple(before))
    inputs = encode(observe(view(state, state.turn)))
    probs = NETWORK.action_probs(inputs.features, inputs.action_mask)[0]
    slot = slot_faces(rules).index(bid.face)
    bid_probs = [
        float(probs[action])
        for action in range(BID_ACTIONS)
        if action // QUANTITY_STEPS == slot and inputs.quantities[0, slot, action % QUANTITY_STEPS] == bid.quantity
    ]
    return (1 - OFF_POLICY_SHARE) * sum(bid_probs) + OFF_POLICY_SHARE / int(inputs.action_mask.sum())


@pytest.mark.parametrize("name", ["perudo", "joker", "mustache", "snyd-stairs"])
def test_a_belief_is_bayes_rule_over_all_rolls(name: str) -> None:
    rules = preset(name).ruleset
    bids = (Bid(1, 2), Bid(1, 4), Bid(2, 4), Bid(2, 5))
    own_hand = (2, 4)
    weights: dict[tuple[int, ...], float] = {}
    for roll in product(range(1, 7), repeat=2):
        weight = 1.0
        for count in (2, 4):  # the bids of the second seat
            weight *= likelihood(rules, (own_hand, roll), bids[:count])
        hand = tuple(sorted(roll))
        weights[hand] = weights.get(hand, 0.0) + weight
    seat_beliefs = beliefs(view(dealt_state(rules, (own_hand, (6, 6)), bids), 0), NETWORK)
    assert seat_beliefs.keys() == {1}
    total = sum(weights.values())
    for hand, prob in zip(seat_beliefs[1].hands, seat_beliefs[1].probs, strict=True):
        assert prob == pytest.approx(weights[hand] / total, abs=1e-4)


def test_no_hand_is_believed_to_be_one_that_is_rolled_again() -> None:
    rules = preset("chui-niu+reroll-different").ruleset
    shown = view(dealt_state(rules, ((1, 1, 3, 4, 5), (2, 2, 6, 6, 5))), 0)
    (belief,) = beliefs(shown, NETWORK).values()
    assert all(len(set(hand)) < 5 for hand in belief.hands)
    p_counts = total_probs(shown, {1: belief}, Bid(5, 4))
    known = odds(rules, Bid(5, 4), shown.hand, (5,), wilds_count=True)
    assert sum(p_counts[5:]) == pytest.approx(float(known.p_true), abs=1e-5)


@pytest.mark.parametrize("name", simulated_preset_names())
def test_the_belief_about_a_seat_that_has_not_bid_is_its_roll(name: str) -> None:
    rules = preset(name).ruleset
    shown = view(dealt_state(rules, ((1, 2, 3, 4, 5), (2, 2, 6))), 0)
    seat_beliefs = beliefs(shown, NETWORK)
    face = slot_faces(rules)[0]
    for quantity in range(1, 9):
        bid = Bid(quantity, face)
        p_true = sum(total_probs(shown, seat_beliefs, bid)[quantity:])
        assert p_true == pytest.approx(BidOdds(shown).p_bid(bid), abs=1e-5)


def test_large_hands_are_sampled() -> None:
    rules = preset("perudo").ruleset
    shown = view(dealt_state(rules, ((1, 2), (2,) * 12)), 0)
    belief = beliefs(shown, NETWORK)[1]
    assert {len(hand) for hand in belief.hands} == {12}
    mean = np.dot([hand.count(3) for hand in belief.hands], belief.probs)
    assert mean == pytest.approx(2, abs=0.2)


def test_beliefs_predict_the_standing_bid_better_than_the_own_dice_alone() -> None:
    """On the last turns of champions' rounds, the logarithmic loss with beliefs is lower than by the own dice alone."""
    rules, own_losses, belief_losses = preset("perudo").ruleset, list[float](), list[float]()
    for seed in range(30):
        shown, was_true = last_turn(rules, seed)
        assert shown.bid is not None
        known = odds(rules, shown.bid, shown.hand, shown.others, wilds_count=shown.wilds_count).p_true
        p_counts = total_probs(shown, beliefs(shown, NETWORK), shown.bid)
        own_losses.append(log_loss(known, happened=was_true))
        belief_losses.append(log_loss(sum(p_counts[shown.bid.quantity :]), happened=was_true))
    assert sum(belief_losses) < 0.97 * sum(own_losses)


def last_turn(rules: Ruleset, seed: int) -> tuple[View, bool]:
    """Return the view of the last to act in a round of champions, and whether the standing bid was true."""
    dealer, bots = Dealer(seed), [Champion(NETWORK, f"{seed} {seat}") for seat in range(3)]
    state = dealt_state(rules, first_round_hands(dealer, rules))
    while True:
        shown = view(state, state.turn)
        move = bots[state.turn].act(shown)
        assert move is not None
        after = evolve_all(state, decide(state, state.turn, move))
        if after.phase is not Phase.BIDDING:
            assert shown.bid is not None
            count = tally(rules, state.hands, shown.bid.face, wilds_count=shown.wilds_count).count
            return shown, count >= shown.bid.quantity
        state = after


def log_loss(prob: float | Fraction, *, happened: bool) -> float:
    """Return the logarithmic loss of a forecast, bounded."""
    bounded = min(max(float(prob), 0.005), 0.995)
    return -log(bounded if happened else 1 - bounded)


PERUDO = preset("perudo").ruleset
HANDS = ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6), (1, 4, 4, 5, 6))
BIDS = (Bid(3, 6), Bid(4, 6))


def shown_to(seat: int, hands: tuple[tuple[int, ...], ...] = HANDS, bids: tuple[Bid, ...] = BIDS) -> View:
    return view(dealt_state(PERUDO, hands, bids), seat)


def explained(own: tuple[int, ...] = HANDS[2]) -> Explanation:
    """What is made of the third seat's turn, if it holds these dice."""
    return explain(shown_to(2, (*HANDS[:2], own)))


def test_counts_follow_from_the_beliefs_about_hands() -> None:
    explanation = explained()
    assert [belief.seat for belief in explanation.count_beliefs] == [0, 1]
    for belief in explanation.count_beliefs:
        assert sum(belief.prior) == pytest.approx(1)
        assert sum(belief.posterior) == pytest.approx(1)
        assert expected_count(belief.prior) == pytest.approx(5 / 3)
        hands = explanation.beliefs[belief.seat]
        held = sum(p * sum(die in {1, 6} for die in hand) for hand, p in zip(hands.hands, hands.probs, strict=True))
        assert expected_count(belief.posterior) == pytest.approx(held)


def test_each_bid_that_is_considered_has_a_signal_and_some_tell_much() -> None:
    signals = {signal.bid: signal for signal in explained().signals}
    assert signals.keys() == {estimate.move for estimate in explained().moves if isinstance(estimate.move, Bid)}
    for signal in signals.values():
        assert sum(signal.before) == pytest.approx(1)
        assert sum(signal.after) == pytest.approx(1)
    told = [expected_count(signal.after) - expected_count(signal.before) for signal in signals.values()]
    assert max(map(abs, told)) > 0.05


def test_what_a_bid_tells_is_the_same_whatever_the_bidder_holds() -> None:
    """Otherwise the page would show what nobody at the table can know."""
    real, other = explained().signals, explained((6, 6, 6, 6, 6)).signals
    assert {signal.bid for signal in real} & {signal.bid for signal in other}
    by_bid = {signal.bid: signal for signal in other}
    for signal in real:
        if signal.bid in by_bid:
            assert signal.after == pytest.approx(by_bid[signal.bid].after, abs=1e-6)


def test_the_others_believe_after_a_bid_what_it_was_said_to_tell() -> None:
    signal = next(signal for signal in explained().signals if signal.bid == Bid(5, 6))
    belief = explain(shown_to(0, bids=(*BIDS, Bid(5, 6)))).count_beliefs[1]
    assert belief.seat == 2
    assert signal.after == pytest.approx(belief.posterior, abs=1e-4)


@pytest.mark.parametrize("own", [(1, 4, 4, 5, 6), (1, 1, 2, 3, 5)])
@pytest.mark.parametrize("name", ["perudo", "joker", "snyd-stairs+loser-pays"])
def test_what_a_hand_counts_is_what_the_rules_count(name: str, own: tuple[int, ...]) -> None:
    rules = preset(name).ruleset
    shown = view(dealt_state(rules, (HANDS[0], own), (Bid(2, 4),)), 1)
    explanation = explain(shown, signals=False)
    assert explanation.signals == ()
    (belief,) = explanation.count_beliefs
    hands = explanation.beliefs[0]
    probs = [0.0] * len(belief.posterior)
    for hand, prob in zip(hands.hands, hands.probs, strict=True):
        probs[tally(rules, (own, hand), 4, wilds_count=shown.wilds_count).counted[1]] += prob
    assert belief.posterior == pytest.approx(probs, abs=1e-12)


def test_counts_of_fair_dice_are_those_of_the_odds() -> None:
    rules = patched(PERUDO, dice__faces=8)
    shown = view(dealt_state(rules, HANDS, BIDS), 2)
    for belief in count_beliefs(shown):
        exact = odds(rules, Bid(2, 6), (), (5,), wilds_count=True)
        assert sum(belief.prior[2:]) == pytest.approx(float(exact.p_true))
    explanation = explain(shown)
    assert explanation.standing_bid is not None
    assert explanation.moves == ()
    exact = odds(rules, Bid(4, 6), HANDS[2], (5, 5), wilds_count=True)
    assert explanation.standing_bid.p_true_given_bids == pytest.approx(float(exact.p_true))


def test_without_a_bid_there_is_nothing_to_count() -> None:
    opening = shown_to(0, bids=())
    assert explain(opening).count_beliefs == ()
    assert count_beliefs(opening) == ()
