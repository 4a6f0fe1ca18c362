"""Steps of the CFR kernel on blocks of numbers: strategies, regret updates and the values of calls.

All of them are compiled into `cfr_kernel.walk_tree`. Loops run over whole blocks, so that the compiler can vectorise
them. Nothing is allocated, so that references need not be counted (`_nrt`), which took half of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit, types
from numba.extending import intrinsic

from liarsdice.solve.cfr import kernel_layout as layout
from liarsdice.solve.cfr.kernel_layout import Call, Memory, Node, RealArray, TreeArrays, WalkSettings, Workspace

Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"fastmath": True, "nogil": True, "error_model": "numpy", "_nrt": False}


def inlined(function: Function) -> Function:
    """Compile a function into its callers, since passing a dozen arrays would cost more than the work."""
    return cast("Function", njit(forceinline=True, **OPTIONS)(function))


def inlined_early(function: Function) -> Function:
    """Inline a function before it is typed: what is compiled on its own is compiled once more by each caller."""
    return cast("Function", njit(inline="always", **OPTIONS)(function))


def array_intrinsic(function: Function) -> Callable[[RealArray, int, int], RealArray]:
    """Make a numba intrinsic of a function that builds the instructions for a slice of a float [row] array."""
    return cast("Callable[[RealArray, int, int], RealArray]", intrinsic(function))


@array_intrinsic
def slice_of(_: Any, rows: Any, start: Any, count: Any) -> Any:  # noqa: ANN401  numba's own types
    """`rows[start:start + count]` without bounds and sign checks, which cost more than the work."""

    def build(context: Any, builder: Any, _: Any, values: Any) -> Any:  # noqa: ANN401  as above
        array = context.make_array(rows)
        whole, part = array(context, builder, values[0]), array(context, builder)
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(rows.dtype)))
        first = builder.gep(whole.data, [values[1]], inbounds=True)
        context.populate_array(part, data=first, shape=[values[2]], strides=[size], itemsize=size, meminfo=None)
        return part._getvalue()  # noqa: SLF001  numba's way to return an array

    return rows(rows, start, count), build


@inlined
def fill(rows: RealArray, start: int, count: int, number: float) -> None:
    """Set `count` numbers of `rows`, float [row], from `start` on."""
    block = slice_of(rows, start, count)
    for j in range(count):
        block[j] = number


@inlined
def add_to(rows: RealArray, start: int, addends: RealArray, addends_start: int, count: int) -> None:
    """Add `count` numbers of `addends` to `rows`, both float [row]."""
    block, other = slice_of(rows, start, count), slice_of(addends, addends_start, count)
    for j in range(count):
        block[j] += other[j]


@inlined
def copy_to(source: RealArray, source_start: int, target: RealArray, target_start: int, count: int) -> None:
    """Copy `count` numbers of `source` to `target`, both float [row]."""
    read, write = slice_of(source, source_start, count), slice_of(target, target_start, count)
    for j in range(count):
        write[j] = read[j]


@inlined_early
def prepare_strategy(play: RealArray, blocks: RealArray, node: Node, constants: RealArray) -> None:
    """Compute `INVERSE_SUM` and `UNIFORM` of a node by regret matching over `play` (regrets, or summed strategies).

    `play`: float [row]; `blocks`: float [block row]; `constants`: float [constant]. The strategy is not stored.
    """
    zero, one, tiny = constants[layout.ZERO], constants[layout.INTEGERS + 1], constants[layout.TINY]
    n, actions = node.fields[layout.DECIDING] * node.lanes, node.fields[layout.CALLS] + node.fields[layout.CHILDREN]
    total, uniform = slice_of(blocks, node.inverse_sum, n), slice_of(blocks, node.uniform, n)
    first = slice_of(play, node.first_row, n)
    for j in range(n):
        total[j] = max(first[j], zero)
    for action in range(1, actions):
        block = slice_of(play, node.first_row + action * n, n)
        for j in range(n):
            total[j] += max(block[j], zero)
    equal_share = one / constants[layout.INTEGERS + actions]
    for j in range(n):
        positive = total[j] > tiny  # a smaller sum has no finite inverse
        total[j] = one / total[j] if positive else zero
        uniform[j] = zero if positive else equal_share


@inlined_early
def compute_action_reach(play: RealArray, blocks: RealArray, node: Node, action: int, constants: RealArray) -> None:
    """Write the probability that the mover's deciding hands come to a node and take one action.

    `play`: float [row]; `blocks`: float [block row]; `constants`: float [constant].
    """
    zero, n = constants[layout.ZERO], node.fields[layout.DECIDING] * node.lanes
    block, target = slice_of(play, node.first_row + action * n, n), slice_of(blocks, node.action_reach, n)
    reach = slice_of(blocks, node.deciding_reach, n)
    inverse_sum, uniform = slice_of(blocks, node.inverse_sum, n), slice_of(blocks, node.uniform, n)
    for j in range(n):
        target[j] = reach[j] * (max(block[j], zero) * inverse_sum[j] + uniform[j])


@inlined_early
def add_to_average(memory: Memory, blocks: RealArray, node: Node, settings: WalkSettings) -> None:
    """Add the strategy of the learner at a node to its average, weighted by its own reach.

    All actions of the node are added at once, because they are neighbours in memory.

    `blocks`: float [block row].
    """
    n, zero = node.fields[layout.DECIDING] * node.lanes, settings.constants[layout.ZERO]
    weight, reach = settings.weights[layout.AVERAGE_WEIGHT], slice_of(blocks, node.deciding_reach, n)
    inverse_sum, uniform = slice_of(blocks, node.inverse_sum, n), slice_of(blocks, node.uniform, n)
    for action in range(node.fields[layout.CALLS] + node.fields[layout.CHILDREN]):
        start = node.first_row + action * n
        regret, strategy_sum = slice_of(memory.regret, start, n), slice_of(memory.strategy_sum, start, n)
        for j in range(n):
            strategy_sum[j] += weight * reach[j] * (max(regret[j], zero) * inverse_sum[j] + uniform[j])


@inlined_early
def add_action_value(memory: Memory, blocks: RealArray, node: Node, action: int, settings: WalkSettings) -> None:
    """Take the value of one action of the learner into the node's value and the regrets.

    `blocks`: float [block row].
    """
    n = node.fields[layout.DECIDING] * node.lanes
    value, total = slice_of(blocks, node.action_value, n), slice_of(blocks, node.deciding_value, n)
    zero = settings.constants[layout.ZERO]
    positive_discount = settings.weights[layout.POSITIVE_DISCOUNT]
    negative_discount = settings.weights[layout.NEGATIVE_DISCOUNT]
    start = node.first_row + action * n
    regret = slice_of(memory.regret, start, n)
    inverse_sum, uniform = slice_of(blocks, node.inverse_sum, n), slice_of(blocks, node.uniform, n)
    if settings.mode == layout.RESPOND:
        for j in range(n):
            total[j] = max(total[j], value[j])
    else:
        for j in range(n):
            old = regret[j]
            p = max(old, zero) * inverse_sum[j] + uniform[j]
            total[j] += p * value[j]
            regret[j] = old * (positive_discount if old > zero else negative_discount) + value[j]
        if settings.regret_update == layout.PREDICTIVE:
            predicted = slice_of(memory.predicted_regret, start, n)
            for j in range(n):
                regret[j] -= value[j] + predicted[j]
                predicted[j] = value[j]


@inlined_early
def finish_regrets(memory: Memory, blocks: RealArray, node: Node, settings: WalkSettings) -> None:
    """Subtract the value of the node from the regret of every action; with PCFR+ add the prediction.

    `blocks`: float [block row].
    """
    floor, n = settings.weights[layout.REGRET_FLOOR], node.fields[layout.DECIDING] * node.lanes
    total = slice_of(blocks, node.deciding_value, n)
    for action in range(node.fields[layout.CALLS] + node.fields[layout.CHILDREN]):
        start = node.first_row + action * n
        regret = slice_of(memory.regret, start, n)
        if settings.regret_update == layout.PREDICTIVE:
            predicted = slice_of(memory.predicted_regret, start, n)
            for j in range(n):
                predicted[j] -= total[j]
                regret[j] = max(regret[j] + predicted[j], floor) + predicted[j]
        else:
            for j in range(n):
                regret[j] = max(regret[j] - total[j], floor)


@inlined_early
def fill_buckets(tree: TreeArrays, work: Workspace, node: Node, call: Call, constants: RealArray) -> None:
    """Sum by hand bucket how likely the learner's opponent comes to a call (and makes it, if it is the caller).

    `constants`: float [constant].
    """
    fields, lanes, blocks = call.fields, node.lanes, work.blocks
    bucket_count = fields[layout.BIDDER_BUCKETS if call.by_learner else layout.MOVER_BUCKETS]
    fill(work.buckets, 0, bucket_count * lanes, constants[layout.ZERO])
    rows = node.bidder_reach if node.learner_moves else node.action_reach
    hand_buckets = slice_of(tree.lists, call.opposing_buckets_at, call.opposing)
    for hand in range(call.opposing):
        add_to(work.buckets, hand_buckets[hand] * lanes, blocks, rows + hand * lanes, lanes)
    if call.number == 0 and not node.learner_moves and call.by_mover:
        mover_buckets = slice_of(tree.lists, fields[layout.MOVER_BUCKETS_AT], fields[layout.MOVER_HANDS])
        for hand in slice_of(tree.lists, fields[layout.SURE_CALLERS_AT], fields[layout.SURE_CALLERS]):
            add_to(work.buckets, mover_buckets[hand] * lanes, blocks, node.mover_reach + hand * lanes, lanes)


@inlined_early
def value_buckets(tree: TreeArrays, work: Workspace, lanes: int, call: Call, constants: RealArray) -> None:
    """Compute what a call is worth to each bucket of the learner's hands, against the opponent's buckets.

    `constants`: float [constant].
    """
    mover, bidder = call.fields[layout.MOVER_BUCKETS], call.fields[layout.BIDDER_BUCKETS]
    rows, columns = (mover, bidder) if call.by_learner else (bidder, mover)
    row_step, column_step = (bidder, 1) if call.by_learner else (1, bidder)
    payoffs = slice_of(tree.payoffs, call.fields[layout.PAYOFFS_AT] + call.number * mover * bidder, mover * bidder)
    fill(work.bucket_values, 0, rows * lanes, constants[layout.ZERO])
    for row in range(rows):
        values = slice_of(work.bucket_values, row * lanes, lanes)
        for column in range(columns):
            reach = slice_of(work.buckets, column * lanes, lanes)
            payoff = payoffs[row * row_step + column * column_step]
            if not call.by_learner:
                payoff = -payoff
            for lane in range(lanes):
                values[lane] += payoff * reach[lane]


@inlined_early
def evaluate_call(tree: TreeArrays, work: Workspace, node: Node, call: Call, constants: RealArray) -> None:
    """Compute what a call is worth to each hand of the learner, into `action_value` (certain calls: into `value`).

    `constants`: float [constant].
    """
    fields, lanes, blocks = call.fields, node.lanes, work.blocks
    if call.number == 0 or not node.learner_moves:
        fill_buckets(tree, work, node, call, constants)
    value_buckets(tree, work, lanes, call, constants)
    hand_buckets = slice_of(tree.lists, call.own_buckets_at, call.own)
    for hand in range(call.own):
        copy_to(work.bucket_values, hand_buckets[hand] * lanes, blocks, node.action_value + hand * lanes, lanes)
    if call.number == 0 and node.learner_moves and call.by_mover:
        mover_buckets = slice_of(tree.lists, fields[layout.MOVER_BUCKETS_AT], fields[layout.MOVER_HANDS])
        for hand in slice_of(tree.lists, fields[layout.SURE_CALLERS_AT], fields[layout.SURE_CALLERS]):
            copy_to(work.bucket_values, mover_buckets[hand] * lanes, blocks, node.value + hand * lanes, lanes)
