"""The threshold bots, with and without credit, make no bid that their own dice rule out."""

from __future__ import annotations

import pytest

from liarsdice.bots.protocol import Bot
from liarsdice.bots.registry import make_bot
from liarsdice.bots.simple.bid_odds import BID_CREDIT, BidOdds
from liarsdice.bots.simple.simple_bots import Threshold
from liarsdice.core.actions import Challenge, PlayerAction
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from tests.bots.positions import position

BASIC = preset("basic").ruleset


@pytest.mark.parametrize("bot", [Threshold(0.0), Threshold(0.2, BID_CREDIT)])
def test_a_bid_that_the_own_dice_rule_out_is_no_way_round_a_challenge(bot: Bot) -> None:
    """One die each: a bid of two dice needs Bo's own, and Bo holds no three, four, five or six to raise 2x2."""
    assert bot.act(view(position(BASIC, ((4,), (2,)), "1x6"), 1)) == Bid(2, 2)
    assert bot.act(view(position(BASIC, ((4,), (2,)), "2x2"), 1)) == Challenge()


@pytest.mark.parametrize("bot", ["threshold:0", "threshold:0.2", "inference", "greedy", "regular"])
def test_no_bot_bids_in_a_match_what_its_own_dice_rule_out(bot: str) -> None:
    ruled_out: list[View] = []

    class Watched:
        def __init__(self, seed: int) -> None:
            self._bot = make_bot(bot, seed)

        def act(self, view: View) -> PlayerAction | None:
            move = self._bot.act(view)
            if isinstance(move, Bid) and view.may_challenge and BidOdds(view).p_bid(move) == 0:
                ruled_out.append(view)
            return move

    for seed in range(6):
        play_match(preset("joker").ruleset, [Watched(seed), Watched(seed + 100)], seed=seed)
    assert ruled_out == []
