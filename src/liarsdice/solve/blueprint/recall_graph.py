"""The recall graph of a round: nodes that remember only the latest bids, and offer only the next few.

In the public tree of a round every bid sequence is a node, 2^60 of them with five dice each. A node of the recall graph
stands for all sequences that end with the same bids: a player who forgets the earlier ones plays alike after each of
them (imperfect recall; Waugh et al., *A Practical Use of Imperfect Recall*, 2009). Hands are never merged.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.rule_costs import require_approximated
from liarsdice.solve.round_game import RoundGame, Situation

DEFAULT_RECALL = 2
"""How many of the latest bids a node remembers."""
DEFAULT_MENU = 20
"""How many of the raises of a node are offered: those most likely to be true."""
MAX_NODES = 1_000_000

FloatArray = NDArray[np.float64]
Path = tuple[int, ...]
"""The latest situations, the current one last; the first of them is the start of the round."""


class GraphArrays(NamedTuple):
    """A recall graph as arrays, which is all that the kernel reads.

    By node: `situations` int32, `movers` int32 (0 or 1), `calls` int32 (how many calls there are), `first_child` int64
    (index in `children`, with one entry more than nodes), `first_row` int64 (where the numbers of the node begin, one
    for each action and hand of the mover: calls first, then raises; with one entry more than nodes). `children`: int32,
    the node after each raise. By situation: `buckets` int32 [seat, situation, hand], `payoffs` float32 [situation,
    call, bucket of the mover, bucket of the bidder], to the mover. `hand_counts`: int64 [seat]. `hand_probs`: float32
    [seat, hand], zero where the seat has fewer hands.
    """

    situations: NDArray[np.int32]
    movers: NDArray[np.int32]
    calls: NDArray[np.int32]
    first_child: NDArray[np.int64]
    first_row: NDArray[np.int64]
    children: NDArray[np.int32]
    buckets: NDArray[np.int32]
    payoffs: NDArray[np.float32]
    hand_counts: NDArray[np.int64]
    hand_probs: NDArray[np.float32]


class RecallGraph(msgspec.Struct, frozen=True):
    """The recall graph of a round.

    `recall`: the number of bids that a node remembers. `menu`: the most raises that a node offers. `values`: float64
    [outcome], what outcomes are worth to seat 0, from -1 to 1. `menus`: by situation the offered raises, as positions
    in `Situation.raises`. `nodes`: the index of each node by its path.
    """

    game: RoundGame
    recall: int
    menu: int
    values: FloatArray
    menus: tuple[tuple[int, ...], ...]
    nodes: dict[Path, int]
    arrays: GraphArrays

    @property
    def row_count(self) -> int:
        """The number of rows: one for each node, action and hand."""
        return int(self.arrays.first_row[-1])

    def rows_of(self, node: int) -> slice:
        """Return the rows of a node: one for each action and hand of the mover."""
        return slice(*self.arrays.first_row[node : node + 2])

    def children_of(self, node: int) -> NDArray[np.int32]:
        """Return the nodes after the raises that a node offers, int32 [raise]."""
        return self.arrays.children[slice(*self.arrays.first_child[node : node + 2])]

    @property
    def depth(self) -> int:
        """The most bids of a round, plus one."""
        return 1 + len({situation.bid for situation in self.game.situations if situation.bid is not None})


def make_recall_graph(
    game: RoundGame,
    values: FloatArray,
    recall: int = DEFAULT_RECALL,
    menu: int = DEFAULT_MENU,
    *,
    menus: Sequence[tuple[int, ...]] | None = None,
) -> RecallGraph:
    """Return the recall graph of a round, with the nodes that raises of the menus lead to.

    `values`: what each outcome is worth to seat 0, float64 [outcome]. `menus`: as in `RecallGraph`; None for the raises
    whose challenge is worth least, at most `menu` in each situation.
    Raises `MalformedError` unless `recall` is at least 2 and `menu` at least 1, or if the menus do not fit the raises,
    and `UnavailableError` for more than `MAX_NODES`, and for rules that blueprints do not know.
    """
    require_approximated(game.rules, "blueprints are computed")
    if recall < 2 or menu < 1:
        raise MalformedError(f"a blueprint remembers at least two bids and offers one, not {recall} and {menu}")
    if menus is None:
        menus = find_menus(game, values, menu)
    elif not _fit(menus, game):
        raise MalformedError("its menus do not fit the raises")
    nodes: dict[Path, int] = {(0,): 0}
    paths: list[Path] = [(0,)]
    children: list[int] = []
    first_child = [0]
    for path in paths:  # grows
        raises = game.situations[path[-1]].raises
        for place in menus[path[-1]]:
            after = child_path(path, raises[place][1], recall)
            if after not in nodes:
                nodes[after] = len(paths)
                paths.append(after)
                if len(paths) > MAX_NODES:
                    raise UnavailableError(f"more than {MAX_NODES:,} nodes; remember fewer bids, or offer fewer")
            children.append(nodes[after])
        first_child.append(len(children))
    arrays = _arrays(game, values, paths, np.array(first_child, np.int64), np.array(children, np.int32))
    return RecallGraph(game, recall, menu, values, tuple(menus), nodes, arrays)


def child_path(path: Path, situation: int, recall: int) -> Path:
    """Return the path of the node after a raise that leads to a situation.

    >>> child_path((3, 7), 12, recall=2), child_path((0,), 3, recall=2)
    ((7, 12), (0, 3))
    """
    return (*path, situation)[-recall:]


def bids_to_nodes(graph: RecallGraph) -> list[tuple[Bid, ...]]:
    """Return a shortest bid sequence that leads to each node; equally short ones differ in bids that are forgotten."""
    sequences: list[tuple[Bid, ...]] = [()] * len(graph.nodes)
    for node in range(len(sequences)):  # a node has a higher index than the first that leads to it
        for child in graph.children_of(node).tolist():
            bid = graph.game.situations[graph.arrays.situations[child]].bid
            if not sequences[child]:
                assert bid is not None  # a raise leads to a situation with a standing bid
                sequences[child] = (*sequences[node], bid)
    return sequences


def _fit(menus: Sequence[tuple[int, ...]], game: RoundGame) -> bool:
    """Return whether menus are ascending positions of raises, one menu for each situation."""
    return len(menus) == len(game.situations) and all(
        set(menu) <= set(range(len(situation.raises))) and list(menu) == sorted(set(menu))
        for menu, situation in zip(menus, game.situations, strict=True)
    )


def find_menus(
    game: RoundGame, values: FloatArray, menu: int = DEFAULT_MENU, least_true: float = 0.0
) -> tuple[tuple[int, ...], ...]:
    """Return by situation the positions of the raises that are offered, ascending: those with the worst challenge.

    The first of equals are offered. Processors differ in the last digits of equal prospects, so these are rounded.
    `values`: what each outcome is worth to seat 0, float64 [outcome]. `menu`: the most raises of a situation.
    `least_true` (0..1): raises that are less likely to be true, if nothing is known of any hand, are left out; a player
    who may not call is offered one raise at least.
    """
    prospects = [round(_prospect(game, values, situation), 9) for situation in game.situations]
    menus = []
    for situation in game.situations:
        after = [prospects[place] for _, place in situation.raises]
        order = sorted(range(len(after)), key=lambda place: after[place])
        likely = [place for place in order[:menu] if after[place] <= 1 - 2 * least_true]
        menus.append(tuple(sorted(likely if likely or situation.calls else order[:1])))
    return tuple(menus)


def _prospect(game: RoundGame, values: FloatArray, situation: Situation) -> float:
    """Return what a challenge of the standing bid is worth if nothing is known of any hand."""
    if not situation.calls:
        return 0.0
    outcomes = situation.payoffs(values)[0]
    mover, bidder = situation.mover, 1 - situation.mover
    rows = np.bincount(situation.hand_buckets[mover], game.hand_probs[mover], len(outcomes))
    columns = np.bincount(situation.hand_buckets[bidder], game.hand_probs[bidder], outcomes.shape[1])
    return float(rows @ outcomes @ columns)


def _arrays(
    game: RoundGame,
    values: FloatArray,
    paths: list[Path],
    first_child: NDArray[np.int64],
    children: NDArray[np.int32],
) -> GraphArrays:
    situations, tops = game.situations, [path[-1] for path in paths]
    hands = np.array([len(held) for held in game.hands], np.int64)
    movers = np.array([situations[top].mover for top in tops], np.int32)
    calls = np.array([len(situations[top].calls) for top in tops], np.int32)
    rows = (calls + np.diff(first_child)) * hands[movers]
    buckets = np.zeros((2, len(situations), hands.max()), np.int32)
    for seat in (0, 1):
        buckets[seat, :, : hands[seat]] = [situation.hand_buckets[seat] for situation in situations]
    shape = max(int(calls.max()), 1), int(buckets.max()) + 1, int(buckets.max()) + 1
    payoffs = np.zeros((len(situations), *shape), np.float32)
    for index, situation in enumerate(situations):
        for place, payoff in enumerate(situation.payoffs(values)):
            height, width = payoff.shape
            payoffs[index, place, :height, :width] = payoff
    hand_probs = np.zeros((2, hands.max()), np.float32)
    for seat in (0, 1):
        hand_probs[seat, : hands[seat]] = game.hand_probs[seat]
    return GraphArrays(
        np.array(tops, np.int32),
        movers,
        calls,
        first_child,
        np.concatenate([np.zeros(1, np.int64), np.cumsum(rows)]),
        children,
        buckets,
        payoffs,
        hands,
        hand_probs,
    )
