"""When the simple bots show dice with a bid."""

from __future__ import annotations

import pytest

from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.bots.simple.moves import with_shown_dice
from liarsdice.bots.simple.simple_bots import Greedy, Misjudgement, Misjudging, Novice, Threshold
from liarsdice.core.actions import BidAndShow
from liarsdice.core.bids.odds import odds
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import MalformedError
from liarsdice.core.events import BidMade
from liarsdice.core.records.position import read_position
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match

RULES = preset("bluff+show-dice").ruleset


def on_turn(hands: str, bids: str) -> View:
    rules = '{"extends":"bluff","bidding":{"show_dice":"counting"}}'
    state = read_position(f"bidding {hands} 1 {bids} 1 {rules} Ann,Bo")
    return view(state, 1)


def test_dice_are_shown_with_an_uncertain_bid_that_becomes_more_probable() -> None:
    seen = on_turn("22456/33125", "0:3x2")
    assert with_shown_dice(seen, BidOdds(seen), Bid(5, 3)) == BidAndShow(Bid(5, 3), (3, 3, 1))
    alone = float(odds(RULES, Bid(5, 3), (3, 3, 1, 2, 5), (5,), wilds_count=True).p_true)
    shown = float(odds(RULES, Bid(5, 3), (3, 3, 1), (5, 2), wilds_count=True).p_true)
    assert BidOdds(seen).p_bid(Bid(5, 3)) == pytest.approx(alone)
    assert BidOdds(seen).after_showing((3, 3, 1)).p_bid(Bid(5, 3)) == pytest.approx(shown)


def test_no_dice_are_shown_with_a_safe_bid_and_none_that_count_for_nothing() -> None:
    seen = on_turn("22456/33125", "0:3x2")
    assert with_shown_dice(seen, BidOdds(seen), Bid(3, 3)) == Bid(3, 3)
    none = on_turn("22456/33225", "0:3x2")
    assert with_shown_dice(none, BidOdds(none), Bid(4, 6)) == Bid(4, 6)


def test_the_other_simple_bots_show_dice_too() -> None:
    seen = on_turn("22456/33125", "0:4x3")
    greedy = Greedy(0.3).act(seen)
    assert isinstance(greedy, BidAndShow)
    assert greedy.shown == seen.showable(greedy.bid)
    novice = Novice().act(on_turn("22456/33125", "0:1x2"))
    assert novice == BidAndShow(Bid(1, 3), (3, 3, 1))
    moves = {kind: Misjudging(kind).act(seen) for kind in Misjudgement}
    assert any(isinstance(move, BidAndShow) for move in moves.values()), moves


def test_one_die_stays_under_the_cup_of_a_bot_whose_dice_all_count() -> None:
    seen = on_turn("22456/33", "0:3x2")
    move = with_shown_dice(seen, BidOdds(seen), Bid(5, 3))
    assert move in (Bid(5, 3), BidAndShow(Bid(5, 3), (3,)))


def test_odds_are_for_dice_under_the_cup() -> None:
    seen = on_turn("22456/33125", "0:3x2")
    with pytest.raises(MalformedError, match="not under the cup"):
        BidOdds(seen).after_showing((6,))


def test_bots_play_matches_with_shown_dice_to_the_end() -> None:
    result = play_match(RULES, [Threshold(), Threshold(0.3, 0.7)], ["Ann", "Bo"], seed=3)
    assert result.match.is_over
    assert not result.faults
    assert any(isinstance(event, BidMade) and event.shown for event in result.events)
