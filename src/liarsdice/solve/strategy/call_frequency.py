"""How often each hand calls a standing bid under a strategy, over all bid sequences that lead to it."""

from __future__ import annotations

import msgspec
import numpy as np

from liarsdice.core.actions import AnswerDouble
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.strategy.reach import FloatArray, VisitedNodes, iter_nodes, root_nodes
from liarsdice.solve.strategy.strategy import Strategy


class CallFrequency(msgspec.Struct, frozen=True):
    """How a seat's hands answer a bid when both players follow the strategy.

    `p_faced`: float64 [hand], the probability that the hand comes to face the bid. `p_called`: float64 [hand], the
    probability that it then calls; nan for a hand that never faces the bid.
    """

    bid: Bid
    seat: int
    hands: tuple[Hand, ...]
    p_faced: FloatArray
    p_called: FloatArray


def call_frequencies(strategy: Strategy) -> list[CallFrequency]:
    """Return the call frequencies of all bids that can be faced, lowest bids first.

    Only plain calls count, which end the round, and not those for twice the stake that are answered.
    """
    tree = strategy.tree
    faced: dict[int, FloatArray] = {}
    called: dict[int, FloatArray] = {}
    for visited in iter_nodes(tree, strategy.node_probs, tree.root, root_nodes(tree, (0, 1))):
        subtree = tree.subtree_types[visited.type_id]
        situation = tree.game.situations[subtree.situation]
        if situation.calls and not isinstance(situation.calls[0].action, AnswerDouble):
            zeros = np.zeros(len(tree.game.hands[situation.mover]))
            hands = list(subtree.mover_hands)
            node_faced, node_called = _faced_and_called(strategy, visited)
            faced.setdefault(subtree.situation, zeros.copy())[hands] += node_faced
            called.setdefault(subtree.situation, zeros.copy())[hands] += node_called
    frequencies = []
    for index in sorted(faced):
        situation = tree.game.situations[index]
        assert situation.bid is not None
        seat, p_faced = situation.mover, faced[index]
        p_called = np.divide(called[index], p_faced, out=np.full(len(p_faced), np.nan), where=p_faced > 0)
        p_faced_by_hand = p_faced / tree.game.hand_probs[seat]
        frequencies.append(CallFrequency(situation.bid, seat, tree.game.hands[seat], p_faced_by_hand, p_called))
    return frequencies


def _faced_and_called(strategy: Strategy, visited: VisitedNodes) -> tuple[FloatArray, FloatArray]:
    """Return how likely the mover's hands come to nodes, and how likely they call there: twice float64 [hand]."""
    subtree = strategy.tree.subtree_types[visited.type_id]
    mover = strategy.tree.game.situations[subtree.situation].mover
    bidder_reach = visited.nodes.reach_of(1 - mover).sum(axis=1)
    faced = bidder_reach @ visited.nodes.reach_of(mover)
    called = faced.copy()
    if visited.action_reach is not None:
        call_count = subtree.action_count - len(subtree.children)
        called[list(subtree.deciding)] = bidder_reach @ visited.action_reach[:, :call_count].sum(axis=1)
    return faced, called
