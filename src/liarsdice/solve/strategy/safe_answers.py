"""Answers where a strategy has none: after bids that no player who follows it makes.

A strategy leaves out what follows a certain call that was not made: the caller would have won the most that can be won,
so whatever is answered gives nothing away. It says nothing either of the own decisions that it never comes to. There,
the best action is taken if the opponent answers a raise with its better call.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.game.public_tree import PublicTree
from liarsdice.solve.game.round_game import Situation
from liarsdice.solve.game.situation_graph import Step
from liarsdice.solve.strategy.reach import FloatArray
from liarsdice.solve.strategy.strategy import ActionProbs, Strategy


def safe_answer(strategy: Strategy, hand: Hand, bids: Sequence[Step]) -> ActionProbs:
    """Return the action of a hand after bids that the strategy does not cover, with probability 1.

    The opponent's hand is as likely as the strategy makes its bids with it, or as any roll if it makes none of them.
    """
    tree, index = strategy.tree, 0
    for bid in bids:
        index = dict(tree.game.situations[index].steps)[bid]
    situation = tree.game.situations[index]
    values = one_step_values(tree, situation, _opponent_probs(strategy, bids, 1 - situation.mover))
    best = int(values[:, tree.game.hands[situation.mover].index(tuple(sorted(hand)))].argmax())
    return {[*(call.action for call in situation.calls), *(step for step, _ in situation.steps)][best]: 1.0}


def one_step_values(tree: PublicTree, situation: Situation, opponent_probs: FloatArray) -> FloatArray:
    """Return what each action is worth to each hand of the mover, if a raise is answered by the better call.

    `opponent_probs`: float64 [hand of the opponent], sum 1. Returns float64 [action, hand]: calls, then raises.
    """
    own, other = situation.hand_buckets[situation.mover], situation.hand_buckets[1 - situation.mover]
    payoffs = tree.payoffs(situation, tree.outcome_values)
    rows = [payoff[np.ix_(own, other)] @ opponent_probs for payoff in payoffs]
    for _, index in situation.steps:
        after = tree.game.situations[index]
        caller, bidder = after.hand_buckets[after.mover], after.hand_buckets[1 - after.mover]
        replies = [payoff[np.ix_(caller, bidder)] for payoff in tree.payoffs(after, tree.outcome_values)]
        rows.append(-(opponent_probs @ np.max(replies, axis=0)))
    return np.stack(rows)


def _opponent_probs(strategy: Strategy, bids: Sequence[Step], seat: int) -> FloatArray:
    """Return the probability of each hand of a seat after some bids, float64 [hand]."""
    game = strategy.tree.game
    probs: FloatArray = game.hand_probs[seat].copy()
    for made in range(seat, len(bids), 2):
        for place, hand in enumerate(game.hands[seat]):
            if probs[place]:
                probs[place] *= _bid_prob(strategy, hand, bids[:made], bids[made])
    return probs / probs.sum() if probs.any() else game.hand_probs[seat]


def _bid_prob(strategy: Strategy, hand: Hand, bids: Sequence[Step], bid: Step) -> float:
    """Return the probability of a bid after others; 0 where the strategy says nothing."""
    try:
        return strategy.action_probs(hand, bids).get(bid, 0.0)
    except UnavailableError:
        return 0.0
