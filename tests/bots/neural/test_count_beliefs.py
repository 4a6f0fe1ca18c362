"""Beliefs about numbers of dice agree with those about hands, and a bid tells the others nothing of the real hand."""

from __future__ import annotations

import msgspec
import pytest

from liarsdice.bots.neural.belief import expected_count, fair_counts
from liarsdice.bots.neural.explain import Explanation, explain, explain_by_odds
from liarsdice.core.bids.odds import odds
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import tally
from tests.bots.positions import dealt_state

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
@pytest.mark.parametrize("name", ["perudo", "joker", "snyd-stairs"])
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
    for belief in fair_counts(shown):
        exact = odds(rules, Bid(2, 6), (), (5,), wilds_count=True)
        assert sum(belief.prior[2:]) == pytest.approx(float(exact.p_true))
    explanation = explain_by_odds(shown)
    assert explanation.standing_bid is not None
    assert explanation.moves == ()
    exact = odds(rules, Bid(4, 6), HANDS[2], (5, 5), wilds_count=True)
    assert explanation.standing_bid.p_true_given_bids == pytest.approx(float(exact.p_true))
    with pytest.raises(MalformedError):
        explain_by_odds(msgspec.structs.replace(shown, hand=()))


def test_without_a_bid_there_is_nothing_to_count() -> None:
    opening = shown_to(0, bids=())
    assert explain(opening).count_beliefs == ()
    assert fair_counts(opening) == ()
    assert explain_by_odds(opening).standing_bid is None
