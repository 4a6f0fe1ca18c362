"""The walk over the public tree: everything that runs compiled, in one file, since compiled callers remember callees.

Loops run over whole blocks, of which the compiler makes vectors. Shares, the chances of actions, are never kept: a
positive number times `norm`, plus `even`. Nothing is allocated, so that no references need be counted either (`_nrt`),
which took half of the time. What is long stands at one place only: the compiler's time goes with the number of loops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit, types
from numba.extending import intrinsic

from liarsdice.solve.cfr.kernel_layout import (
    ABOVE,
    ACTION,
    ACTIVE,
    ACTIVE_AT,
    BEST,
    BLOCKS,
    CALLS,
    CHILDREN,
    CHILDREN_AT,
    COUNTS,
    DOWN,
    EVEN,
    FIELDS,
    FIRST,
    FLOOR,
    FORESEE,
    FORGET,
    FRAME,
    KEEP,
    KIND,
    LANES,
    LEARN,
    LOSS,
    MINE,
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


def _as_intrinsic(function: F) -> Callable[[Reals, int, int], Reals]:
    """Compiled by what it builds instructions with."""
    return cast("Callable[[Reals, int, int], Reals]", intrinsic(function))


def _within(function: F) -> F:
    """Compiled into whatever calls it: handing over a dozen arrays would cost more than the work."""
    return cast("F", njit(forceinline=True, **_HOW)(function))


def _spelled_out(function: F) -> F:
    """Compiled as if it stood where it is called: what is compiled on its own is compiled again by each caller."""
    return cast("F", njit(inline="always", **_HOW)(function))


@_as_intrinsic
def _part(_: Any, rows: Any, at: Any, n: Any) -> Any:  # noqa: ANN401  numba's own types
    """So many numbers from a place on: a slice without the care for ends and negative places, which costs more."""

    def built(context: Any, builder: Any, _: Any, values: Any) -> Any:  # noqa: ANN401  as _part
        array = context.make_array(rows)
        whole, part = array(context, builder, values[0]), array(context, builder)
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(rows.dtype)))
        first = builder.gep(whole.data, [values[1]], inbounds=True)
        context.populate_array(part, data=first, shape=[values[2]], strides=[size], itemsize=size, meminfo=None)
        return part._getvalue()  # noqa: SLF001  what there is for it

    return rows(rows, at, n), built


@_within
def _empty(rows: Reals, at: int, n: int, number: float) -> None:
    block = _part(rows, at, n)
    for j in range(n):
        block[j] = number


@_within
def _add(rows: Reals, at: int, more: Reals, place: int, n: int) -> None:
    block, other = _part(rows, at, n), _part(more, place, n)
    for j in range(n):
        block[j] += other[j]


@_within
def _copy(rows: Reals, place: int, out: Reals, to: int, lanes: int) -> None:
    source, target = _part(rows, place, lanes), _part(out, to, lanes)
    for lane in range(lanes):
        target[lane] = source[lane]


@_spelled_out
def _shares(play: Reals, blocks: Reals, node: Node, consts: Reals) -> None:
    """Find what makes shares of the blocks of a node."""
    zero, one, tiny = consts[ZERO], consts[COUNTS + 1], consts[TINY]
    n, actions = node.kind[ACTIVE] * node.lanes, node.kind[CALLS] + node.kind[CHILDREN]
    total, alike = _part(blocks, node.norm, n), _part(blocks, node.even, n)
    for j in range(n):
        total[j] = zero
    for action in range(actions):
        block = _part(play, node.first + action * n, n)
        for j in range(n):
            total[j] += max(block[j], zero)
    share = one / consts[COUNTS + actions]
    for j in range(n):
        some = total[j] > tiny  # less has no inverse
        total[j] = one / total[j] if some else zero
        alike[j] = zero if some else share


@_spelled_out
def _played(play: Reals, blocks: Reals, node: Node, action: int, consts: Reals) -> None:
    """How likely hands come here and take one action."""
    zero, n = consts[ZERO], node.kind[ACTIVE] * node.lanes
    block, target = _part(play, node.first + action * n, n), _part(blocks, node.sent, n)
    reach, scale, alike = _part(blocks, node.mine, n), _part(blocks, node.norm, n), _part(blocks, node.even, n)
    for j in range(n):
        target[j] = reach[j] * (max(block[j], zero) * scale[j] + alike[j])


@_spelled_out
def _fold(memory: Memory, blocks: Reals, node: Node, action: int, terms: Terms) -> None:
    """Take in what one action of the player who learns is worth to each hand."""
    n = node.kind[ACTIVE] * node.lanes
    value, total = _part(blocks, node.told, n), _part(blocks, node.best, n)
    zero, weight = terms.consts[ZERO], terms.weights[WEIGHT]
    keep, forget = terms.weights[KEEP], terms.weights[FORGET]
    at = node.first + action * n
    block, played = _part(memory.learned, at, n), _part(memory.summed, at, n)
    reach, scale, alike = _part(blocks, node.mine, n), _part(blocks, node.norm, n), _part(blocks, node.even, n)
    if terms.mode == RESPOND:
        for j in range(n):
            total[j] = max(total[j], value[j])
    else:
        for j in range(n):
            was = block[j]
            share = max(was, zero) * scale[j] + alike[j]
            total[j] += share * value[j]
            played[j] += weight * reach[j] * share
            block[j] = was * (keep if was > zero else forget) + value[j]
        if terms.rule == FORESEE:
            more = _part(memory.foreseen, at, n)
            for j in range(n):
                block[j] -= value[j] + more[j]
                more[j] = value[j]


@_spelled_out
def _regret(memory: Memory, blocks: Reals, node: Node, terms: Terms) -> None:
    """Compare every action with what was played."""
    floor, n = terms.weights[FLOOR], node.kind[ACTIVE] * node.lanes
    total = _part(blocks, node.best, n)
    for action in range(node.kind[CALLS] + node.kind[CHILDREN]):
        at = node.first + action * n
        block = _part(memory.learned, at, n)
        if terms.rule == FORESEE:
            more = _part(memory.foreseen, at, n)
            for j in range(n):
                more[j] -= total[j]
                block[j] = max(block[j] + more[j], floor) + more[j]
        else:
            for j in range(n):
                block[j] = max(block[j] - total[j], floor)


@_spelled_out
def _arrive(plan: Plan, play: Reals, blocks: Reals, node: Node, terms: Terms) -> None:
    """Make a node ready: who decides there and by what shares; nothing is won yet."""
    kind, lanes, consts, responds = node.kind, node.lanes, terms.consts, terms.mode == RESPOND
    n = kind[ACTIVE] * lanes
    if kind[SILENT]:
        places = _part(plan.lists, kind[ACTIVE_AT], kind[ACTIVE])
        for hand in range(kind[ACTIVE]):
            _copy(blocks, node.whole + places[hand] * lanes, blocks, node.mine + hand * lanes, lanes)
    if n and not (node.own and responds):
        _shares(play, blocks, node, consts)
    if node.own:
        _empty(blocks, node.best, n, consts[LOSS] if responds else consts[ZERO])
    else:
        _empty(blocks, node.value, kind[THEIRS] * lanes, consts[ZERO])


@_spelled_out
def _bucket(plan: Plan, work: Work, node: Node, call: int, consts: Reals) -> None:
    """Add up by class of hand how likely the other one than the learner comes here (and calls, if it is their turn)."""
    kind, lanes, blocks, own = node.kind, node.lanes, work.blocks, node.own
    _empty(work.buckets, 0, kind[THEIR_CLASSES if own else MY_CLASSES] * lanes, consts[ZERO])
    count = kind[THEIRS] if own else kind[ACTIVE]
    classes = _part(plan.lists, kind[THEIRS_AT] if own else kind[ACTIVE_AT] + kind[ACTIVE], count)
    rows = node.theirs if own else node.sent
    for hand in range(count):
        _add(work.buckets, classes[hand] * lanes, blocks, rows + hand * lanes, lanes)
    if call == 0 and not own:
        everyone = _part(plan.lists, kind[MINE_AT], kind[MINE])
        for place in _part(plan.lists, kind[SILENT_AT], kind[SILENT]):
            _add(work.buckets, everyone[place] * lanes, blocks, node.whole + place * lanes, lanes)


@_spelled_out
def _by_class(plan: Plan, work: Work, node: Node, call: int, consts: Reals) -> None:
    """What a call is worth to each class of the learner's hands, against buckets of the other one's."""
    mine, theirs, lanes = node.kind[MY_CLASSES], node.kind[THEIR_CLASSES], node.lanes
    rows, columns = (mine, theirs) if node.own else (theirs, mine)
    down, across = (theirs, 1) if node.own else (1, theirs)
    worth = _part(plan.payoffs, node.kind[WORTH_AT] + call * mine * theirs, mine * theirs)
    _empty(work.by_class, 0, rows * lanes, consts[ZERO])
    for one in range(rows):
        row = _part(work.by_class, one * lanes, lanes)
        for other in range(columns):
            bucket = _part(work.buckets, other * lanes, lanes)
            wins = worth[one * down + other * across]
            if not node.own:
                wins = -wins
            for lane in range(lanes):
                row[lane] += wins * bucket[lane]


@_spelled_out
def _call(plan: Plan, work: Work, node: Node, call: int, consts: Reals) -> None:
    """What a call is worth to each hand of the learner's; for hands that decide here it is put down below."""
    kind, lanes, blocks, own = node.kind, node.lanes, work.blocks, node.own
    if call == 0 or not own:
        _bucket(plan, work, node, call, consts)
    _by_class(plan, work, node, call, consts)
    count = kind[ACTIVE] if own else kind[THEIRS]
    classes = _part(plan.lists, kind[ACTIVE_AT] + kind[ACTIVE] if own else kind[THEIRS_AT], count)
    for hand in range(count):
        _copy(work.by_class, classes[hand] * lanes, blocks, node.told + hand * lanes, lanes)
    if call == 0 and own:
        everyone = _part(plan.lists, kind[MINE_AT], kind[MINE])
        for place in _part(plan.lists, kind[SILENT_AT], kind[SILENT]):
            _copy(work.by_class, everyone[place] * lanes, blocks, node.value + place * lanes, lanes)


@_spelled_out
def _leave(plan: Plan, memory: Memory, blocks: Reals, node: Node, terms: Terms) -> None:
    """At last, where the player who learns is on turn."""
    if terms.mode == LEARN:
        _regret(memory, blocks, node, terms)
    if node.kind[SILENT]:
        places = _part(plan.lists, node.kind[ACTIVE_AT], node.kind[ACTIVE])
        for hand in range(node.kind[ACTIVE]):
            _copy(blocks, node.best + hand * node.lanes, blocks, node.value + places[hand] * node.lanes, node.lanes)


@_spelled_out
def _spread(plan: Plan, work: Work, node: Node, frame: int, child: int) -> None:
    """How likely hands come from a node of the stem to one after it, where other ways meet in other lanes."""
    target, lane = plan.links[frame, child, 0], plan.links[frame, child, 1]
    wide, mover = work.frames[target * FRAME + LANES], node.kind[MOVER]
    for seat in range(2):
        rows, count = (node.sent, node.kind[ACTIVE]) if seat == mover else (node.theirs, node.kind[THEIRS])
        there = (target * BLOCKS + seat) * work.widest + lane
        for hand in range(count):
            _copy(work.blocks, rows + hand * node.lanes, work.blocks, there + hand * wide, node.lanes)


@_spelled_out
def _gather(plan: Plan, work: Work, node: Node, frame: int, child: int) -> None:
    """What a node after one of the stem is worth, of its lanes those that come from there."""
    target, lane = plan.links[frame, child, 0], plan.links[frame, child, 1]
    wide, there = work.frames[target * FRAME + LANES], (target * BLOCKS + VALUE) * work.widest + lane
    for hand in range(node.kind[ACTIVE] if node.own else node.kind[THEIRS]):
        _copy(work.blocks, there + hand * wide, work.blocks, node.told + hand * node.lanes, node.lanes)


@_spelled_out
def _descend(plan: Plan, work: Work, node: Node, frame: int, below: int, child: int) -> None:
    """Go to a child, in the same lanes."""
    kind, mover = node.kind, node.kind[MOVER]
    here, there = _part(work.frames, frame * FRAME, FRAME), _part(work.frames, below * FRAME, FRAME)
    step = _part(plan.lists, kind[CHILDREN_AT] + 2 * child, 2)
    rows = (kind[CALLS] + kind[CHILDREN]) * kind[ACTIVE] + step[1]
    there[KIND], there[FIRST], there[LANES] = step[0], node.first + rows * node.lanes, node.lanes
    there[ACTION], there[ABOVE] = -1, frame
    there[WAYS + mover], there[WAYS + 1 - mover] = below, here[WAYS + 1 - mover]


@_spelled_out
def _node(plan: Plan, work: Work, frame: int, below: int, player: int) -> Node:
    """The node in a frame."""
    here, widest = _part(work.frames, frame * FRAME, FRAME), work.widest
    kind = _part(plan.kinds, here[KIND] * FIELDS, FIELDS)
    mover, first = kind[MOVER], frame * BLOCKS * widest
    whole = (here[WAYS + mover] * BLOCKS + mover) * widest
    value = first + VALUE * widest
    return Node(
        kind,
        mover == player,
        here[FIRST],
        here[LANES],
        whole,
        first + PLAYED * widest if kind[SILENT] else whole,
        (here[WAYS + 1 - mover] * BLOCKS + 1 - mover) * widest,
        first + NORM * widest,
        first + EVEN * widest,
        first + BEST * widest if kind[SILENT] else value,
        value,
        (below * BLOCKS + mover) * widest,
        (below * BLOCKS + VALUE) * widest,
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
    responds, blocks = mode == RESPOND, work.blocks
    play = memory.summed if responds else memory.learned
    for turn in range(weights.shape[0]):
        for walk in walks:
            terms = Terms(consts, weights[turn], mode, rule)
            player, frame, ways = walk[0], walk[1], walk[2]
            work.frames[frame * FRAME + ACTION] = -1
            while frame >= 0:
                below = max(frame + 1, work.base)
                node = _node(plan, work, frame, below, player)
                kind, own, calls = node.kind, node.own, node.kind[CALLS]
                action, actions = work.frames[frame * FRAME + ACTION], calls + kind[CHILDREN]
                if action < 0:
                    if ways & DOWN:
                        _arrive(plan, play, blocks, node, terms)
                elif ways & UP:
                    if ways == UP and action >= calls:
                        _gather(plan, work, node, frame, action - calls)
                    if own:
                        _fold(memory, blocks, node, action, terms)
                    else:
                        _add(blocks, node.value, blocks, node.told, kind[THEIRS] * node.lanes)
                action += 1
                work.frames[frame * FRAME + ACTION] = action
                calling = action < calls
                chosen = action < actions and ways & (UP if calling else DOWN)
                if chosen and not (own and (calling or responds)):
                    _played(play, blocks, node, action, consts)
                if calling:
                    if chosen:
                        _call(plan, work, node, action, consts)
                elif action >= actions:
                    if own and ways & UP:
                        _leave(plan, memory, blocks, node, terms)
                    frame = work.frames[frame * FRAME + ABOVE]
                elif ways == DOWN | UP:
                    _descend(plan, work, node, frame, below, action - calls)
                    frame = below
                elif ways & DOWN:
                    _spread(plan, work, node, frame, action - calls)
