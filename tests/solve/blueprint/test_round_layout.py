"""The layout of a round knows its bids as the engine does."""

from __future__ import annotations

import msgspec
import pytest

from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.blueprint.blueprint import RoundLayout, layout_of
from tests.solve.blueprint.trained_rounds import make_graph

GRAPH = make_graph("perudo", (2, 1), 4, recall=3, menu=3)
LAYOUT = layout_of(GRAPH.game, GRAPH.menus, GRAPH.recall)


def test_the_actions_of_a_situation_are_those_of_the_graph() -> None:
    index = LAYOUT.path_of((Bid(2, 2),))[-1]
    situation = GRAPH.game.situations[index]
    raises = tuple(situation.raises[place][0] for place in GRAPH.menus[index])
    assert LAYOUT.actions_of(index) == (Challenge(), *raises)
    assert LAYOUT.situations[index].action_count == 1 + len(raises)


def test_exact_calls_are_told_from_challenges() -> None:
    graph = make_graph("red-dead", (1, 1), 6)
    layout = layout_of(graph.game, graph.menus, graph.recall)
    assert layout.actions_of(layout.path_of((Bid(1, 2),))[-1])[:2] == (Challenge(), Exact())


def test_a_path_has_the_latest_situations() -> None:
    bids = (Bid(1, 2), Bid(1, 3), Bid(2, 3))
    path = LAYOUT.path_of(bids)
    assert [LAYOUT.situations[index].bid for index in path] == list(bids)
    assert LAYOUT.path_of(bids[:1])[0] == 0
    with pytest.raises(KeyError):
        LAYOUT.path_of((Bid(2, 3), Bid(1, 2)))


def test_a_layout_is_read_as_it_was_written() -> None:
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(LAYOUT), type=RoundLayout) == LAYOUT
