"""The kernel of the best response to a player of a recall graph: all bids that the player lets happen.

The player forgets early bids, the opponent does not, so the kernel goes through bid sequences, not through nodes. It
is compiled because training asks for it often. It lists the sequences that the best response looks at, each after the
one that it continues, so that no function calls itself: numba cannot store such functions on disk.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.runtime.kernel_cache import cached_kernel
from liarsdice.runtime.source_digest import source_digest
from liarsdice.solve.blueprint.learned_arrays import OPTIONS, compiled
from liarsdice.solve.blueprint.recall_graph import FloatArray, GraphArrays

SOURCES = (
    "liarsdice.solve.blueprint.recall_graph",
    "liarsdice.solve.blueprint.learned_arrays",
    "liarsdice.solve.blueprint.worst_case_kernel",
)
FIRST_CAPACITY = 4096
"""The number of sequences that there is room for at first; it is doubled as often as needed."""
LEAST = -2.0
"""Less than anything that is won; the kernel may not compute with infinity."""


class Sequences(NamedTuple):
    """Bid sequences, each after the one that it continues; the first has no bids.

    `nodes`: int64 [sequence], the node of the recall graph. `before`: int64 [sequence], the sequence that it continues,
    and `actions`: int64 [sequence], by which action there. `reach`: float64 [sequence, hand of the player], how likely
    the player has each hand and makes its bids of the sequence.
    """

    nodes: NDArray[np.int64]
    before: NDArray[np.int64]
    actions: NDArray[np.int64]
    reach: FloatArray


@compiled
def with_room(sequences: Sequences, capacity: int) -> Sequences:
    """Return sequences with room for so many."""
    count, hands = sequences.reach.shape
    nodes, before, actions = np.zeros(capacity, np.int64), np.zeros(capacity, np.int64), np.zeros(capacity, np.int64)
    reach = np.zeros((capacity, hands))
    nodes[:count], before[:count], actions[:count] = sequences.nodes, sequences.before, sequences.actions
    reach[:count] = sequences.reach
    return Sequences(nodes, before, actions, reach)


@compiled
def list_sequences(graph: GraphArrays, probs: FloatArray, seat: int, min_reach: float) -> tuple[Sequences, int]:
    """Return the sequences that a best response of a seat looks at, and how many there are.

    `probs`: float64 [node, action, hand of the player]. `min_reach`: see `best_response`.
    """
    start = np.zeros((1, graph.hand_probs.shape[1]))
    start[0] = graph.hand_probs[1 - seat]
    none = np.zeros(1, np.int64)
    sequences, count, place = with_room(Sequences(none, none, none, start), FIRST_CAPACITY), 1, 0
    while place < count:
        node = sequences.nodes[place]
        calls, first = graph.calls[node], graph.first_child[node]
        raises = graph.first_child[node + 1] - first
        if count + raises > len(sequences.nodes):
            sequences = with_room(sequences, 2 * (count + raises))
        is_own = graph.movers[node] == seat
        if is_own and calls > 0 and sequences.reach[place].sum() < min_reach:
            raises = 0
        for raised in range(raises):
            reach = sequences.reach[place]
            if not is_own:
                reach = reach * probs[node, calls + raised]
            if reach.any():
                sequences.nodes[count] = graph.children[first + raised]
                sequences.before[count], sequences.actions[count] = place, calls + raised
                sequences.reach[count] = reach
                count += 1
        place += 1
    return sequences, count


@compiled
def called(graph: GraphArrays, seat: int, node: int, call: int, reach: FloatArray) -> FloatArray:
    """Return what a call of the mover is worth to each hand of a seat, float64 [hand].

    `reach`: float64 [hand of the other seat], the weight of each hand of the other seat.
    """
    situation, is_mover = graph.situations[node], graph.movers[node] == seat
    payoffs, hands = graph.payoffs[situation, call], len(reach)
    masses, values = np.zeros(payoffs.shape[0]), np.zeros(hands)
    for hand in range(graph.hand_counts[1 - seat]):
        masses[graph.buckets[1 - seat, situation, hand]] += reach[hand]
    for hand in range(graph.hand_counts[seat]):
        own = graph.buckets[seat, situation, hand]
        for other in range(len(masses)):
            values[hand] += masses[other] * (payoffs[own, other] if is_mover else -payoffs[other, own])
    return values


@compiled
def respond(
    graph: GraphArrays, probs: FloatArray, seat: int, sequences: Sequences, count: int
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Return what a best response wins in all, float64 [own hand], and its actions, int64 [sequence, own hand]."""
    hands = sequences.reach.shape[1]
    values, best = np.zeros((count, hands)), np.full((count, hands), -1, np.int64)
    for place in range(count):
        if graph.movers[sequences.nodes[place]] == seat:
            values[place] = LEAST
    for place in range(count - 1, -1, -1):
        node, reach = sequences.nodes[place], sequences.reach[place]
        is_own = graph.movers[node] == seat
        for call in range(graph.calls[node]):
            won = called(graph, seat, node, call, reach if is_own else reach * probs[node, call])
            for hand in range(hands):
                if not is_own:
                    values[place, hand] += won[hand]
                elif won[hand] > values[place, hand]:
                    values[place, hand], best[place, hand] = won[hand], call
        if place > 0:
            before, action = sequences.before[place], sequences.actions[place]
            for hand in range(hands):
                if graph.movers[sequences.nodes[before]] != seat:
                    values[before, hand] += values[place, hand]
                elif values[place, hand] > values[before, hand]:
                    values[before, hand], best[before, hand] = values[place, hand], action
    return values[0], best


@cached_kernel(source_digest(*SOURCES), OPTIONS)
def best_response(graph: GraphArrays, probs: FloatArray, seat: int, min_reach: float, decides: FloatArray) -> float:
    """Return what a best response of a seat wins against a player, and add where it makes the player decide.

    `probs`: float64 [node, action, hand], how the player acts. Where the player's own bids lead less often than
    `min_reach` over all its hands, the seat only calls. `decides`: float64 [node, hand of the player], how likely the
    player decides there with each hand.
    """
    sequences, count = list_sequences(graph, probs, seat, min_reach)
    values, best = respond(graph, probs, seat, sequences, count)
    masses = np.zeros(sequences.reach.shape)
    masses[0] = graph.hand_probs[seat]
    for place in range(count):
        node = sequences.nodes[place]
        if place > 0:
            before, action = sequences.before[place], sequences.actions[place]
            is_own = graph.movers[sequences.nodes[before]] == seat
            for hand in range(len(masses[place])):
                if not is_own or best[before, hand] == action:
                    masses[place, hand] = masses[before, hand]
        if graph.movers[node] != seat:
            decides[node] += sequences.reach[place] * masses[place].sum()
    won = 0.0
    for hand in range(graph.hand_counts[seat]):
        won += masses[0, hand] * values[hand]
    return won
