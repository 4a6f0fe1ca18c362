"""The recall graph: which bid sequences share a node, and which raises are offered."""

import numpy as np
import pytest

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.blueprint.blueprint import layout_of
from liarsdice.solve.blueprint.recall_graph import bids_to_nodes, find_menus, make_recall_graph
from liarsdice.solve.round_game import count_bid_sequences
from tests.solve.blueprint.trained_rounds import make_graph


def test_bid_sequences_that_end_alike_share_a_node() -> None:
    graph = make_graph("openspiel", (2, 2), 3, recall=2)
    starts = {path[0] for path in graph.nodes if len(path) == 2}
    assert len(graph.nodes) == len(set(graph.nodes))
    assert len(graph.nodes) < count_bid_sequences(graph.game)
    assert 0 in starts  # after one bid the start is remembered
    assert all(len(path) <= 2 for path in graph.nodes)


def test_a_graph_that_remembers_all_bids_is_the_tree_of_the_round() -> None:
    graph = make_graph("openspiel", (1, 1), 3, recall=7)
    assert len(graph.nodes) == count_bid_sequences(graph.game) == 2**6


def test_the_menu_offers_the_raises_that_are_likeliest_to_be_true() -> None:
    graph = make_graph("openspiel", (2, 2), 3, menu=3)
    offered = [graph.game.situations[0].raises[place][0] for place in graph.menus[0]]
    assert offered == [Bid(1, 1), Bid(1, 2), Bid(2, 1)]  # as 3 is wild, it is less likely
    assert max(map(len, graph.menus)) == 3


def test_raises_that_are_as_likely_are_offered_in_their_order() -> None:
    """Five faces are not wild, and equally likely: rounding must not decide which of them are offered."""
    graph = make_graph("openspiel", (5, 5), 6, menu=13)
    offered = [graph.game.situations[0].raises[place][0] for place in graph.menus[0]]
    ones_and_twos = [*(Bid(1, face) for face in range(1, 7)), *(Bid(2, face) for face in range(1, 6))]
    assert offered == [*ones_and_twos, Bid(3, 1), Bid(3, 2)]


def test_menus_may_be_given() -> None:
    found = make_graph("openspiel", (2, 2), 3, menu=3)
    given = make_recall_graph(found.game, found.values, found.recall, found.menu, menus=found.menus)
    assert given.nodes == found.nodes
    assert given.menus == found.menus


@pytest.mark.parametrize("menu", [(99,), (1, 0), (-1,), (0, 0)])
def test_menus_that_do_not_fit_the_raises_are_refused(menu: tuple[int, ...]) -> None:
    graph = make_graph("openspiel", (1, 1), 3, menu=3)
    with pytest.raises(MalformedError, match="do not fit the raises"):
        make_recall_graph(graph.game, graph.values, menus=[menu, *graph.menus[1:]])
    with pytest.raises(MalformedError, match="do not fit the raises"):
        make_recall_graph(graph.game, graph.values, menus=graph.menus[1:])


def test_raises_that_are_hardly_ever_true_are_not_offered() -> None:
    graph = make_graph("openspiel", (2, 1), 3)
    fewer = find_menus(graph.game, graph.values, least_true=0.3)
    for situation, menu, before in zip(graph.game.situations, fewer, graph.menus, strict=True):
        assert set(menu) <= set(before)
        assert menu or situation.calls
    first = {graph.game.situations[0].raises[place][0] for place in fewer[0]}
    assert first == {Bid(1, 1), Bid(1, 2), Bid(1, 3), Bid(2, 1), Bid(2, 2)}  # 2x3 is true in 7 of 27 rolls, 3x1 in 8


def test_rows_are_numbered_without_gaps() -> None:
    arrays = make_graph("perudo", (2, 1), 4).arrays
    hands = arrays.hand_counts[arrays.movers]
    actions = arrays.calls + np.diff(arrays.first_child)
    np.testing.assert_array_equal(np.diff(arrays.first_row), hands * actions)


@pytest.mark.parametrize("recall, menu", [(1, 5), (2, 0)])
def test_a_blueprint_with_too_little_memory_or_no_raises_is_refused(recall: int, menu: int) -> None:
    with pytest.raises(MalformedError, match="at least two bids"):
        make_graph("openspiel", (1, 1), 3, recall, menu)


def test_the_bids_to_a_node_lead_there() -> None:
    graph = make_graph("perudo", (2, 1), 3, recall=3)
    layout = layout_of(graph.game, graph.menus, graph.recall)
    for node, bids in enumerate(bids_to_nodes(graph)):
        assert graph.nodes[layout.path_of(bids)] == node
