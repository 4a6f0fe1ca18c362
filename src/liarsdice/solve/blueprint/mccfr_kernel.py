"""The kernel of Monte Carlo CFR on a recall graph: walks that sample bids and carry all hands along.

Lanctot et al., *Monte Carlo Sampling for Regret Minimization in Extensive Games* (2009). One walk teaches one seat. Of
the other seat's raises one is sampled, by how likely all its hands together make them. Each of the own raises is
entered with a probability of its own (Russian roulette). The challenge is the baseline: a raise that is left out counts
as much, and one that is entered counts for those left out (Schmid et al., *Variance Reduction in Monte Carlo CFR*,
2019). Calls are settled against all hands of the other seat.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from liarsdice.runtime.kernel_cache import cached_kernel
from liarsdice.runtime.source_digest import source_digest
from liarsdice.solve.blueprint.mccfr_arrays import Learned, Walk, WalkSettings
from liarsdice.solve.blueprint.recall_graph import GraphArrays

SOURCES = (
    "liarsdice.solve.blueprint.recall_graph",
    "liarsdice.solve.blueprint.mccfr_arrays",
    "liarsdice.solve.blueprint.mccfr_kernel",
)
OPTIONS: dict[str, Any] = {"fastmath": True, "nogil": True, "error_model": "numpy"}

Function = TypeVar("Function", bound=Callable[..., Any])


def inlined(function: Function) -> Function:
    """Compile a function into the kernel."""
    return cast("Function", njit(forceinline=True, **OPTIONS)(function))


@inlined
def draw(rng: NDArray[np.uint64]) -> float:
    """Return a random number from 0 to 1 (Marsaglia, *Xorshift RNGs*, 2003).

    `rng`: the state of the generator, uint64 [1], which changes.
    """
    state = rng[0]
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    rng[0] = state
    return float(np.float64(state >> np.uint64(11)) * 2.0**-53)


@inlined
def match_regrets(graph: GraphArrays, learned: Learned, walk: Walk, depth: int) -> None:
    """Write the current strategy of the mover of a node: in proportion to the positive regrets, or even."""
    node, regrets, strategy, totals = walk.node[depth], learned.regrets, walk.strategy, walk.totals
    hands = graph.hand_counts[graph.movers[node]]
    row = graph.first_row[node]
    count = (graph.first_row[node + 1] - row) // hands
    for hand in range(hands):
        totals[hand] = 0
    for action in range(count):
        start = row + action * hands
        for hand in range(hands):
            positive = max(regrets[start + hand], np.float32(0))
            strategy[depth, action, hand] = positive
            totals[hand] += positive
    for hand in range(hands):
        totals[hand] = np.float32(1) / totals[hand] if totals[hand] > 0 else np.float32(0)
    even = np.float32(1) / np.float32(count)
    for action in range(count):
        for hand in range(hands):
            share = strategy[depth, action, hand] * totals[hand]
            strategy[depth, action, hand] = share if totals[hand] > 0 else even


@inlined
def settle_own(graph: GraphArrays, walk: Walk, depth: int, call: int) -> None:
    """Write the value of a call of the learner."""
    node, weights, by_bucket, payoffs = walk.node[depth], walk.weights, walk.by_bucket, graph.payoffs
    learner, situation = graph.movers[node], graph.situations[node]
    size = payoffs.shape[2]
    for bucket in range(size):
        weights[bucket] = 0
    for hand in range(graph.hand_counts[1 - learner]):
        weights[graph.buckets[1 - learner, situation, hand]] += walk.reach[depth, hand]
    for bucket in range(size):
        total = np.float32(0)
        for held in range(size):
            total += payoffs[situation, call, bucket, held] * weights[held]
        by_bucket[bucket] = total
    for hand in range(graph.hand_counts[learner]):
        walk.values[depth, call, hand] = by_bucket[graph.buckets[learner, situation, hand]]


@inlined
def settle_other(graph: GraphArrays, walk: Walk, depth: int, call: int) -> None:
    """Add the value to the learner of a call of the other seat, whose hands reach it as `Walk.strategy` says."""
    node, weights, by_bucket, payoffs = walk.node[depth], walk.weights, walk.by_bucket, graph.payoffs
    other, situation = graph.movers[node], graph.situations[node]
    size = payoffs.shape[2]
    for bucket in range(size):
        weights[bucket] = 0
    for hand in range(graph.hand_counts[other]):
        weights[graph.buckets[other, situation, hand]] += walk.strategy[depth, call, hand]
    for bucket in range(size):
        total = np.float32(0)
        for held in range(size):
            total += payoffs[situation, call, held, bucket] * weights[held]
        by_bucket[bucket] = total
    for hand in range(graph.hand_counts[1 - other]):
        walk.value[depth, hand] -= by_bucket[graph.buckets[1 - other, situation, hand]]


@inlined
def enter_own(graph: GraphArrays, learned: Learned, walk: Walk, settings: WalkSettings, depth: int) -> None:
    """Settle the calls of the learner, and draw which raises are entered."""
    node = walk.node[depth]
    learner, calls = graph.movers[node], graph.calls[node]
    hands = graph.hand_counts[learner]
    for call in range(calls):
        walk.keep[depth, call] = 1
        settle_own(graph, walk, depth, call)
    for action in range(calls, (graph.first_row[node + 1] - graph.first_row[node]) // hands):
        mean = np.float32(0)
        for hand in range(hands):
            mean += walk.strategy[depth, action, hand] * graph.hand_probs[learner, hand]
        p_keep = min(max(settings.roulette * float(mean), settings.min_keep), 1.0)
        walk.keep[depth, action] = 1.0 / p_keep if draw(learned.rng) < p_keep else 0.0
    walk.next_action[depth] = calls


@inlined
def leave_own(graph: GraphArrays, learned: Learned, walk: Walk, time: float, depth: int) -> None:
    """Compute the value of a node of the learner, and add to its regrets. `time`: the weight of the iteration."""
    node, strategy, values, totals = walk.node[depth], walk.strategy, walk.values, walk.totals
    hands = graph.hand_counts[graph.movers[node]]
    row, calls = graph.first_row[node], graph.calls[node]
    count = (graph.first_row[node + 1] - row) // hands
    for hand in range(hands):
        totals[hand] = values[depth, 0, hand] if calls else learned.baseline[hand]
        walk.value[depth, hand] = totals[hand]
    for action in range(count):
        factor = walk.keep[depth, action]
        if factor > 0:
            for hand in range(hands):
                gain = values[depth, action, hand] - totals[hand]
                walk.value[depth, hand] += factor * strategy[depth, action, hand] * gain
    weight = np.float32(time) * walk.scale[depth]
    for action in range(count):
        factor, start = walk.keep[depth, action], row + action * hands
        if factor > 0:
            for hand in range(hands):
                # without the factor of the action's own share, as its regret is only learned when it is entered
                gain = values[depth, action, hand] - totals[hand]
                mean_value = walk.value[depth, hand] - strategy[depth, action, hand] * gain * (factor - 1)
                learned.regrets[start + hand] += weight * factor * (values[depth, action, hand] - mean_value)
    if not calls:
        for hand in range(hands):
            learned.baseline[hand] += np.float32(2 / (time + 1)) * (walk.value[depth, hand] - learned.baseline[hand])


@inlined
def enter_other(graph: GraphArrays, learned: Learned, walk: Walk, time: float, depth: int) -> None:
    """Add to the summed strategy of the other seat, turn `Walk.strategy` into reach, and settle its calls."""
    node = walk.node[depth]
    other = graph.movers[node]
    hands, row = graph.hand_counts[other], graph.first_row[node]
    weight = np.float32(time) * walk.scale[depth]
    for action in range((graph.first_row[node + 1] - row) // hands):
        start, mass = row + action * hands, np.float32(0)
        for hand in range(hands):
            reached = walk.strategy[depth, action, hand] * walk.reach[depth, hand]
            walk.strategy[depth, action, hand] = reached
            learned.sums[start + hand] += weight * reached
            mass += reached
        walk.masses[action] = mass
    for hand in range(graph.hand_counts[1 - other]):
        walk.value[depth, hand] = 0
    for call in range(graph.calls[node]):
        settle_other(graph, walk, depth, call)


@inlined
def sample_raise(graph: GraphArrays, learned: Learned, walk: Walk, settings: WalkSettings, depth: int) -> bool:
    """Sample a raise of the other seat and write how its hands reach the node after it; returns if there is one."""
    node, masses = walk.node[depth], walk.masses
    hands, calls = graph.hand_counts[graph.movers[node]], graph.calls[node]
    count = (graph.first_row[node + 1] - graph.first_row[node]) // hands
    raised, some = np.float32(0), 0
    for action in range(calls, count):
        raised += masses[action]
        some += masses[action] > 0
    drawn, chosen, p_chosen = draw(learned.rng), -1, 1.0
    for action in range(calls, count):
        if masses[action] > 0 and drawn >= 0:
            chosen = action
            p_chosen = (1 - settings.explore) * masses[action] / raised + settings.explore / some
            drawn -= p_chosen
    if chosen < 0:
        return False
    factor = np.float32(1 / p_chosen)
    for hand in range(hands):
        walk.reach[depth + 1, hand] = walk.strategy[depth, chosen, hand] * factor
    walk.node[depth + 1] = graph.children[graph.first_child[node] + chosen - calls]
    walk.scale[depth + 1] = walk.scale[depth]
    return True


@inlined
def enter_next(graph: GraphArrays, walk: Walk, depth: int) -> bool:
    """Set up the node after the learner's next raise that is entered; returns whether there is one."""
    node, action = walk.node[depth], walk.next_action[depth]
    learner = graph.movers[node]
    count = (graph.first_row[node + 1] - graph.first_row[node]) // graph.hand_counts[learner]
    while action < count and walk.keep[depth, action] == 0:
        action += 1
    walk.next_action[depth] = action
    if action == count:
        return False
    for hand in range(graph.hand_counts[1 - learner]):
        walk.reach[depth + 1, hand] = walk.reach[depth, hand]
    walk.node[depth + 1] = graph.children[graph.first_child[node] + action - graph.calls[node]]
    walk.scale[depth + 1] = walk.scale[depth] * walk.keep[depth, action]
    return True


@inlined
def take_value(graph: GraphArrays, walk: Walk, depth: int, learner: int) -> None:
    """Take the value of the node below: as that of the action that led there, or as a part of the own value."""
    hands, action = graph.hand_counts[learner], walk.next_action[depth]
    if graph.movers[walk.node[depth]] == learner:
        for hand in range(hands):
            walk.values[depth, action, hand] = walk.value[depth + 1, hand]
        walk.next_action[depth] = action + 1
    else:
        for hand in range(hands):
            walk.value[depth, hand] += walk.value[depth + 1, hand]


@cached_kernel(source_digest(*SOURCES), OPTIONS)
def learn(
    graph: GraphArrays, learned: Learned, walk: Walk, settings: WalkSettings, first: int, iterations: int
) -> None:
    """Do some iterations, each with a walk for either seat. `first`: the number of the first one, from 1."""
    for number in range(2 * iterations):
        learner, time = number % 2, float(first + number // 2)
        for hand in range(graph.hand_counts[1 - learner]):
            walk.reach[0, hand] = graph.hand_probs[1 - learner, hand]
        walk.node[0], walk.scale[0] = 0, np.float32(1)
        depth, entering = 0, True
        while depth >= 0:
            is_own, goes_down = graph.movers[walk.node[depth]] == learner, False
            if entering:
                match_regrets(graph, learned, walk, depth)
                if is_own:
                    enter_own(graph, learned, walk, settings, depth)
                else:
                    enter_other(graph, learned, walk, time, depth)
                    goes_down = sample_raise(graph, learned, walk, settings, depth)
            if is_own:
                goes_down = enter_next(graph, walk, depth)
                if not goes_down:
                    leave_own(graph, learned, walk, time, depth)
            entering = goes_down
            depth += 1 if goes_down else -1
            if depth >= 0 and not goes_down:
                take_value(graph, walk, depth, learner)
