"""The CFR kernel: one iterative walk over the public tree that learns, or computes a best response.

Zinkevich, Johanson, Bowling and Piccione, *Regret Minimization in Games with Incomplete Information* (2007), over
public nodes with vectors of hands. Code that is long stands in one place only, since compile time grows with the number
of loops.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit, types
from numba.extending import intrinsic

from liarsdice.runtime.kernel_cache import cached_kernel
from liarsdice.runtime.source_digest import source_digest
from liarsdice.solve.cfr import kernel_layout as layout
from liarsdice.solve.cfr.kernel_layout import (
    Call,
    Int64Array,
    Memory,
    Node,
    RealArray,
    TreeArrays,
    WalkSettings,
    Workspace,
)

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


SOURCES = ("liarsdice.solve.cfr.kernel_layout", "liarsdice.solve.cfr.cfr_kernel")
"""Everything that the machine code depends on: a change in any of these files recompiles the kernel."""


@inlined_early
def enter_node(
    tree: TreeArrays, memory: Memory, play: RealArray, blocks: RealArray, node: Node, settings: WalkSettings
) -> None:
    """Prepare a node on the way down: the reach of the hands that decide, their strategy, and values to add to.

    The strategy of the learner is added to its average.

    `play`: float [row], regrets or summed strategies; `blocks`: float [block row], see `kernel_layout`.
    """
    fields, lanes, constants = node.fields, node.lanes, settings.constants
    responds = settings.mode == layout.RESPOND
    n = fields[layout.DECIDING] * lanes
    if fields[layout.SURE_CALLERS]:
        deciding = slice_of(tree.lists, fields[layout.DECIDING_AT], fields[layout.DECIDING])
        for hand in range(fields[layout.DECIDING]):
            source = node.mover_reach + deciding[hand] * lanes
            copy_to(blocks, source, blocks, node.deciding_reach + hand * lanes, lanes)
    if n and not (node.learner_moves and responds):
        prepare_strategy(play, blocks, node, constants)
        if node.learner_moves:
            add_to_average(memory, blocks, node, settings)
    if node.learner_moves:
        fill(blocks, node.deciding_value, n, constants[layout.MIN_VALUE] if responds else constants[layout.ZERO])
    else:
        fill(blocks, node.value, fields[layout.BIDDER_HANDS] * lanes, constants[layout.ZERO])


@inlined_early
def leave_node(tree: TreeArrays, memory: Memory, blocks: RealArray, node: Node, settings: WalkSettings) -> None:
    """Finish a node of the learner on the way up: regrets, and the values of all its hands.

    `blocks`: float [block row], see `kernel_layout`.
    """
    fields, lanes = node.fields, node.lanes
    if settings.mode == layout.LEARN:
        finish_regrets(memory, blocks, node, settings)
    if fields[layout.SURE_CALLERS]:
        deciding = slice_of(tree.lists, fields[layout.DECIDING_AT], fields[layout.DECIDING])
        for hand in range(fields[layout.DECIDING]):
            target = node.value + deciding[hand] * lanes
            copy_to(blocks, node.deciding_value + hand * lanes, blocks, target, lanes)


@inlined_early
def send_reach(tree: TreeArrays, work: Workspace, node: Node, frame: int, child: int) -> None:
    """Copy reach probabilities from a stem node to a child, where other ways to it occupy other lanes."""
    target, lane = tree.links[frame, child, 0], tree.links[frame, child, 1]
    target_lanes = work.frames[target * layout.FRAME_FIELDS + layout.LANES]
    mover = node.fields[layout.MOVER]
    for seat in range(2):
        rows, count = node.bidder_reach, node.fields[layout.BIDDER_HANDS]
        if seat == mover:
            rows, count = node.action_reach, node.fields[layout.DECIDING]
        start = (target * layout.BLOCKS + seat) * work.block_size + lane
        for hand in range(count):
            copy_to(work.blocks, rows + hand * node.lanes, work.blocks, start + hand * target_lanes, node.lanes)


@inlined_early
def collect_value(tree: TreeArrays, work: Workspace, node: Node, frame: int, child: int) -> None:
    """Copy the value of a stem node's child into `action_value`: of its lanes those that belong to this node."""
    source, lane = tree.links[frame, child, 0], tree.links[frame, child, 1]
    source_lanes = work.frames[source * layout.FRAME_FIELDS + layout.LANES]
    start = (source * layout.BLOCKS + layout.VALUE) * work.block_size + lane
    for hand in range(node.fields[layout.DECIDING] if node.learner_moves else node.fields[layout.BIDDER_HANDS]):
        target = node.action_value + hand * node.lanes
        copy_to(work.blocks, start + hand * source_lanes, work.blocks, target, node.lanes)


@inlined_early
def descend(tree: TreeArrays, work: Workspace, node: Node, frame: int, child_frame: int, child: int) -> None:
    """Set up the frame of a child in the same lanes."""
    fields, mover = node.fields, node.fields[layout.MOVER]
    here = slice_of(work.frames, frame * layout.FRAME_FIELDS, layout.FRAME_FIELDS)
    below = slice_of(work.frames, child_frame * layout.FRAME_FIELDS, layout.FRAME_FIELDS)
    type_and_offset = slice_of(tree.lists, fields[layout.CHILDREN_AT] + 2 * child, 2)
    own_rows = (fields[layout.CALLS] + fields[layout.CHILDREN]) * fields[layout.DECIDING]
    below[layout.TYPE], below[layout.LANES] = type_and_offset[0], node.lanes
    below[layout.FIRST_ROW] = node.first_row + (own_rows + type_and_offset[1]) * node.lanes
    below[layout.ACTION], below[layout.PARENT] = -1, frame
    below[layout.REACH_FRAMES + mover] = child_frame
    below[layout.REACH_FRAMES + 1 - mover] = here[layout.REACH_FRAMES + 1 - mover]


@inlined_early
def load_node(tree: TreeArrays, work: Workspace, frame: int, child_frame: int, player: int) -> Node:
    """The node in a frame, for a player who learns or responds."""
    here, size = slice_of(work.frames, frame * layout.FRAME_FIELDS, layout.FRAME_FIELDS), work.block_size
    fields = slice_of(tree.types, here[layout.TYPE] * layout.TYPE_FIELDS, layout.TYPE_FIELDS)
    mover, first = fields[layout.MOVER], frame * layout.BLOCKS * size
    mover_reach = (here[layout.REACH_FRAMES + mover] * layout.BLOCKS + mover) * size
    value = first + layout.VALUE * size
    return Node(
        fields,
        mover == player,
        here[layout.FIRST_ROW],
        here[layout.LANES],
        mover_reach,
        first + layout.DECIDING_REACH * size if fields[layout.SURE_CALLERS] else mover_reach,
        (here[layout.REACH_FRAMES + 1 - mover] * layout.BLOCKS + 1 - mover) * size,
        first + layout.INVERSE_SUM * size,
        first + layout.UNIFORM * size,
        first + layout.DECIDING_VALUE * size if fields[layout.SURE_CALLERS] else value,
        value,
        (child_frame * layout.BLOCKS + mover) * size,
        (child_frame * layout.BLOCKS + layout.VALUE) * size,
    )


@inlined_early
def load_call(tree: TreeArrays, node: Node, action: int) -> Call:
    """The call that an action makes, or the one that ends the round after a raise, if all hands make it there."""
    calls = node.fields[layout.CALLS]
    by_mover = action < calls
    raised = 0 if by_mover else tree.lists[node.fields[layout.CHILDREN_AT] + 2 * (action - calls)]
    below = slice_of(tree.types, raised * layout.TYPE_FIELDS, layout.TYPE_FIELDS)
    fields = node.fields if by_mover else below
    caller, caller_at = fields[layout.MOVER_HANDS], fields[layout.MOVER_BUCKETS_AT]
    if by_mover:
        caller, caller_at = fields[layout.DECIDING], fields[layout.DECIDING_AT] + fields[layout.DECIDING]
    bidder, bidder_at, number = fields[layout.BIDDER_HANDS], fields[layout.BIDDER_BUCKETS_AT], action if by_mover else 0
    if node.learner_moves == by_mover:
        return Call(fields, number, by_mover, True, bidder, bidder_at, caller, caller_at)  # noqa: FBT003  a tuple
    return Call(fields, number, by_mover, False, caller, caller_at, bidder, bidder_at)  # noqa: FBT003  a tuple


@cached_kernel(source_digest(*SOURCES), OPTIONS)
def walk_tree(
    tree: TreeArrays,
    memory: Memory,
    work: Workspace,
    constants: RealArray,
    weights: RealArray,
    walks: Int64Array,
    mode_and_update: tuple[int, int],
) -> None:
    """Walk through subtrees, and down or up single stem nodes, for a player who learns or responds.

    `weights`: real [iteration, 4], see `kernel_layout.POSITIVE_DISCOUNT`. `walks`: int64 [walk, 3], the player, the
    frame to start from, and the direction; all of them are walked for each row of `weights`. `mode_and_update`: as in
    `WalkSettings`. Other threads may walk other frames at the same time. In the end the block `VALUE` of frame 0 holds
    the value of the round to the last player, by hand.
    """
    mode, regret_update = mode_and_update
    responds, blocks = mode == layout.RESPOND, work.blocks
    play = memory.strategy_sum if responds else memory.regret
    for iteration in range(weights.shape[0]):
        for walk in walks:
            settings = WalkSettings(constants, weights[iteration], mode, regret_update)
            player, frame, direction = walk[0], walk[1], walk[2]
            work.frames[frame * layout.FRAME_FIELDS + layout.ACTION] = -1
            while frame >= 0:
                child_frame = max(frame + 1, work.first_frame)
                node = load_node(tree, work, frame, child_frame, player)
                fields, learner_moves, calls = node.fields, node.learner_moves, node.fields[layout.CALLS]
                action = work.frames[frame * layout.FRAME_FIELDS + layout.ACTION]
                actions = calls + fields[layout.CHILDREN]
                if action < 0:
                    if direction & layout.DOWN:
                        enter_node(tree, memory, play, blocks, node, settings)
                elif direction & layout.UP:
                    if direction == layout.UP and action >= calls:
                        collect_value(tree, work, node, frame, action - calls)
                    if learner_moves:
                        add_action_value(memory, blocks, node, action, settings)
                    else:
                        count = fields[layout.BIDDER_HANDS] * node.lanes
                        add_to(blocks, node.value, blocks, node.action_value, count)
                action += 1
                work.frames[frame * layout.FRAME_FIELDS + layout.ACTION] = action
                if action >= actions:
                    if learner_moves and direction & layout.UP:
                        leave_node(tree, memory, blocks, node, settings)
                    frame = work.frames[frame * layout.FRAME_FIELDS + layout.PARENT]
                    continue
                call = load_call(tree, node, action)
                # a raise after which every hand calls ends the round like a call, without a walk to its node
                ends = call.by_mover or (direction == layout.DOWN | layout.UP and call.fields[layout.DECIDING] == 0)
                if not direction & (layout.UP if ends else layout.DOWN):
                    continue
                if not (learner_moves and (ends or responds)):
                    compute_action_reach(play, blocks, node, action, constants)
                if ends:
                    evaluate_call(tree, work, node, call, constants)
                elif direction == layout.DOWN | layout.UP:
                    descend(tree, work, node, frame, child_frame, action - calls)
                    frame = child_frame
                else:
                    send_reach(tree, work, node, frame, action - calls)
