"""What a decision cost under rules that the simulator or the network does not know: the engine plays rounds on."""

from __future__ import annotations

from itertools import islice

import numpy as np

from liarsdice.analysis.review.assessment import Assessment, played_assessment, solved_assessment
from liarsdice.analysis.review.decisions import Decision
from liarsdice.analysis.review.hidden_hands import beliefs_given_moves, count_beliefs, draw_hands, reference
from liarsdice.analysis.review.reasons import total_probs
from liarsdice.analysis.review.results import Source, is_judged_by_simulator
from liarsdice.bots.neural.engine_playouts import play_on_by_engine
from liarsdice.bots.neural.explain import Explanation, network_values
from liarsdice.bots.neural.hand_moves import Situation, hand_moves
from liarsdice.bots.neural.observation import is_observable
from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.actions import Challenge, PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.values.endgames import endgame_values
from liarsdice.values.playouts import knows_bids
from liarsdice.values.round_ends import RoundEndValues

MAX_BIDS = 5
"""How many bids are compared, beside the move that was made and all moves that are no bids."""
MIN_P_RIGHT = 0.25
"""Calls out of turn that are right with a lower probability are not compared with silence."""


def needs_engine(decision: Decision) -> bool:
    """Return whether the simulator or the network does not know the rules, or a bid of the round."""
    return not (
        is_judged_by_simulator(decision.view.ruleset) and knows_bids(decision.view, decision.round_dice, decision.move)
    )


def assess_by_engine(decision: Decision, values: RoundEndValues, deals: int, seed: int) -> Assessment:
    """Return what a decision cost. `deals`: how many are played on."""
    shown, beliefs = decision.view, beliefs_given_moves(decision)
    explanation = Explanation(None, (), (), beliefs, count_beliefs(shown, beliefs))
    if shown.on_turn and list(beliefs) == [seat for seat, held in enumerate(shown.dice) if held and seat != shown.seat]:
        ((_, belief), *others) = beliefs.items()
        solved = None if others else endgame_values(shown, belief.by_hand())
        if solved is not None:
            return solved_assessment(decision, solved, explanation)
    if not shown.on_turn and decision.move is None and not _may_call(shown, explanation):
        return Assessment(decision, Source.BELIEFS, 0.0, 0.0, None, (), explanation)
    rng = np.random.default_rng((seed, decision.number))
    moves = candidate_moves(decision)
    hands = draw_hands(shown, beliefs, deals, rng)
    playouts = play_on_by_engine(shown, moves, hands, reference(), rng)
    return played_assessment(values, decision, moves, playouts, explanation)


def candidate_moves(decision: Decision) -> list[PlayerAction | None]:
    """Return the moves that are worth comparing: the one made, those that are no bids, and the most promising bids."""
    shown, made = decision.view, decision.move
    if not shown.on_turn:
        return list(dict.fromkeys([made, None, *shown.moves]))
    others = [move for move in shown.moves if not isinstance(move, Bid)]
    return list(dict.fromkeys([made, *others, *islice(_bids_by_promise(shown), MAX_BIDS)]))


def _bids_by_promise(shown: View) -> list[PlayerAction]:
    """Return bids with the most promising first: the champion's own, then those of the value network or the odds."""
    if not shown.may_bid:
        return []
    (moves,) = hand_moves(reference(), [Situation(shown, [shown.hand])])
    played = sorted(moves.all_probs(shown.hand).items(), key=lambda item: -item[1])
    first = [move for move, _ in played if move is not None and not isinstance(move, Challenge)]
    if is_observable(shown.ruleset) and not shown.is_blind and not shown.face_off:
        values = network_values(shown)
        rest = sorted((move for move in values if isinstance(move, Bid)), key=lambda move: -values[move])
    else:
        odds = BidOdds(shown)
        rest = sorted(shown.may_bid, key=lambda bid: -odds.p_bid(bid))
    return [*islice(first, 2), *rest]


def _may_call(shown: View, explanation: Explanation) -> bool:
    """Return whether a call out of turn is likely enough to be right to be compared with silence."""
    bid = shown.bid
    if bid is None:
        return False
    totals = total_probs(shown, explanation.beliefs, bid)
    p_false, p_exact = sum(totals[: bid.quantity]), sum(totals[bid.quantity : bid.quantity + 1])
    challenges = shown.may_challenge or shown.may_double
    return (challenges and p_false >= MIN_P_RIGHT) or (shown.may_call_exact and p_exact >= MIN_P_RIGHT)
