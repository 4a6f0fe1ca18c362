"""What others may hold, by their bids: Bayes' rule done the long way, and matches in which it has to be right."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import pytest

from liarsdice.bots.neural.belief import STRANGE, beliefs, counts
from liarsdice.bots.neural.champion import Champion, model
from liarsdice.bots.neural.features import BIDS, STEPS, read
from liarsdice.bots.neural.observation import hand_places, scene_of
from liarsdice.core.bids.odds import odds
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import names, preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import tally
from liarsdice.play.dealer import Dealer
from tests.bots.tables import dealt, hands_of

NETWORK = model(1)


def likelihood(rules: Ruleset, hands: tuple[tuple[int, ...], ...], bids: tuple[Bid, ...]) -> float:
    """How likely the last bid was, of who made it with these hands; the rest of the bids just stand there."""
    *before, bid = bids
    state = dealt(rules, hands, tuple(before))
    reading = read(scene_of(view(state, state.turn)), knows_stairs=NETWORK.knows_stairs)
    chances = NETWORK.chances(reading.numbers, reading.legal)[0]
    place = hand_places(rules).index(bid.face)
    said = [
        float(chances[answer])
        for answer in range(BIDS)
        if answer // STEPS == place and reading.quantities[0, place, answer % STEPS] == bid.quantity
    ]
    return (1 - STRANGE) * sum(said) + STRANGE / int(reading.legal.sum())


@pytest.mark.parametrize("name", ["perudo", "joker", "mustache", "snyd-stairs"])
def test_a_belief_is_bayes_rule_over_all_rolls(name: str) -> None:
    rules = preset(name).ruleset
    bids = (Bid(1, 2), Bid(1, 4), Bid(2, 4), Bid(2, 5))
    mine = (2, 4)
    plainly: dict[tuple[int, ...], float] = {}
    for roll in product(range(1, 7), repeat=2):
        chance = 1.0
        for count in (2, 4):  # the bids of the second seat
            chance *= likelihood(rules, (mine, roll), bids[:count])
        hand = tuple(sorted(roll))
        plainly[hand] = plainly.get(hand, 0.0) + chance
    found = beliefs(view(dealt(rules, (mine, (6, 6)), bids), 0), NETWORK)
    assert found.keys() == {1}
    whole = sum(plainly.values())
    for hand, chance in zip(found[1].hands, found[1].chances, strict=True):
        assert chance == pytest.approx(plainly[hand] / whole, abs=1e-4)


@pytest.mark.parametrize("name", names())
def test_who_has_said_nothing_may_hold_anything(name: str) -> None:
    rules = preset(name).ruleset
    shown = view(dealt(rules, ((1, 2, 3, 4, 5), (2, 2, 6))), 0)
    believed = beliefs(shown, NETWORK)
    face = hand_places(rules)[0]
    for wilds in (False, True):
        found = counts(shown, believed, face, wilds_count=wilds)
        for quantity in range(1, 9):
            known = odds(rules, Bid(quantity, face), shown.hand, (3,), wilds_count=wilds)
            assert sum(found[quantity:]) == pytest.approx(float(known.p_true), abs=1e-5)
            exactly = found[quantity] if quantity < len(found) else 0
            assert exactly == pytest.approx(float(known.p_exact), abs=1e-5)


def test_large_hands_are_drawn_by_chance() -> None:
    rules = preset("perudo").ruleset
    shown = view(dealt(rules, ((1, 2), (2,) * 12)), 0)
    belief = beliefs(shown, NETWORK)[1]
    assert {len(hand) for hand in belief.hands} == {12}
    mean = np.dot([hand.count(3) for hand in belief.hands], belief.chances)
    assert mean == pytest.approx(2, abs=0.2)


def test_what_is_heard_is_nearer_the_truth() -> None:
    """Where champions doubt, the bid is judged better with what the bids tell than by the own dice alone."""
    rules, plain, heard = preset("perudo").ruleset, list[float](), list[float]()
    for seed in range(30):
        shown, true = last_turn(rules, seed)
        assert shown.bid is not None
        known = odds(rules, shown.bid, shown.hand, shown.others, wilds_count=shown.wilds_count).p_true
        told = counts(shown, beliefs(shown, NETWORK), shown.bid.face, wilds_count=shown.wilds_count)
        plain.append(surprise(known, happened=true))
        heard.append(surprise(sum(told[shown.bid.quantity :]), happened=true))
    assert sum(heard) < 0.97 * sum(plain)


def last_turn(rules: Ruleset, seed: int) -> tuple[View, bool]:
    """What the last to act in a round of champions was shown, and whether the standing bid was true."""
    dealer, bots = Dealer(seed), [Champion(NETWORK, f"{seed} {seat}") for seat in range(3)]
    state = dealt(rules, hands_of(dealer, rules))
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


def surprise(chance: float | Fraction, *, happened: bool) -> float:
    """The logarithmic loss of a forecast."""
    told = min(max(float(chance), 0.005), 0.995)
    return -log(told if happened else 1 - told)
