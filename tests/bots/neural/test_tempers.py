"""Tempers: a champion's style."""

from __future__ import annotations

from itertools import count

from liarsdice.bots.neural.champion import Champion, Temper, champion_network
from liarsdice.core.actions import Challenge
from liarsdice.core.bids.odds import p_true
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.play.match import Dealer
from tests.bots.positions import dealt_state, first_round_hands


def challenge_rate_and_bid_odds(temper: Temper | None) -> tuple[float, float]:
    """Return how often a champion of this temper challenges, and the mean probability of its bids, in 400 turns."""
    bot, rules = Champion(champion_network(), "seed", temper), preset("perudo").ruleset
    challenges, bid_odds, turns = 0, list[float](), 0
    for seed in count():
        other = Champion(champion_network(), seed)
        state = dealt_state(rules, first_round_hands(Dealer(seed), rules))
        while state.phase is Phase.BIDDING:
            shown = view(state, state.turn)
            move = bot.act(shown)
            turns += 1
            challenges += isinstance(move, Challenge)
            if isinstance(move, Bid):
                bid_odds.append(_p_true(shown, move))
            other_move = other.act(shown)
            assert other_move is not None
            state = evolve_all(state, decide(state, state.turn, other_move))
        if turns >= 400:
            return challenges / turns, sum(bid_odds) / len(bid_odds)
    raise AssertionError


def _p_true(shown: View, bid: Bid) -> float:
    return p_true(shown.ruleset, bid, shown.hand, shown.others, wilds_count=shown.wilds_count)


def test_tempers_change_how_often_bids_are_challenged_and_how_likely_bids_are() -> None:
    by_temper = {temper: challenge_rate_and_bid_odds(temper) for temper in (None, *Temper)}
    plain_rate, plain_odds = by_temper[None]
    assert by_temper[Temper.SUSPICIOUS][0] > plain_rate > by_temper[Temper.TRUSTING][0]
    assert by_temper[Temper.CAUTIOUS][1] > plain_odds > by_temper[Temper.BOLD][1]
