"""The walk over the public tree: everything that runs compiled, in one file, since compiled callers remember callees.

Loops run over whole blocks, of which the compiler makes vectors. Shares, the chances of actions, are never kept: a
positive number times `norm`, plus `even`. Nothing is allocated, so that no references need be counted either (`_nrt`),
which took half of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

from liarsdice.solve.blocks import (
    ACTION,
    ACTIVE,
    ACTIVE_AT,
    CALLS,
    CHILDREN,
    CHILDREN_AT,
    COUNTS,
    DOWN,
    FIRST,
    FLOOR,
    FORESEE,
    FORGET,
    GROUP,
    KEEP,
    KIND,
    LANE,
    LEARN,
    LOSS,
    MINE,
    MINE_AT,
    MOVER,
    MY_CLASSES,
    ONE,
    PARENT,
    RESPOND,
    SILENT,
    SILENT_AT,
    THEIR_CLASSES,
    THEIRS,
    THEIRS_AT,
    TINY,
    UP,
    WEIGHT,
    WORTH_AT,
    ZERO,
    Ints,
    Memory,
    Node,
    Plan,
    Reals,
    Stem,
    Terms,
    Work,
)

F = TypeVar("F", bound=Callable[..., Any])


_HOW: dict[str, Any] = {"fastmath": True, "nogil": True, "error_model": "numpy", "_nrt": False}


def _compiled(function: F) -> F:
    return cast("F", njit(cache=True, **_HOW)(function))


def _within(function: F) -> F:
    """Compiled into whatever calls it: handing over a dozen arrays would cost more than the work."""
    return cast("F", njit(forceinline=True, **_HOW)(function))


def _spelled_out(function: F) -> F:
    """Compiled as if it stood where it is called: what is compiled on its own is compiled again by each caller."""
    return cast("F", njit(inline="always", **_HOW)(function))


@_within
def _empty(rows: Reals, n: int, number: float) -> None:
    block = rows[:n]
    for j in range(n):
        block[j] = number


@_within
def _add(rows: Reals, more: Reals, n: int) -> None:
    block, other = rows[:n], more[:n]
    for j in range(n):
        block[j] += other[j]


@_within
def _copy(rows: Reals, place: int, out: Reals, to: int, lanes: int) -> None:
    source, target = rows[place * lanes : (place + 1) * lanes], out[to * lanes : (to + 1) * lanes]
    for lane in range(lanes):
        target[lane] = source[lane]


@_within
def _shares(play: Reals, node: Node, consts: Reals) -> None:
    """Find what makes shares of the blocks of a node."""
    zero, one, tiny = consts[ZERO], consts[ONE], consts[TINY]
    n, actions = node.kind[ACTIVE] * node.lanes, node.kind[CALLS] + node.kind[CHILDREN]
    total, alike = node.norm[:n], node.even[:n]
    for j in range(n):
        total[j] = zero
    for action in range(actions):
        block = play[node.first + action * n : node.first + (action + 1) * n]
        for j in range(n):
            total[j] += max(block[j], zero)
    share = one / consts[COUNTS + actions]
    for j in range(n):
        some = total[j] > tiny  # less has no inverse
        total[j] = one / total[j] if some else zero
        alike[j] = zero if some else share


@_within
def _played(play: Reals, action: int, node: Node, consts: Reals, out: Reals) -> None:
    """How likely hands come here and take one action."""
    zero, n = consts[ZERO], node.kind[ACTIVE] * node.lanes
    block, target = play[node.first + action * n : node.first + (action + 1) * n], out[:n]
    reach, scale, alike = node.mine[:n], node.norm[:n], node.even[:n]
    for j in range(n):
        target[j] = reach[j] * (max(block[j], zero) * scale[j] + alike[j])


@_within
def _fold(memory: Memory, action: int, values: Reals, node: Node, terms: Terms) -> None:
    """Take in what one action of the player who learns is worth to each hand."""
    n = node.kind[ACTIVE] * node.lanes
    value, total = values[:n], node.best[:n]
    if terms.mode == RESPOND:
        for j in range(n):
            total[j] = max(total[j], value[j])
        return
    zero, weight = terms.consts[ZERO], terms.weights[WEIGHT]
    keep, forget = terms.weights[KEEP], terms.weights[FORGET]
    at = node.first + action * n
    block, played = memory.learned[at : at + n], memory.summed[at : at + n]
    reach, scale, alike = node.mine[:n], node.norm[:n], node.even[:n]
    for j in range(n):
        was = block[j]
        share = max(was, zero) * scale[j] + alike[j]
        total[j] += share * value[j]
        played[j] += weight * reach[j] * share
        block[j] = was * (keep if was > zero else forget)
    if terms.rule == FORESEE:
        more = memory.foreseen[at : at + n]
        for j in range(n):
            block[j] -= more[j]
            more[j] = value[j]
    else:
        for j in range(n):
            block[j] += value[j]


@_within
def _regret(memory: Memory, node: Node, terms: Terms) -> None:
    """Compare every action with what was played."""
    floor, n = terms.weights[FLOOR], node.kind[ACTIVE] * node.lanes
    total = node.best[:n]
    for action in range(node.kind[CALLS] + node.kind[CHILDREN]):
        at = node.first + action * n
        block = memory.learned[at : at + n]
        if terms.rule == FORESEE:
            more = memory.foreseen[at : at + n]
            for j in range(n):
                more[j] -= total[j]
                block[j] = max(block[j] + more[j], floor) + more[j]
        else:
            for j in range(n):
                block[j] = max(block[j] - total[j], floor)


@_within
def _bucket(rows: Reals, lists: Ints, first: int, count: int, lanes: int, buckets: Reals) -> None:
    """Add rows up by class of hand."""
    for hand in range(count):
        into = lists[first + hand] * lanes
        bucket, row = buckets[into : into + lanes], rows[hand * lanes : (hand + 1) * lanes]
        for lane in range(lanes):
            bucket[lane] += row[lane]


@_within
def _by_class(plan: Plan, work: Work, node: Node, call: int, own: int, sign: float) -> None:
    """What a call is worth to each class of the caller's hands (`own` 1), or the bidder's (0), against the other's."""
    classes, others, lanes = node.kind[MY_CLASSES], node.kind[THEIR_CLASSES], node.lanes
    first = node.kind[WORTH_AT] + call * classes * others
    rows, columns = (classes, others) if own else (others, classes)
    down, across = (others, 1) if own else (1, others)
    for one in range(rows):
        row, bucket = work.by_class[one * lanes : (one + 1) * lanes], work.buckets[:lanes]
        worth = sign * plan.payoffs[first + one * down]
        for lane in range(lanes):
            row[lane] = worth * bucket[lane]
        for other in range(1, columns):
            bucket = work.buckets[other * lanes : (other + 1) * lanes]
            worth = sign * plan.payoffs[first + one * down + other * across]
            for lane in range(lanes):
                row[lane] += worth * bucket[lane]


@_within
def _arrive_own(plan: Plan, memory: Memory, work: Work, node: Node, terms: Terms) -> None:
    """At a node of the player who learns: what the calls are worth to each hand."""
    kind, lanes, consts = node.kind, node.lanes, terms.consts
    n = kind[ACTIVE] * lanes
    _empty(node.best, n, consts[LOSS] if terms.mode == RESPOND else consts[ZERO])
    if kind[CALLS] == 0:
        return
    _empty(work.buckets, kind[THEIR_CLASSES] * lanes, consts[ZERO])
    _bucket(node.theirs, plan.lists, kind[THEIRS_AT], kind[THEIRS], lanes, work.buckets)
    for call in range(kind[CALLS]):
        _by_class(plan, work, node, call, 1, consts[ONE])
        if n:
            for hand in range(kind[ACTIVE]):
                _copy(work.by_class, plan.lists[kind[ACTIVE_AT] + kind[ACTIVE] + hand], work.temp, hand, lanes)
            _fold(memory, call, work.temp, node, terms)
        if call == 0:
            for hand in range(kind[SILENT]):
                place = plan.lists[kind[SILENT_AT] + hand]
                _copy(work.by_class, plan.lists[kind[MINE_AT] + place], node.value, place, lanes)


@_within
def _arrive_other(plan: Plan, play: Reals, work: Work, node: Node, consts: Reals) -> None:
    """At a node of the other player: what their calls are worth to each hand of the one who learns."""
    kind, lanes = node.kind, node.lanes
    _empty(node.value, kind[THEIRS] * lanes, consts[ZERO])
    for call in range(kind[CALLS]):
        _empty(work.buckets, kind[MY_CLASSES] * lanes, consts[ZERO])
        if kind[ACTIVE]:
            _played(play, call, node, consts, work.temp)
            _bucket(work.temp, plan.lists, kind[ACTIVE_AT] + kind[ACTIVE], kind[ACTIVE], lanes, work.buckets)
        if call == 0:
            for hand in range(kind[SILENT]):
                place = plan.lists[kind[SILENT_AT] + hand]
                into = plan.lists[kind[MINE_AT] + place] * lanes
                _add(work.buckets[into:], node.whole[place * lanes :], lanes)
        _by_class(plan, work, node, call, 0, -consts[ONE])
        for hand in range(kind[THEIRS]):
            at = plan.lists[kind[THEIRS_AT] + hand] * lanes
            _add(node.value[hand * lanes :], work.by_class[at:], lanes)


@_spelled_out
def _walk(plan: Plan, memory: Memory, work: Work, branch: Ints, terms: Terms) -> None:
    """Walk one subtree in all lanes for the player who learns or responds.

    `work.reach[seat]`: how likely each hand comes to the root; `work.values[0]`: what the root is worth, in the end.
    """
    player, consts, responds = terms.player, terms.consts, terms.mode == RESPOND
    play = memory.summed if responds else memory.learned
    lanes = plan.lanes[branch[0]]
    stack = work.stack
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4] = branch[1], branch[2], -1, 0, 1
    depth = 0
    while depth >= 0:
        kind = plan.kinds[stack[depth, 0]]
        mover, calls, silent = kind[MOVER], kind[CALLS], kind[SILENT]
        n = kind[ACTIVE] * lanes
        value, whole = work.values[depth], work.reach[stack[depth, 3 + mover]]
        node = Node(
            kind,
            stack[depth, 1],
            lanes,
            whole,
            work.mines[depth] if silent else whole,
            work.reach[stack[depth, 4 - mover]],
            work.norms[depth],
            work.evens[depth],
            work.bests[depth] if silent else value,
            value,
        )
        child = stack[depth, 2]
        if child < 0:
            child = 0
            if silent:
                for hand in range(kind[ACTIVE]):
                    _copy(whole, plan.lists[kind[ACTIVE_AT] + hand], node.mine, hand, lanes)
            if n and not (mover == player and responds):
                _shares(play, node, consts)
            if mover == player:
                _arrive_own(plan, memory, work, node, terms)
            else:
                _arrive_other(plan, play, work, node, consts)
        else:
            if mover == player:
                _fold(memory, calls + child, work.values[depth + 1], node, terms)
            else:
                _add(value, work.values[depth + 1], kind[THEIRS] * lanes)
            child += 1
        if child < kind[CHILDREN]:
            stack[depth, 2] = child
            slot, listed = depth + 2, kind[CHILDREN_AT] + 2 * child
            if mover == player and responds:
                _empty(work.reach[slot], n, consts[ZERO])
            else:
                _played(play, calls + child, node, consts, work.reach[slot])
            stack[depth + 1, 0] = plan.lists[listed]
            stack[depth + 1, 1] = node.first + (calls + kind[CHILDREN]) * n + plan.lists[listed + 1] * lanes
            stack[depth + 1, 2] = -1
            stack[depth + 1, 3 + mover] = slot
            stack[depth + 1, 4 - mover] = stack[depth, 4 - mover]
            depth += 1
            continue
        if mover == player and n:
            if not responds:
                _regret(memory, node, terms)
            if silent:
                for hand in range(kind[ACTIVE]):
                    _copy(node.best, hand, value, plan.lists[kind[ACTIVE_AT] + hand], lanes)
        depth -= 1


@_within
def _at_stem(plan: Plan, stem: Stem, number: int) -> Node:
    """One of the first few nodes, where all hands decide and there is one lane."""
    place = plan.stem[number]
    kind = plan.kinds[place[KIND]]
    way, total = stem.ways[number, kind[MOVER]], stem.totals[number]
    theirs = stem.ways[number, 1 - kind[MOVER]]
    norm, even = stem.norms[number], stem.evens[number]
    return Node(kind, place[FIRST], plan.lanes[2], way, way, theirs, norm, even, total, total)


@_spelled_out
def _stem_down(plan: Plan, stem: Stem, play: Reals, consts: Reals) -> None:
    """How likely both players let the first few bids come, parents first."""
    for number in range(plan.stem.shape[0]):
        node = _at_stem(plan, stem, number)
        parent = plan.stem[number, PARENT]
        if parent >= 0:
            above = _at_stem(plan, stem, parent)
            mover = above.kind[MOVER]
            _played(play, plan.stem[number, ACTION], above, consts, stem.ways[number, mover])
            same, was = stem.ways[number, 1 - mover], stem.ways[parent, 1 - mover]
            for hand in range(same.size):
                same[hand] = was[hand]
        _shares(play, node, consts)


@_spelled_out
def _leave_stem(plan: Plan, stem: Stem, work: Work, play: Reals, branch: int, terms: Terms) -> None:
    """Spread over the lanes how likely hands come to a branch; none do from where it cannot be entered."""
    group = plan.branches[branch, 0]
    lanes = plan.lanes[group]
    for number in range(plan.stem.shape[0]):
        if plan.stem[number, GROUP] != group:
            continue
        node = _at_stem(plan, stem, number)
        mover, lane = node.kind[MOVER], plan.stem[number, LANE]
        for hand in range(node.kind[THEIRS]):
            work.reach[1 - mover, hand * lanes + lane] = node.theirs[hand]
        _empty(work.temp, node.kind[MINE], terms.consts[ZERO])
        for action in range(node.kind[CALLS], node.kind[CALLS] + node.kind[CHILDREN]):
            if plan.actions[number, action] == branch and not (mover == terms.player and terms.mode == RESPOND):
                _played(play, action, node, terms.consts, work.temp)
        for hand in range(node.kind[MINE]):
            work.reach[mover, hand * lanes + lane] = work.temp[hand]


@_spelled_out
def _return_to_stem(plan: Plan, stem: Stem, work: Work, branch: int, player: int) -> None:
    """Put down what a branch is worth where it leaves the stem."""
    group = plan.branches[branch, 0]
    lanes = plan.lanes[group]
    for number in range(plan.stem.shape[0]):
        if plan.stem[number, GROUP] != group:
            continue
        kind = plan.kinds[plan.stem[number, KIND]]
        for action in range(kind[CALLS], kind[CALLS] + kind[CHILDREN]):
            if plan.actions[number, action] == branch:
                for hand in range(kind[MINE] if kind[MOVER] == player else kind[THEIRS]):
                    stem.worth[number, action, hand] = work.values[0, hand * lanes + plan.stem[number, LANE]]


@_spelled_out
def _stem_up(plan: Plan, memory: Memory, stem: Stem, work: Work, play: Reals, terms: Terms) -> None:
    """Take in what all actions of the first few nodes are worth, children first; `stem.totals[0]` is the whole."""
    for number in range(plan.stem.shape[0] - 1, -1, -1):
        node = _at_stem(plan, stem, number)
        kind = node.kind
        own = kind[MOVER] == terms.player
        if own:
            _arrive_own(plan, memory, work, node, terms)
        else:
            _arrive_other(plan, play, work, node, terms.consts)
        for action in range(kind[CALLS], kind[CALLS] + kind[CHILDREN]):
            leads = plan.actions[number, action]
            worth = stem.worth[number, action] if leads >= 0 else stem.totals[-1 - leads]
            if own:
                _fold(memory, action, worth, node, terms)
            else:
                _add(node.value, worth, kind[THEIRS])
        if own and terms.mode == LEARN:
            _regret(memory, node, terms)


@_compiled
def walk_tree(
    plan: Plan,
    memory: Memory,
    stem: Stem,
    work: Work,
    consts: Reals,
    weights: Reals,
    branches: Ints,
    how: tuple[int, int, int, int],
) -> None:
    """Walk some branches of the tree for player 0 (bit 0 of `players`) and player 1 (bit 1), for each row of `weights`.

    `branches`: their numbers; other ones may be walked at the same time, with other `work`. `how`:
    mode, rule, players, and ends: whether to go down the stem before (`DOWN`) and up after (`UP`). After that,
    `stem.totals[0]` is what the round is worth to the last of the players, by hand.
    """
    mode, rule, players, ends = how
    play = memory.summed if mode == RESPOND else memory.learned
    for one in range(weights.shape[0]):
        for player in range(2):
            if (players >> player) & 1:
                terms = Terms(consts, weights[one], player, mode, rule)
                if ends & DOWN:
                    _stem_down(plan, stem, play, consts)
                for branch in branches:
                    _leave_stem(plan, stem, work, play, branch, terms)
                    _walk(plan, memory, work, plan.branches[branch], terms)
                    _return_to_stem(plan, stem, work, branch, player)
                if ends & UP:
                    _stem_up(plan, memory, stem, work, play, terms)
