"""Odds of bids as the simple bots see them."""

from __future__ import annotations

from itertools import product

import msgspec
import pytest

from liarsdice.bots.registry import bot_names, make_bot
from liarsdice.bots.simple.simple_bots import Greedy, Threshold
from liarsdice.core.actions import Challenge, Deal
from liarsdice.core.engine.engine import decide, evolve_all, legal, start
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import view
from liarsdice.core.events import StarterFound
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import FaceOff, StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand, hands_that_count, tally
from tests.bots.positions import position
from tests.bots.simple.test_decisions import act_in, odds_in


def test_simple_bots_know_which_faces_the_dice_of_each_seat_have() -> None:
    rules = preset("basic+mixed-dice").ruleset
    # Ann's dice have four faces and Bo's six, so only Bo can hold a five, and nobody a seven.
    as_bo, as_ann = (
        odds_in(state) for state in (position(rules, ((4,), (5,)), "1x4"), position(rules, ((4, 4), (5, 2))))
    )
    assert [as_bo.p_standing, as_bo.p_bid(Bid(1, 5)), as_bo.p_bid(Bid(2, 5))] == [0.25, 1, 0]
    assert [as_ann.p_bid(Bid(1, face)) for face in (4, 5, 7)] == pytest.approx([1, 11 / 36, 0])
    assert act_in(Threshold(0.3), position(rules, ((4,), (3,)), "1x5")) == Challenge()
    for name in ("novice", "threshold", "greedy", "inference", "champion"):
        assert act_in(make_bot(name), position(rules, ((4,), (3,)), "1x7")) == Challenge()


def enumerated_odds(state: State, seat: int, bid: Bid, bidder: int, *, wilds_count: bool) -> float:
    """The share of all rolls of the dice that a seat does not see which make a bid of the bidder true."""
    rules, shown = state.ruleset, view(state, seat)
    hidden = [
        other
        for other in range(len(state.hands))
        if (shown.is_blind if other == seat else not (shown.open_hands and shown.seen))
    ]
    rolls = [
        list(product(range(1, rules.dice.faces_at(other) + 1), repeat=len(hand))) if other in hidden else [hand]
        for other, hand in enumerate(state.hands)
    ]
    deals = list(product(*rolls))
    counts = (
        tally(rules, hands_that_count(rules, hands, bidder), bid.face, wilds_count=wilds_count).count for hands in deals
    )
    return sum(count >= bid.quantity for count in counts) / len(deals)


@pytest.mark.parametrize("name", ["basic+mixed-dice", "basic+aetolia", "perudo+obligo-closed", "perudo+obligo-open"])
def test_odds_of_simple_bots_are_those_of_all_rolls_of_the_dice_that_they_do_not_see(name: str) -> None:
    rules = preset(name).ruleset
    special = 0 if rules.special_round else None
    least = 3 if name == "basic+aetolia" else 1
    hands: tuple[Hand, ...] = ((4,) * least, (3,) * (least + 1), (2, 1, 2))
    state = msgspec.structs.replace(start(rules, ("Ann", "Bo", "Cy")), dice=tuple(map(len, hands)))
    state = evolve_all(state, [StarterFound(0, StarterMethod.CHOSEN)])
    state = msgspec.structs.replace(state, special_seat=special)
    state = evolve_all(state, decide(state, None, Deal(hands)))
    state = evolve_all(state, decide(state, 0, Bid(1, 4)))
    assert view(state, 2).is_blind is (special is not None)
    for seat in (1, 2):
        odds = odds_in(msgspec.structs.replace(state, turn=seat))
        p_standing = enumerated_odds(state, seat, Bid(1, 4), 0, wilds_count=state.wilds_count)
        assert odds.p_standing == pytest.approx(p_standing)
        for bid in (Bid(2, 4), Bid(3, 4)):
            p_bid = enumerated_odds(state, seat, bid, seat, wilds_count=state.wilds_count)
            assert odds.p_bid(bid) == pytest.approx(p_bid)


def test_simple_bots_play_a_face_off_by_the_odds_of_both_dice() -> None:
    rules = patched(preset("basic").ruleset, bidding__face_off=FaceOff.SUM)
    # With a three, Bo needs a four or more for a sum of seven, and cannot have ten.
    hopeful, hopeless = position(rules, ((4,), (3,)), "sum7"), position(rules, ((4,), (3,)), "sum10")
    odds = odds_in(hopeful)
    assert [odds.p_standing, odds.p_exact, odds.p_bid(Bid(8, SUM_FACE))] == pytest.approx([1 / 2, 1 / 6, 1 / 3])
    assert odds_in(hopeless).p_standing == 0
    best = odds.most_probable(bids := legal(hopeful).bids)
    assert best is not None
    assert best[0] == bids[0]
    assert best[1] == pytest.approx(1 / 3)
    for name in ("novice", "forgetful", "cautious", "trusting", "threshold", "greedy", "inference", "champion"):
        if name in bot_names():
            assert act_in(make_bot(name), hopeless) == Challenge()
            assert act_in(make_bot(name), position(rules, ((4,), (3,)), "sum4")) != Challenge()


def test_the_greedy_bot_opens_a_face_off_on_the_same_sum_with_every_die() -> None:
    rules = patched(preset("basic").ruleset, bidding__face_off=FaceOff.SUM)
    # With a one, a sum of five needs a four or more: one half. A sum of six has one chance in three.
    for die in range(1, 7):
        assert act_in(Greedy(0.4), position(rules, ((die,), (3,)))) == Bid(5, SUM_FACE)
        assert act_in(Greedy(0.3), position(rules, ((die,), (3,)))) == Bid(6, SUM_FACE)
    # Above that, it bids the next sum if its own die makes it likelier than that the standing bid is false.
    assert act_in(Greedy(0.4), position(rules, ((4,), (6,)), "sum7")) == Bid(8, SUM_FACE)
