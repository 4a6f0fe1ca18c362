"""What a solved round teaches a network: all decisions of a blueprint, as rows of features and probabilities.

A network remembers as much of a round as a blueprint that remembers three bids: the latest one of the other player and
the one before it, and its own latest one. It also sees the number of bids, which the blueprint forgets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.neural.features import (
    ACTION_COUNT,
    BID_ACTIONS,
    BID_COUNT_FEATURE,
    BID_COUNT_SCALE,
    CHALLENGE,
    EXACT,
    FEATURE_COUNT,
    QUANTITY_STEPS,
    NetworkInput,
    encode,
    seat_apart,
)
from liarsdice.bots.neural.observation import BoolArray, FloatArray, IntArray, observe, with_hands
from liarsdice.core.engine.state import State
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.node_groups import make_node_groups
from liarsdice.solve.blueprint.recall_graph import RecallGraph, bids_to_nodes
from liarsdice.solve.blueprint.worst_case_kernel import best_response
from liarsdice.solve.game.round_game import state_before_bids
from liarsdice.solve.game.round_views import view_after
from liarsdice.values.rule_features import slot_faces

RECALL = 3
"""How many bids of a round of two players a network sees with their faces and quantities."""
MAX_PLACE = 5
"""The other player sits up to so many seats away; the seats between them hold no dice."""
BESIDE_SHARE = 0.5
"""The share of drawn rows in which the players sit beside each other, as at a table of two; others are even."""
MIN_REACH = 0.001
"""The opponents that training looks for look ahead where the network's own bids lead at least so often."""
NO_ACTION = -1
"""In place of an action of the network: there is none for this bid."""

Float64Array = NDArray[np.float64]


class Lessons(NamedTuple):
    """The decisions of a blueprint, one row for each node and each hand of its mover.

    `features`: float16 [row, feature], of players who sit beside each other. `action_mask`: bool [row, action].
    `probs`: float32 [row, action], how the blueprint plays. `unsaid`: float32 [row], the probability of bids that are
    no action of the network, by which `probs` were divided. `nodes`, `hands`: int64 [row]. `actions`: int8 [row, action
    of the node], as actions of the network, or `NO_ACTION`. `bid_counts`: bool [node, number], whether so many bids may
    lead to the node; `features` tell one of these numbers.
    """

    features: NDArray[np.float16]
    action_mask: BoolArray
    probs: FloatArray
    unsaid: FloatArray
    nodes: IntArray
    hands: IntArray
    actions: NDArray[np.int8]
    bid_counts: BoolArray


def make_lessons(blueprint: Blueprint) -> Lessons:
    """Return what a blueprint teaches."""
    graph = blueprint.graph
    counts = graph.arrays.hand_counts[graph.arrays.movers]
    nodes = np.repeat(np.arange(len(counts)), counts)
    first_rows = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    features = np.zeros((len(nodes), FEATURE_COUNT), np.float16)
    mask = np.zeros((len(nodes), ACTION_COUNT), np.bool_)
    actions = np.full((len(nodes), _most_actions(graph)), NO_ACTION, np.int8)
    shares = np.zeros(actions.shape)
    sequences, before_bids = bids_to_nodes(graph), state_before_bids(graph.game.rules, graph.game.start)
    for node in range(len(counts)):
        rows = slice(first_rows[node], first_rows[node + 1])
        inputs = _inputs(graph, node, before_bids, sequences[node])
        features[rows] = inputs.features
        mask[rows] = inputs.action_mask
        known = _network_actions(graph, node, inputs)
        actions[rows, : known.shape[1]] = known
        shares[rows, : known.shape[1]] = blueprint.node_probs(node).T
    probs = np.zeros(mask.shape, np.float32)
    for action in range(actions.shape[1]):
        rows_with = np.flatnonzero(actions[:, action] != NO_ACTION)
        probs[rows_with, actions[rows_with, action]] = shares[rows_with, action]
    said = probs.sum(axis=1, keepdims=True)
    even = mask / mask.sum(axis=1, keepdims=True)
    probs = np.where(said > 0, probs / np.where(said > 0, said, 1), even).astype(np.float32)
    hands = np.arange(len(nodes)) - first_rows[nodes]
    return Lessons(features, mask, probs, 1 - said[:, 0], nodes, hands, actions, _bid_counts(graph))


def draw_features(lessons: Lessons, rows: IntArray, rng: np.random.Generator) -> NDArray[np.float16]:
    """Return features of rows, float16 [row, feature], by chance as far as a blueprint does not tell them apart.

    These are where the other player sits, and any number of bids that may have led there.
    """
    features = lessons.features[rows]
    is_beside = rng.random(len(rows)) < BESIDE_SHARE
    seat_apart(features, np.where(is_beside, 1, rng.integers(1, MAX_PLACE + 1, len(rows))))
    allowed = lessons.bid_counts[lessons.nodes[rows]]
    features[:, BID_COUNT_FEATURE] = (rng.random(allowed.shape) * allowed).argmax(axis=1) / BID_COUNT_SCALE
    return features


def node_probs(graph: RecallGraph, lessons: Lessons, probs: FloatArray) -> Float64Array:
    """Return probabilities by row, float32 [row, action], as those of all nodes, float64 [node, action, hand]."""
    table = np.zeros((len(graph.nodes), lessons.actions.shape[1], graph.arrays.hand_probs.shape[1]))
    for action in range(lessons.actions.shape[1]):
        rows = np.flatnonzero(lessons.actions[:, action] != NO_ACTION)
        table[lessons.nodes[rows], action, lessons.hands[rows]] = probs[rows, lessons.actions[rows, action]]
    return table


def worst_case(
    graph: RecallGraph, lessons: Lessons, probs: FloatArray, min_reach: float = MIN_REACH
) -> tuple[float, Float64Array]:
    """Return a lower bound of the exploitability of probabilities, float32 [row, action], and where it comes from.

    The second result says how often a row decides while best responses play against it, float64 [row].
    """
    table = node_probs(graph, lessons, probs)
    visits = np.zeros((len(graph.nodes), graph.arrays.hand_probs.shape[1]))
    values = [best_response(graph.arrays, table, seat, min_reach, visits) for seat in (0, 1)]
    return float(np.mean(values)), visits[lessons.nodes, lessons.hands]


def own_reach(graph: RecallGraph, lessons: Lessons) -> Float64Array:
    """Return how likely each hand is dealt and its own bids lead to its node, float64 [row]."""
    table, arrays = node_probs(graph, lessons, lessons.probs), graph.arrays
    reach = np.zeros((2, len(graph.nodes), table.shape[2]))
    reach[:, 0] = arrays.hand_probs
    for node in make_node_groups(graph).members.tolist():
        mover, calls, first = arrays.movers[node], arrays.calls[node], arrays.first_child[node]
        for raised, child in enumerate(arrays.children[first : arrays.first_child[node + 1]].tolist()):
            for seat in (0, 1):
                share = table[node, calls + raised] if seat == mover else 1.0
                reach[seat, child] = np.maximum(reach[seat, child], share * reach[seat, node])
    return np.asarray(reach[arrays.movers[lessons.nodes], lessons.nodes, lessons.hands])


def _most_actions(graph: RecallGraph) -> int:
    return int((graph.arrays.calls + np.diff(graph.arrays.first_child)).max())


def _bid_counts(graph: RecallGraph) -> BoolArray:
    """Return whether so many bids may lead to a node, bool [node, number]."""
    counts = np.zeros((len(graph.nodes), graph.depth), np.bool_)
    counts[0, 0] = True
    for node in make_node_groups(graph).members.tolist():
        first, after_last = graph.arrays.first_child[node : node + 2]
        counts[graph.arrays.children[first:after_last], 1:] |= counts[node, :-1]
    return counts


def _inputs(graph: RecallGraph, node: int, before_bids: State, bids: Sequence[Bid]) -> NetworkInput:
    """Return the network's input with each hand of the mover of a node, after the bids that lead there."""
    rules, mover = graph.game.rules, int(graph.arrays.movers[node])
    shown = observe(view_after(before_bids, bids, mover))
    return encode(with_hands(shown, rules, graph.game.hands[mover]))


def _network_actions(graph: RecallGraph, node: int, inputs: NetworkInput) -> IntArray:
    """Return the actions of a node as actions of the network with each hand, int64 [hand, action of the node]."""
    index = int(graph.arrays.situations[node])
    situation, slots = graph.game.situations[index], slot_faces(graph.game.rules)
    columns = [np.full(len(inputs.features), EXACT if call.exact else CHALLENGE) for call in situation.calls]
    for place in graph.menus[index]:
        bid = situation.raises[place][0]
        slot = slots.index(bid.face)
        step = bid.quantity - inputs.quantities[:, slot, 0]
        known = (step >= 0) & (step < QUANTITY_STEPS)
        columns.append(np.where(known, slot * QUANTITY_STEPS + step, NO_ACTION))
    assert all((column < BID_ACTIONS).all() for column in columns[len(situation.calls) :])
    return np.stack(columns, axis=1)
