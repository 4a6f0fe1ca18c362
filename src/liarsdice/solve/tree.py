"""The public tree of a two-player round, laid out so that every subtree is one range of memory.

A node is what both players have seen: the bids so far. Which bids and calls are open at a node, and what they cost,
depends on the situation alone (`tables`), but beliefs depend on the whole way there; so every way to a situation is a
node of its own, and equal situations have equal subtrees, laid out alike.

Two reductions lose nothing. *Sure calls:* a hand whose call wins the most that can be won, whatever the bidder holds,
calls. It never raises here, its player is known not to hold it further down, and nothing has to be learned for it.
*Lanes:* the first few bids restrict no hand, and after them the ways with the same player on turn have the same
subtrees; they are walked together, as lanes of one vector.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.errors import UnavailableError
from liarsdice.solve.blocks import FIELDS
from liarsdice.solve.tables import Round, Situation

Ints = NDArray[np.int64]
MOST_KINDS = 200_000
CLOSE = 1e-12
LANES = 32, 128
MANY_NODES = 1_000_000
WORTH_A_THREAD = 500_000
"""Rows that take a thread longer to walk than it takes to wake one."""


class Kind(msgspec.Struct, frozen=True):
    """A situation with the hands that its two players may still hold there.

    `mine`, `theirs`: hands of the mover and of the bidder. `active`: places in `mine` of the hands that decide; the
    others call. `children`: the kinds after each raise. `actions`: calls, then raises. `rows`: what the mover learns,
    one row an action and active hand. `size`: the rows of the whole subtree. `nodes`: its nodes.
    """

    situation: int
    mine: tuple[int, ...]
    theirs: tuple[int, ...]
    active: tuple[int, ...]
    children: tuple[int, ...]
    actions: int
    rows: int
    size: int
    nodes: int


class Tree(msgspec.Struct, frozen=True):
    """The tree of a round: its kinds, children before parents, and the number of the root's kind.

    `low`, `high`: between what each outcome is worth to seat 0; to seat 1 it is as much less.
    """

    round: Round
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    kinds: tuple[Kind, ...]
    root: int

    @property
    def worth(self) -> NDArray[np.float64]:
        """What players take outcomes to be worth to seat 0."""
        return (self.low + self.high) / 2

    def payoffs(self, situation: Situation, worth: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """What each call of a situation is worth to its caller: [class of the caller's hand, class of the bidder's]."""
        sign = 1 if situation.mover == 0 else -1
        return [sign * worth[call.outcomes] for call in situation.calls]


def tree_of(
    table: Round, low: NDArray[np.float64], high: NDArray[np.float64] | None = None, *, sure_calls: bool = True
) -> Tree:
    """The tree of a round whose outcomes are worth between `low` and `high` to seat 0 (-1 to 1 or so).

    `high` None: exactly `low`. `sure_calls`: whether to leave out what hands that are sure of the best outcome learn.

    Why that loses nothing: let a hand's call win, against every hand that the bidder may hold here, an outcome that is
    worth at least as much as any other outcome of the round. Each way to play on ends in some outcome of the round
    against each of those hands, so that it wins no more against any of them. So a best response may call with this
    hand, whatever it is a response to, and play in equilibrium may, too: from any equilibrium take the one in which
    this hand calls; its player wins no less against anything, and the other player still can't win more than the
    value. Bidders whose every hand is sure need no node further down, and players who raised are known not to hold the
    hands that call: their reach there is zero, whatever is learned.
    """
    high = low if high is None else high
    sure = (_unbeaten(low, high), _unbeaten(-high, -low))
    kinds: list[Kind] = []
    known: dict[tuple[int, tuple[int, ...], tuple[int, ...]], int] = {}

    def add(number: int, mine: tuple[int, ...], theirs: tuple[int, ...]) -> int:
        key = number, mine, theirs
        if key in known:
            return known[key]
        situation = table.situations[number]
        active = tuple(range(len(mine)))
        if len(situation.calls) + len(situation.raises) == 1:
            active = () if situation.calls else active
        elif situation.calls and sure_calls:
            mover = situation.mover
            against = np.unique(situation.classes[1 - mover][list(theirs)])
            wins = sure[mover][situation.calls[0].outcomes[:, against]].all(axis=1)
            active = tuple(place for place in active if not wins[situation.classes[mover][mine[place]]])
        deciding = tuple(mine[place] for place in active)
        children = tuple(add(then, theirs, deciding) for _, then in situation.raises) if active else ()
        actions = len(situation.calls) + len(children)
        rows = len(active) * actions
        known[key] = len(kinds)
        kinds.append(
            Kind(
                situation=number,
                mine=mine,
                theirs=theirs,
                active=active,
                children=children,
                actions=actions,
                rows=rows,
                size=rows + sum(kinds[child].size for child in children),
                nodes=1 + sum(kinds[child].nodes for child in children),
            )
        )
        if len(kinds) > MOST_KINDS:
            raise UnavailableError("too many different hands are ruled out by bids; take fewer dice or faces")
        return known[key]

    starter = table.opening.starter
    everything = tuple(tuple(range(len(held))) for held in table.hands)
    root = add(0, everything[starter], everything[1 - starter])
    return Tree(table, low, high, tuple(kinds), root)


def _unbeaten(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.bool_]:
    """By outcome whether it is at least as good as every other one, whatever they are worth within their bounds."""
    return np.array([one >= np.delete(high, place).max(initial=-np.inf) - CLOSE for place, one in enumerate(low)])


def dice_lost(table: Round) -> NDArray[np.float64]:
    """What outcomes are worth in a round by itself: 1 where seat 1 comes off worse by dice held, -1 where seat 0 does.

    Whoever makes the other one lose a die wins 1; a call that moves no dice, or both sides' alike, is worth nothing.
    """
    before = table.opening.dice[0] - table.opening.dice[1]
    return np.sign([one.dice[0] - one.dice[1] - before for one in table.outcomes]).astype(np.float64)


class Layout(msgspec.Struct, frozen=True):
    """A tree as the kernel reads it.

    `kinds`: int64[kind, field]. `lists`: the lists that fields point into. `payoffs`: float64, what calls are worth to
    their caller. `stem`: int64[node, 6], the first few bids' nodes, parents first: kind, parent, action there, group,
    lane, first row. `branches`: int64[branch, 3], the subtrees that hang from the stem, each walked in all lanes of its
    group: group, kind, first row. `actions`: int64[node, action], the branch (from 0) or the stem's node (as -1 - node)
    that an action leads to. `rows`: all rows times their lanes.
    """

    kinds: Ints
    lists: Ints
    payoffs: NDArray[np.float64]
    stem: Ints
    actions: Ints
    branches: Ints
    lanes: tuple[int, int]
    rows: int
    hands: int
    depth: int


def layout_of(tree: Tree, lanes: int | None = None) -> Layout:
    """Lay a tree out. `lanes`: about how many nodes are to be walked together."""
    kinds, lists, payoffs = _written(tree)
    wanted = lanes or LANES[tree.kinds[tree.root].nodes > MANY_NODES]
    stem = _stem(tree, wanted)
    place = {node: number for number, node in enumerate(stem)}
    count = [0, 0]
    written = np.zeros((len(stem), 6), np.int64)
    rows = 0
    for number, way in enumerate(stem):
        kind = tree.kinds[way[-1][0]]
        mover = tree.round.situations[kind.situation].mover
        parent = place[way[:-1]] if len(way) > 1 else -1
        written[number] = way[-1][0], parent, way[-1][1], mover, count[mover], rows
        count[mover] += 1
        rows += kind.rows
    actions = np.zeros((len(stem), max(tree.kinds[way[-1][0]].actions for way in stem)), np.int64)
    branches: dict[tuple[int, int], int] = {}
    for number, way in enumerate(stem):
        kind = tree.kinds[way[-1][0]]
        calls = kind.actions - len(kind.children)
        for action, child in enumerate(kind.children, calls):
            step = (*way, (child, action))
            if step in place:
                actions[number, action] = -1 - place[step]
            else:
                actions[number, action] = branches.setdefault((int(written[number, 3]), child), len(branches))
    table = np.zeros((len(branches), 3), np.int64)
    for (group, kind_number), branch in branches.items():
        table[branch] = group, kind_number, rows
        rows += tree.kinds[kind_number].size * count[group]
    return Layout(
        kinds=kinds,
        lists=lists,
        payoffs=payoffs,
        stem=written,
        actions=actions,
        branches=table,
        lanes=(count[0], count[1]),
        rows=rows,
        hands=max(len(held) for held in tree.round.hands),
        depth=_depth(tree),
    )


def shared_out(layout: Layout, count: int) -> list[Ints]:
    """The branches of a tree in so many parts of about one size; one part where that is not worth the while."""
    ends = np.append(layout.branches[1:, 2], layout.rows)
    sizes = ends - layout.branches[:, 2]
    if layout.rows < count * WORTH_A_THREAD:
        count = 1
    parts: list[list[int]] = [[] for _ in range(count)]
    filled = [0] * count
    for branch in np.argsort(-sizes, kind="stable").tolist():
        least = filled.index(min(filled))
        parts[least].append(branch)
        filled[least] += int(sizes[branch])
    return [np.array(sorted(part), np.int64) for part in parts]


Way = tuple[tuple[int, int], ...]


def _stem(tree: Tree, lanes: int) -> list[Way]:
    """The ways through the lowest bids, up to about twice so many as there are to be lanes; parents first."""
    root: Way = ((tree.root, -1),)
    found = [root]
    limit = 1
    while limit < len(tree.round.situations):
        wider = _ways(tree, root, limit + 1)
        if len(wider) > 2 * lanes or any(_restricts(tree, way[-1][0]) for way in wider):
            break
        found = wider
        limit += 1
    return found


def _ways(tree: Tree, way: Way, limit: int) -> list[Way]:
    kind = tree.kinds[way[-1][0]]
    calls = kind.actions - len(kind.children)
    found = [way]
    for action, child in enumerate(kind.children, calls):
        if tree.kinds[child].situation < limit:
            found += _ways(tree, (*way, (child, action)), limit)
    return found


def _restricts(tree: Tree, number: int) -> bool:
    kind = tree.kinds[number]
    return len(kind.active) < len(kind.mine)


def _depth(tree: Tree) -> int:
    depths: list[int] = []
    for kind in tree.kinds:
        depths.append(1 + max((depths[child] for child in kind.children), default=0))
    return depths[tree.root]


def _written(tree: Tree) -> tuple[Ints, Ints, NDArray[np.float64]]:
    fields = np.zeros((len(tree.kinds), FIELDS), np.int64)
    lists: list[int] = []
    payoffs: list[float] = []
    at: dict[int, int] = {}
    for number, kind in enumerate(tree.kinds):
        situation = tree.round.situations[kind.situation]
        mover, other = situation.mover, 1 - situation.mover
        if kind.situation not in at:
            at[kind.situation] = len(payoffs)
            for worth in tree.payoffs(situation, tree.worth):
                payoffs += worth.ravel().tolist()
        shape = situation.calls[0].outcomes.shape if situation.calls else (1, 1)
        silent = [place for place in range(len(kind.mine)) if place not in kind.active]
        starts = []
        below = 0
        steps = []
        for child in kind.children:
            steps += [child, below]
            below += tree.kinds[child].size
        for values in (
            situation.classes[mover][list(kind.mine)].tolist(),
            situation.classes[other][list(kind.theirs)].tolist(),
            [*kind.active, *(int(situation.classes[mover][kind.mine[place]]) for place in kind.active)],
            silent,
            steps,
        ):
            starts.append(len(lists))
            lists += values
        fields[number] = (
            mover,
            len(kind.mine),
            len(kind.theirs),
            len(kind.active),
            len(kind.children),
            len(situation.calls),
            starts[0],
            starts[1],
            starts[2],
            starts[3],
            len(silent),
            starts[4],
            *shape,
            at[kind.situation],
        )
    return fields, np.array(lists or [0], np.int64), np.array(payoffs or [0.0])
