"""When simple bots pass and doubt passes, and what a pass tells the bot that goes by what others do."""

from __future__ import annotations

import pytest

from liarsdice.bots.protocol import Bot
from liarsdice.bots.registry import make_bot
from liarsdice.bots.simple.bid_odds import BID_CREDIT, FALSE_PASS_RATE, BidOdds, counts_after_pass, p_pass_true
from liarsdice.bots.simple.simple_bots import Greedy, Misjudgement, Misjudging, Novice, Threshold
from liarsdice.core.actions import ChallengePass, Pass
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import View, view
from liarsdice.core.records.position import read_position, write_position
from liarsdice.core.rules.presets import preset

PASS = preset("perudo+pass").ruleset
BOTS = (Threshold(), Greedy(), Novice(), *map(Misjudging, Misjudgement))


def seen(hands: str, turn: int, bids: str, rules: str = "perudo+pass", further: str = "") -> View:
    """The view of the seat on turn at a table of Ann, Bo and Cy."""
    written = f' {{"passes":{further}}}' if further else ""
    return view(read_position(f"bidding {hands} {turn} {bids} 1 {rules_text(rules)} Ann,Bo,Cy{written}"), turn)


def rules_text(name: str) -> str:
    """The rules as a position names them: the changes to a preset without options."""
    return write_position(start(preset(name).ruleset, ("Ann", "Bo"))).split()[5]


def is_pass(bot: object, shown: View) -> bool:
    assert isinstance(bot, Threshold | Greedy | Novice | Misjudging)
    return bot.act(shown) == Pass()


@pytest.mark.parametrize("bot", [Threshold(), Greedy(), Novice()], ids=repr)
def test_a_bot_passes_with_a_hand_that_allows_it(bot: object) -> None:
    assert is_pass(bot, seen("12346/22555/33446", 1, "0:5x5"))


@pytest.mark.parametrize("bot", BOTS, ids=repr)
def test_no_bot_passes_falsely(bot: object) -> None:
    assert not is_pass(bot, seen("12346/23555/33446", 1, "0:5x5"))


@pytest.mark.parametrize("bot", [Threshold(), Greedy()], ids=repr)
def test_a_bot_challenges_or_bids_where_that_is_better_than_a_pass(bot: object) -> None:
    assert not is_pass(bot, seen("12346/22555/33446", 1, "0:12x6"))
    assert not is_pass(bot, seen("12346/22555/33446", 1, "0:2x4"))


def test_a_pass_that_is_improbable_is_doubted_and_a_usual_one_is_not() -> None:
    alike = seen("12346/22555/33446", 2, "0:4x6", "perudo+pass-alike", "[[1,1]]")
    assert Threshold().act(alike) == ChallengePass()
    usual = seen("12346/22555/33446", 2, "0:4x6", "perudo+pass", "[[1,1]]")
    assert Threshold().act(usual) != ChallengePass()


@pytest.mark.parametrize("bot", [*BOTS, make_bot("champion")], ids=[*map(repr, BOTS), "champion"])
def test_a_bidder_without_another_move_doubts_the_last_pass(bot: Bot) -> None:
    shown = seen("12344/22555/33446", 0, "0:15x1", "perudo+pass", "[[1,1],[2,1]]")
    assert not shown.may_bid
    assert not shown.may_challenge
    assert bot.act(shown) == ChallengePass()


def test_a_pass_is_probably_true_if_players_seldom_pass_falsely() -> None:
    prior = 1026 / 7776  # 6 alike, 720 different, 300 full houses
    assert p_pass_true(PASS, 5) == pytest.approx(prior / (prior + (1 - prior) * FALSE_PASS_RATE))
    assert p_pass_true(PASS, 4) == 0.0


def test_after_a_pass_the_hand_is_one_of_those_that_allow_it() -> None:
    probs = counts_after_pass(PASS, 5, frozenset({4}))
    assert sum(probs) == pytest.approx(1)
    assert probs[1] == pytest.approx((600 + FALSE_PASS_RATE * (3125 - 600)) / (1026 + FALSE_PASS_RATE * 6750))
    assert sum(count * prob for count, prob in enumerate(probs)) == pytest.approx(5 / 6)  # no face is favoured


def test_inference_goes_by_a_pass_and_the_odds_of_the_dice_do_not() -> None:
    state = read_position(f"bidding 12346/22555/33446 1 0:4x6 1 {rules_text('perudo+pass')} Ann,Bo,Cy")
    after: State = evolve_all(state, decide(state, 1, Pass()))
    silent = view(state, 2)
    told = view(after, 2)
    assert BidOdds(told).p_standing == BidOdds(silent).p_standing
    assert BidOdds(told, BID_CREDIT).p_standing != pytest.approx(BidOdds(silent, BID_CREDIT).p_standing)
