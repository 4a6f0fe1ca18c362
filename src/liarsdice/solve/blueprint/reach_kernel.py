"""The kernel of CFR on a recall graph: all bids and all pairs of hands, in two passes for either seat.

A node of the graph stands for many bid sequences, so what a player believes there is no product of what the two hands
do. The kernel keeps the reach of each pair of hands instead, which adds up over the sequences. The first pass, from
the root, computes it: the other seat follows its current strategy, and the learner too, but makes any action now and
then, so that it learns everywhere. The second pass, from the last bids back, computes the values of all pairs of hands
if both follow their current strategies, and adds to the regrets of the learner (regret matching+; Tammelin, *Solving
Large Imperfect Information Games Using CFR+*, 2014). Where a node stands for one sequence alone, this is CFR+. With
models the strategy of one seat is a restricted Nash response (Johanson et al., *Computing Robust Counter-Strategies*,
2007): this seat meets them, and the other one learns against this seat alone.
"""

import numpy as np

from liarsdice.runtime.kernel_cache import cached_kernel
from liarsdice.runtime.source_digest import source_digest
from liarsdice.solve.blueprint.learned_arrays import (
    OPTIONS,
    Learned,
    Models,
    NodeGroups,
    Pass,
    compiled,
    inlined,
    transpose,
    transpose_back,
)
from liarsdice.solve.blueprint.recall_graph import GraphArrays

SOURCES = (
    "liarsdice.solve.blueprint.recall_graph",
    "liarsdice.solve.blueprint.learned_arrays",
    "liarsdice.solve.blueprint.reach_kernel",
)
EXPLORE = 0.05
"""The share of the learner's actions that are made equally often."""
SMALLEST = np.float32(1e-30)
"""Regrets and reaches below this count as 0: what is divided by them would exceed a float32."""


@compiled
def match_regrets(learned: Learned, run: Pass, row: int, hands: int, count: int) -> None:
    """Write the current strategy of a node: in proportion to the regrets, or even. `row`: its first row."""
    regrets, strategy, totals = learned.regrets, run.strategy, run.masses
    totals[:hands] = 0
    for action in range(count):
        start = row + action * hands
        for hand in range(hands):
            totals[hand] += regrets[start + hand]
    even = np.float32(1) / np.float32(count)
    for hand in range(hands):
        totals[hand] = np.float32(1) / totals[hand] if totals[hand] >= SMALLEST else np.float32(0)
    for action in range(count):
        start = row + action * hands
        for hand in range(hands):
            share = regrets[start + hand] * totals[hand]
            strategy[action, hand] = share if totals[hand] > 0 else even


@compiled
def add_models(models: Models, run: Pass, row: int, hands: int, count: int) -> None:
    """Write the strategies of the models at a node behind the current one. `row`: its first row."""
    for model in range(len(models.shares)):
        weights, first = models.weights[model], (1 + model) * hands
        for hand in range(hands):
            total = np.float32(0)
            for action in range(count):
                total += np.float32(weights[row + action * hands + hand])
            for action in range(count):
                weight = np.float32(weights[row + action * hands + hand])
                run.strategy[action, first + hand] = weight / total if total > 0 else np.float32(1) / np.float32(count)


@compiled
def deal(graph: GraphArrays, run: Pass, models: Models, learner: int) -> None:
    """Write the reach of the root: how likely both have each pair of hands, and the other is each model."""
    first, second = graph.hand_counts
    kinds = 1 + len(models.shares)
    for kind in range(kinds):
        share = models.shares[kind - 1] if kind > 0 else np.float32(1) - models.shares.sum()
        for one in range(first):
            for other in range(second):
                prob = share * graph.hand_probs[0, one] * graph.hand_probs[1, other]
                place = (
                    one * kinds * second + kind * second + other
                    if learner == 0
                    else (kind * first + one) * second + other
                )
                run.reach[0, place] = prob


@compiled
def add_average(
    learned: Learned, run: Pass, node: int, row: int, hands: int, others: int, count: int, weight: float
) -> None:
    """Add the strategy of a node to its average, weighted by how likely each hand is there."""
    total = np.float32(0)
    for hand in range(hands):
        mass = np.float32(0)
        for other in range(others):
            mass += run.reach[node, hand * others + other]
        run.masses[hand] = mass
        total += mass
    for action in range(count if total >= SMALLEST else 0):
        for hand in range(hands):
            share = np.float32(weight) * run.masses[hand] / total
            learned.sums[row + action * hands + hand] += share * run.strategy[action, hand]


@compiled
def carry_own_reach(graph: GraphArrays, run: Pass, node: int, learner: int) -> None:
    """Add how likely the learner's own play leads to a node to that of its children."""
    mover, calls, first_child = graph.movers[node], graph.calls[node], graph.first_child[node]
    hands = graph.hand_counts[learner]
    raises = graph.first_child[node + 1] - first_child
    even = np.float32(1) / np.float32(calls + raises)
    for raised in range(raises):
        child = graph.children[first_child + raised]
        for hand in range(hands):
            share = even
            if mover == learner:
                share = np.float32(1 - EXPLORE) * run.strategy[calls + raised, hand] + np.float32(EXPLORE) * even
            run.own_reach[child, hand] += share * run.own_reach[node, hand]


@inlined
def held_hands(graph: GraphArrays, models: Models, seat: int, learner: int) -> int:
    """Return how many hands a seat has, those of the models included."""
    return int(graph.hand_counts[seat]) * (1 if seat == learner else 1 + len(models.shares))


@compiled
def carry_reach(graph: GraphArrays, run: Pass, models: Models, node: int, learner: int) -> None:
    """Add the reach of a node to the blocks of its raises, and to what goes to all of them alike."""
    mover, calls = graph.movers[node], graph.calls[node]
    hands, others = held_hands(graph, models, mover, learner), held_hands(graph, models, 1 - mover, learner)
    raises = graph.first_child[node + 1] - graph.first_child[node]
    explored = np.float32(EXPLORE) if mover == learner else np.float32(0)
    each = explored / np.float32(calls + raises)
    for hand in range(hands):
        reach = run.reach[node, hand * others : (hand + 1) * others]
        for raised in range(raises):
            share = (np.float32(1) - explored) * run.strategy[calls + raised, hand]
            if share > 0:
                block = run.blocks[raised, hand]
                for other in range(others):
                    block[other] += share * reach[other]
        if explored > 0:
            for other in range(others):
                run.even[hand, other] += each * reach[other]


@compiled
def compute_reach(
    graph: GraphArrays, groups: NodeGroups, learned: Learned, run: Pass, models: Models, learner: int, weight: float
) -> None:
    """Compute how all nodes are reached, and add to the average strategy of the seat that does not learn.

    `weight`: of its current strategy in the average.
    """
    deal(graph, run, models, learner)
    for hand in range(graph.hand_counts[learner]):
        run.own_reach[0, hand] = 1
    for group in range(len(groups.first_member) - 1):
        top = groups.members[groups.first_member[group]]
        mover, calls, first_child = graph.movers[top], graph.calls[top], graph.first_child[top]
        hands, others = held_hands(graph, models, mover, learner), held_hands(graph, models, 1 - mover, learner)
        raises = graph.first_child[top + 1] - first_child
        run.blocks[:raises, :hands, :others] = 0
        run.even[:hands, :others] = 0
        for raised in range(raises):
            run.own_reach[graph.children[first_child + raised], :] = 0
        for member in range(groups.first_member[group], groups.first_member[group + 1]):
            node = groups.members[member]
            row, learned_hands, count = graph.first_row[node], graph.hand_counts[mover], calls + raises
            match_regrets(learned, run, row, learned_hands, count)
            if mover != learner:
                add_models(models, run, row, learned_hands, count)
            carry_own_reach(graph, run, node, learner)
            carry_reach(graph, run, models, node, learner)
            if mover != learner and weight > 0:
                add_average(learned, run, node, row, learned_hands, others, count, weight)
        for raised in range(raises):
            for hand in range(hands):
                for other in range(others):
                    run.blocks[raised, hand, other] += run.even[hand, other]
            transpose(run.blocks[raised], run.reach[graph.children[first_child + raised]], hands, others)


@compiled
def add_regrets(learned: Learned, run: Pass, node: int, row: int, hands: int, others: int, count: int) -> None:
    """Add to the regrets of the learner's actions at a node, and leave out what falls below 0.

    The values are weighted as in CFR: by how likely the other seat comes to the node, given the learner's hand.
    """
    gains, means = run.gains, run.masses
    for hand in range(hands):
        own = run.own_reach[node, hand]
        factor = np.float32(1) / own if own >= SMALLEST else np.float32(0)
        reach = run.reach[node, hand * others : (hand + 1) * others]
        mean = np.float32(0)
        for action in range(count):
            block, value = run.blocks[action, hand], np.float32(0)
            for other in range(others):
                value += reach[other] * block[other]
            gains[action, hand] = factor * value
            mean += factor * value * run.strategy[action, hand]
        means[hand] = mean
    for action in range(count):
        start = row + action * hands
        for hand in range(hands):
            regret = learned.regrets[start + hand] + gains[action, hand] - means[hand]
            learned.regrets[start + hand] = max(regret, np.float32(0))


@compiled
def compute_values(
    graph: GraphArrays, groups: NodeGroups, learned: Learned, run: Pass, models: Models, learner: int
) -> None:
    """Compute the values of all nodes, and add to the regrets of the learner."""
    blocks, strategy = run.blocks, run.strategy
    for group in range(len(groups.first_member) - 2, -1, -1):
        top = groups.members[groups.first_member[group]]
        mover, calls, situation = graph.movers[top], graph.calls[top], graph.situations[top]
        hands, others = held_hands(graph, models, mover, learner), held_hands(graph, models, 1 - mover, learner)
        learned_hands, learned_others = graph.hand_counts[mover], graph.hand_counts[1 - mover]
        count = (graph.first_row[top + 1] - graph.first_row[top]) // learned_hands
        for call in range(calls):
            for hand in range(hands):
                payoffs = graph.payoffs[situation, call, graph.buckets[mover, situation, hand % learned_hands]]
                for other in range(others):
                    blocks[call, hand, other] = payoffs[graph.buckets[1 - mover, situation, other % learned_others]]
        for raised in range(count - calls):
            child = graph.children[graph.first_child[top] + raised]
            transpose_back(run.values[child], blocks[calls + raised], others, hands)
        for member in range(groups.first_member[group], groups.first_member[group + 1]):
            node = groups.members[member]
            row = graph.first_row[node]
            match_regrets(learned, run, row, learned_hands, count)
            if mover != learner:
                add_models(models, run, row, learned_hands, count)
            for hand in range(hands):
                values = run.values[node, hand * others : (hand + 1) * others]
                values[:] = 0
                for action in range(count):
                    share = strategy[action, hand]
                    if share > 0:
                        block = blocks[action, hand]
                        for other in range(others):
                            values[other] += share * block[other]
            if mover == learner:
                add_regrets(learned, run, node, row, hands, others, count)


@cached_kernel(source_digest(*SOURCES), OPTIONS)
def learn(
    graph: GraphArrays, groups: NodeGroups, learned: Learned, run: Pass, met: tuple[Models, Models], number: int
) -> None:
    """Do one iteration, in which either seat learns once. `number`: its number, from 1.

    `met`: the models that each seat meets. If one meets some, only its strategy is averaged. The value is what the
    round is worth to seat 0 if both play what they have learned.
    """
    leaning = 1 if len(met[1].shares) > 0 else 0
    for learner in range(2):
        weight = float(number) ** 2 if learner != leaning or len(met[leaning].shares) == 0 else 0.0
        compute_reach(graph, groups, learned, run, met[learner], learner, weight)
        compute_values(graph, groups, learned, run, met[learner], learner)
        if learner != leaning:
            value = 0.0
            for pair in range(graph.hand_counts[0] * graph.hand_counts[1]):
                value += run.reach[0, pair] * run.values[0, pair]
            learned.value[0] += 2 / (number + 1) * (value - learned.value[0])
