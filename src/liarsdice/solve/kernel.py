"""The walk over the public tree: everything that runs compiled, in one file, since compiled callers remember callees.

Loops run over whole blocks, of which the compiler makes vectors. Shares, the chances of actions, are never kept: a
positive number times `norm`, plus `even`. Nothing is allocated, so that no references need be counted either (`_nrt`),
which took half of the time. What is long stands at one place only: the compiler's time goes with the number of loops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

from liarsdice.solve.blocks import (
    ABOVE,
    ACTION,
    ACTIVE,
    ACTIVE_AT,
    BEST,
    BUCKETS,
    BY_CLASS,
    CALLS,
    CHILDREN,
    CHILDREN_AT,
    COUNTS,
    DOWN,
    EVEN,
    FIRST,
    FLOOR,
    FORESEE,
    FORGET,
    KEEP,
    KIND,
    LANES,
    LEARN,
    LOSS,
    MINE_AT,
    MOVER,
    MY_CLASSES,
    NORM,
    PLAYED,
    RESPOND,
    SILENT,
    SILENT_AT,
    THEIR_CLASSES,
    THEIRS,
    THEIRS_AT,
    TINY,
    UP,
    VALUE,
    WAYS,
    WEIGHT,
    WORTH_AT,
    ZERO,
    Ints,
    Memory,
    Node,
    Plan,
    Reals,
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
def _add(rows: Reals, at: int, more: Reals, place: int, n: int) -> None:
    block, other = rows[at : at + n], more[place : place + n]
    for j in range(n):
        block[j] += other[j]


@_within
def _copy(rows: Reals, place: int, out: Reals, to: int, lanes: int) -> None:
    source, target = rows[place : place + lanes], out[to : to + lanes]
    for lane in range(lanes):
        target[lane] = source[lane]


@_spelled_out
def _shares(play: Reals, node: Node, consts: Reals) -> None:
    """Find what makes shares of the blocks of a node."""
    zero, one, tiny = consts[ZERO], consts[COUNTS + 1], consts[TINY]
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


@_spelled_out
def _played(play: Reals, action: int, node: Node, consts: Reals, out: Reals) -> None:
    """How likely hands come here and take one action."""
    zero, n = consts[ZERO], node.kind[ACTIVE] * node.lanes
    block, target = play[node.first + action * n : node.first + (action + 1) * n], out[:n]
    reach, scale, alike = node.mine[:n], node.norm[:n], node.even[:n]
    for j in range(n):
        target[j] = reach[j] * (max(block[j], zero) * scale[j] + alike[j])


@_spelled_out
def _fold(memory: Memory, action: int, values: Reals, node: Node, terms: Terms) -> None:
    """Take in what one action of the player who learns is worth to each hand."""
    n = node.kind[ACTIVE] * node.lanes
    value, total = values[:n], node.best[:n]
    zero, weight = terms.consts[ZERO], terms.weights[WEIGHT]
    keep, forget = terms.weights[KEEP], terms.weights[FORGET]
    at = node.first + action * n
    block, played = memory.learned[at : at + n], memory.summed[at : at + n]
    reach, scale, alike = node.mine[:n], node.norm[:n], node.even[:n]
    if terms.mode == RESPOND:
        for j in range(n):
            total[j] = max(total[j], value[j])
    else:
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


@_spelled_out
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


@_spelled_out
def _arrive(plan: Plan, play: Reals, node: Node, terms: Terms) -> None:
    """Make a node ready: who decides there and by what shares; nothing is won yet."""
    kind, lanes, consts, responds = node.kind, node.lanes, terms.consts, terms.mode == RESPOND
    n = kind[ACTIVE] * lanes
    if kind[SILENT]:
        for hand in range(kind[ACTIVE]):
            _copy(node.whole, plan.lists[kind[ACTIVE_AT] + hand] * lanes, node.mine, hand * lanes, lanes)
    if n and not (node.own and responds):
        _shares(play, node, consts)
    if node.own:
        _empty(node.best, n, consts[LOSS] if responds else consts[ZERO])
    else:
        _empty(node.value, kind[THEIRS] * lanes, consts[ZERO])


@_spelled_out
def _bucket(plan: Plan, node: Node, call: int, played: Reals, buckets: Reals, consts: Reals) -> None:
    """Add up by class of hand how likely the other one than the learner comes here (and calls, if it is their turn)."""
    kind, lanes = node.kind, node.lanes
    _empty(buckets, kind[THEIR_CLASSES if node.own else MY_CLASSES] * lanes, consts[ZERO])
    rows = node.theirs if node.own else played
    listed = kind[THEIRS_AT] if node.own else kind[ACTIVE_AT] + kind[ACTIVE]
    for hand in range(kind[THEIRS] if node.own else kind[ACTIVE]):
        _add(buckets, plan.lists[listed + hand] * lanes, rows, hand * lanes, lanes)
    if call == 0 and not node.own:
        for hand in range(kind[SILENT]):
            place = plan.lists[kind[SILENT_AT] + hand]
            _add(buckets, plan.lists[kind[MINE_AT] + place] * lanes, node.whole, place * lanes, lanes)


@_spelled_out
def _by_class(plan: Plan, node: Node, call: int, buckets: Reals, by_class: Reals, consts: Reals) -> None:
    """What a call is worth to each class of the learner's hands, against buckets of the other one's."""
    classes, others, lanes = node.kind[MY_CLASSES], node.kind[THEIR_CLASSES], node.lanes
    first = node.kind[WORTH_AT] + call * classes * others
    rows, columns = (classes, others) if node.own else (others, classes)
    down, across = (others, 1) if node.own else (1, others)
    for one in range(rows):
        row = by_class[one * lanes : (one + 1) * lanes]
        _empty(row, lanes, consts[ZERO])
        for other in range(columns):
            bucket = buckets[other * lanes : (other + 1) * lanes]
            worth = plan.payoffs[first + one * down + other * across]
            if not node.own:
                worth = -worth
            for lane in range(lanes):
                row[lane] += worth * bucket[lane]


@_spelled_out
def _call(plan: Plan, work: Work, node: Node, call: int, below: int, terms: Terms) -> None:
    """What a call is worth to each hand of the learner's; for hands that decide here it is put down below."""
    kind, lanes, lists = node.kind, node.lanes, plan.lists
    buckets, by_class = work.blocks[work.base, BUCKETS], work.blocks[work.base, BY_CLASS]
    if call == 0 or not node.own:
        _bucket(plan, node, call, work.blocks[below, kind[MOVER]], buckets, terms.consts)
    _by_class(plan, node, call, buckets, by_class, terms.consts)
    listed = kind[ACTIVE_AT] + kind[ACTIVE] if node.own else kind[THEIRS_AT]
    for hand in range(kind[ACTIVE] if node.own else kind[THEIRS]):
        _copy(by_class, lists[listed + hand] * lanes, work.blocks[below, VALUE], hand * lanes, lanes)
    if call == 0 and node.own:
        for hand in range(kind[SILENT]):
            place = lists[kind[SILENT_AT] + hand]
            _copy(by_class, lists[kind[MINE_AT] + place] * lanes, node.value, place * lanes, lanes)


@_spelled_out
def _spread(plan: Plan, work: Work, node: Node, frame: int, child: int, below: int) -> None:
    """How likely hands come from a node of the stem to one after it, where other ways meet in other lanes."""
    target, lane = plan.links[frame, child, 0], plan.links[frame, child, 1]
    wide, mover = work.frames[target, LANES], node.kind[MOVER]
    for seat in range(2):
        rows = work.blocks[below if seat == mover else frame, seat]
        for hand in range(node.kind[ACTIVE] if seat == mover else node.kind[THEIRS]):
            _copy(rows, hand * node.lanes, work.blocks[target, seat], hand * wide + lane, node.lanes)


@_spelled_out
def _gather(plan: Plan, work: Work, node: Node, frame: int, child: int, below: int) -> None:
    """What a node after one of the stem is worth, of its lanes those that come from there."""
    target, lane = plan.links[frame, child, 0], plan.links[frame, child, 1]
    wide = work.frames[target, LANES]
    for hand in range(node.kind[ACTIVE] if node.own else node.kind[THEIRS]):
        _copy(work.blocks[target, VALUE], hand * wide + lane, work.blocks[below, VALUE], hand * node.lanes, node.lanes)


@_spelled_out
def _leave(plan: Plan, memory: Memory, node: Node, terms: Terms) -> None:
    """At last, where the player who learns is on turn."""
    if terms.mode == LEARN:
        _regret(memory, node, terms)
    if node.kind[SILENT]:
        for hand in range(node.kind[ACTIVE]):
            place = plan.lists[node.kind[ACTIVE_AT] + hand]
            _copy(node.best, hand * node.lanes, node.value, place * node.lanes, node.lanes)


@_spelled_out
def _descend(plan: Plan, work: Work, node: Node, frame: int, child: int, below: int) -> None:
    """Go to a child, in the same lanes."""
    kind, here, there = node.kind, work.frames[frame], work.frames[below]
    listed, mover = kind[CHILDREN_AT] + 2 * child, kind[MOVER]
    rows = (kind[CALLS] + kind[CHILDREN]) * kind[ACTIVE] + plan.lists[listed + 1]
    there[KIND], there[FIRST], there[LANES] = plan.lists[listed], node.first + rows * node.lanes, node.lanes
    there[ACTION], there[ABOVE] = -1, frame
    there[WAYS + mover], there[WAYS + 1 - mover] = below, here[WAYS + 1 - mover]


@_spelled_out
def _node(plan: Plan, work: Work, frame: int, player: int) -> Node:
    """The node in a frame."""
    here, blocks = work.frames[frame], work.blocks
    kind = plan.kinds[here[KIND]]
    mover, silent = kind[MOVER], kind[SILENT]
    way, other = here[WAYS + mover], here[WAYS + 1 - mover]
    return Node(
        kind,
        mover == player,
        here[FIRST],
        here[LANES],
        blocks[way, mover],
        blocks[frame, PLAYED] if silent else blocks[way, mover],
        blocks[other, 1 - mover],
        blocks[frame, NORM],
        blocks[frame, EVEN],
        blocks[frame, BEST if silent else VALUE],
        blocks[frame, VALUE],
    )


@_compiled
def walk_tree(
    plan: Plan,
    memory: Memory,
    work: Work,
    consts: Reals,
    weights: Reals,
    walks: Ints,
    how: tuple[int, int],
) -> None:
    """Walk through subtrees for a player who learns or responds, and down or up nodes of the stem, one by one.

    `walks`: int64[walk, 3], for whom each is, the frame that it starts from, and whether it goes down, up or both; all
    of them for each row of `weights`. `how`: mode and rule. Others may be on other walks at the same time, in other
    frames. In the end the value in frame 0 is what the round is worth to the last player, by hand.
    """
    mode, rule = how
    responds = mode == RESPOND
    play = memory.summed if responds else memory.learned
    for turn in range(weights.shape[0]):
        for walk in walks:
            terms = Terms(consts, weights[turn], mode, rule)
            player, frame, ways = walk[0], walk[1], walk[2]
            work.frames[frame, ACTION] = -1
            while frame >= 0:
                node = _node(plan, work, frame, player)
                kind, action, below = node.kind, work.frames[frame, ACTION], max(frame + 1, work.base)
                own, mover, calls = node.own, kind[MOVER], kind[CALLS]
                actions = calls + kind[CHILDREN]
                if action < 0 and ways & DOWN:
                    _arrive(plan, play, node, terms)
                while True:
                    if action >= 0 and ways & UP:
                        if ways == UP and action >= calls:
                            _gather(plan, work, node, frame, action - calls, below)
                        if own:
                            _fold(memory, action, work.blocks[below, VALUE], node, terms)
                        else:
                            _add(node.value, 0, work.blocks[below, VALUE], 0, kind[THEIRS] * node.lanes)
                    action += 1
                    calling = action < calls
                    chosen = action < actions and ways & (UP if calling else DOWN)
                    if chosen and not (own and (calling or responds)):
                        _played(play, action, node, consts, work.blocks[below, mover])
                    if not calling:
                        break
                    if chosen:
                        _call(plan, work, node, action, below, terms)
                work.frames[frame, ACTION] = action
                if action >= actions:
                    if own and ways & UP:
                        _leave(plan, memory, node, terms)
                    frame = work.frames[frame, ABOVE]
                elif ways == DOWN | UP:
                    _descend(plan, work, node, frame, action - calls, below)
                    frame = below
                elif ways & DOWN:
                    _spread(plan, work, node, frame, action - calls, below)
