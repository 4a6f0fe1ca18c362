"""What each action of a solved round is worth to a hand, given beliefs about the opponent's hand."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from liarsdice.core.actions import AnswerDouble, Challenge, Exact
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand, listed_hand
from liarsdice.solve.round_game import Situation, Step, SubtreeType, one_step_values
from liarsdice.solve.strategy.reach import FloatArray, Int64Array, VisitedNodes, iter_nodes, root_nodes
from liarsdice.solve.strategy.strategy import ActionProbs, Strategy

Action = Bid | Challenge | Exact | AnswerDouble
MIN_ACTION_PROB = 0.01
"""Less likely actions further down are left out; there are far more bid sequences with them than without."""
MIN_REACH = 1e-6
"""Nodes that both hands together come to less likely than this are left out."""
NOT_COVERED = -1
"""In place of a subtree type: the strategy's tree has no such node."""


class _Nodes(NamedTuple):
    """Nodes of one situation and subtree type, below the actions whose values are computed.

    `first_rows`, `action`: int64 [node], where the rows of the node begin, and which of the actions leads to it. `own`:
    float64 [node], how likely the player's own hand comes here; `other`: float64 [node, hand], the same of each hand of
    the opponent.
    """

    first_rows: Int64Array
    action: Int64Array
    own: FloatArray
    other: FloatArray


def action_values(
    strategy: Strategy,
    hand: Hand,
    bids: Sequence[Step],
    opponent_probs: Mapping[Hand, float],
    actions: Collection[Action] | None = None,
) -> dict[Action, float]:
    """Return what every legal action is worth to the player on turn, if both follow the strategy from there on.

    `opponent_probs`: how likely each hand of the opponent is, sum 1. `actions`: only these, if given. Values are those
    of the tree's outcomes: in a match from -1 (lost) to 1 (won). At nodes that the strategy does not cover, the better
    call is assumed.
    """
    situations = strategy.tree.game.situations
    index, type_id, first_row = 0, strategy.tree.root, 0
    for bid in bids:
        slot = [step for step, _ in situations[index].steps].index(bid)
        index = situations[index].steps[slot][1]
        type_id, first_row = _child(strategy, type_id, first_row, slot)
    return _Values(strategy, situations[index].mover, hand, opponent_probs).of(index, type_id, first_row, actions)


def _child(strategy: Strategy, type_id: int, first_row: int, slot: int) -> tuple[int, int]:
    """Return the subtree type and the first row after a raise; `NOT_COVERED` where the tree has no such node."""
    types = strategy.tree.subtree_types
    if type_id == NOT_COVERED or not types[type_id].children:
        return NOT_COVERED, 0
    return types[type_id].children[slot], first_row + types[type_id].child_offsets[slot]


class _Values:
    """Computes values for one hand of `seat` against beliefs about the other hand."""

    def __init__(self, strategy: Strategy, seat: int, hand: Hand, opponent_probs: Mapping[Hand, float]) -> None:
        self._strategy = strategy
        self._game = strategy.tree.game
        self._seat = seat
        self._hand = self._game.hands[seat].index(listed_hand(self._game.rules, hand))
        self._other = np.zeros(len(self._game.hands[1 - seat]))
        for other, prob in opponent_probs.items():
            self._other[self._game.hands[1 - seat].index(other)] += prob

    def of(self, index: int, type_id: int, first_row: int, actions: Collection[Action] | None) -> dict[Action, float]:
        """Return the value of each action in a situation."""
        situation = self._game.situations[index]
        values: dict[Action, float] = {}
        for call, payoff in zip(situation.calls, self._payoffs(situation), strict=True):
            values[call.action] = float(payoff @ self._other)
        waiting: dict[int, dict[int, list[_Nodes]]] = defaultdict(lambda: defaultdict(list))
        wanted = [slot for slot, (step, _) in enumerate(situation.steps) if actions is None or step in actions]
        for number, slot in enumerate(wanted):
            child_type, child_row = _child(self._strategy, type_id, first_row, slot)
            nodes = _Nodes(np.array([child_row]), np.array([number]), np.ones(1), self._other[np.newaxis])
            waiting[situation.steps[slot][1]][child_type].append(nodes)
        for number, value in enumerate(self._values_below(waiting, len(wanted))):
            values[situation.steps[wanted[number]][0]] = float(value)
        return {action: value for action, value in values.items() if actions is None or action in actions}

    def _values_below(self, waiting: dict[int, dict[int, list[_Nodes]]], count: int) -> FloatArray:
        """Return the values of `count` actions, float64 [action], from the nodes that they lead to."""
        values, mass = np.zeros(count), np.zeros(count)
        for index in range(len(self._game.situations)):  # raises lead to later situations
            for type_id, parts in waiting.pop(index, {}).items():
                nodes = _Nodes(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
                situation = self._game.situations[index]
                probs = self._probs(situation, type_id, nodes)
                reached = nodes.own[:, np.newaxis, np.newaxis] * nodes.other[:, np.newaxis] * probs
                for call, payoff in enumerate(self._payoffs(situation)):
                    np.add.at(values, nodes.action, reached[:, call] @ payoff)
                    np.add.at(mass, nodes.action, reached[:, call].sum(axis=1))
                self._add_children(situation, type_id, nodes, probs, waiting)
        return values / np.maximum(mass, np.finfo(float).tiny)

    def _payoffs(self, situation: Situation) -> list[FloatArray]:
        """Return what each call is worth to the player, float64 [hand of the opponent]."""
        tree, seat = self._strategy.tree, self._seat
        own, others = situation.hand_buckets[seat][self._hand], situation.hand_buckets[1 - seat]
        payoffs = situation.payoffs(tree.outcome_values)
        return [payoff[own, others] if situation.mover == seat else -payoff[others, own] for payoff in payoffs]

    def _probs(self, situation: Situation, type_id: int, nodes: _Nodes) -> FloatArray:
        """Return the probability of each action of the mover, float64 [node, action, hand of the opponent].

        The last axis has length 1 where the player is the mover.
        """
        is_own, count = situation.mover == self._seat, len(nodes.own)
        payoffs = self._payoffs(situation)
        actions = len(situation.calls) + len(situation.steps)
        if is_own:
            expected = np.stack([nodes.other @ payoff for payoff in payoffs], axis=1)
            calls = expected.argmax(axis=1)[:, np.newaxis]
            probs = np.zeros((count, actions, 1))
        else:
            calls = np.repeat(np.stack(payoffs).argmin(axis=0)[np.newaxis], count, axis=0)
            probs = np.zeros((count, actions, len(self._other)))
        np.put_along_axis(probs, calls[:, np.newaxis], 1.0, axis=1)  # every bid may be called
        if type_id != NOT_COVERED:
            subtree = self._strategy.tree.subtree_types[type_id]
            self._fill_covered(subtree, self._strategy.node_weights(type_id, nodes.first_rows), probs, is_own=is_own)
        return probs

    def _fill_covered(self, subtree: SubtreeType, weights: FloatArray, probs: FloatArray, *, is_own: bool) -> None:
        """Write the strategy's probabilities over the calls that stand in `probs`, where it covers a hand.

        `weights`: float64 [node, action, deciding hand].
        """
        hands = [subtree.mover_hands[place] for place in subtree.deciding]
        columns = [hands.index(self._hand)] if self._hand in hands else []
        columns, targets = (columns, [0] * len(columns)) if is_own else (list(range(len(hands))), hands)
        if not columns:
            return
        weights = weights[:, :, columns]
        total = weights.sum(axis=1, keepdims=True)
        likely = np.where(weights >= MIN_ACTION_PROB * total, weights, 0)
        filled = np.zeros((*probs.shape[:2], len(columns)))
        filled[:, : subtree.action_count] = likely / np.maximum(likely.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        probs[:, :, targets] = np.where(total > 0, filled, probs[:, :, targets])

    def _add_children(
        self,
        situation: Situation,
        type_id: int,
        nodes: _Nodes,
        probs: FloatArray,
        waiting: dict[int, dict[int, list[_Nodes]]],
    ) -> None:
        """Add the nodes after each raise that both hands come to likely enough."""
        is_own = situation.mover == self._seat
        for slot, (_, child_index) in enumerate(situation.steps):
            raised = probs[:, len(situation.calls) + slot]
            own = nodes.own * raised[:, 0] if is_own else nodes.own
            other = nodes.other if is_own else nodes.other * raised
            likely = own * other.sum(axis=1) > MIN_REACH
            if not likely.any():
                continue
            child_type, offset = _child(self._strategy, type_id, 0, slot)
            rows = nodes.first_rows[likely] + offset
            waiting[child_index][child_type].append(_Nodes(rows, nodes.action[likely], own[likely], other[likely]))


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


def safe_answer(strategy: Strategy, hand: Hand, bids: Sequence[Step]) -> ActionProbs:
    """Return the action of a hand after bids that the strategy does not cover, with probability 1.

    The opponent's hand is as likely as the strategy makes its bids with it, or as any roll if it makes none of them.
    """
    tree, index = strategy.tree, 0
    for bid in bids:
        index = dict(tree.game.situations[index].steps)[bid]
    situation = tree.game.situations[index]
    opponent_probs = _opponent_probs(strategy, bids, 1 - situation.mover)
    values = one_step_values(tree.game, situation, tree.outcome_values, opponent_probs)
    best = int(values[:, tree.game.hands[situation.mover].index(listed_hand(tree.game.rules, hand))].argmax())
    return {[*(call.action for call in situation.calls), *(step for step, _ in situation.steps)][best]: 1.0}


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
