"""Odds of bids as the simple bots see them."""

from __future__ import annotations

import pytest

from liarsdice.bots.registry import bot_names, make_bot
from liarsdice.bots.simple.greedy import Greedy
from liarsdice.bots.simple.threshold import Threshold
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.engine import legal
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import FaceOff
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
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
