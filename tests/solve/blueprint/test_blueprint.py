"""A blueprint answers the bids of a round."""

import msgspec
import numpy as np
import pytest

from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.blueprint.blueprint import Blueprint, RoundLayout, layout_of, nearest, padded, quantized
from tests.solve.blueprint.trained_rounds import make_graph, trained


def test_probabilities_of_every_hand_add_up() -> None:
    blueprint = trained(make_graph("openspiel", (2, 1), 3), 20).blueprint()
    for bids in ([], [Bid(1, 2)], [Bid(1, 2), Bid(2, 1)]):
        decision = blueprint.decision(bids)
        np.testing.assert_allclose(decision.probs.sum(axis=0), 1)
        assert len(decision.actions) == len(decision.probs)


def test_a_bid_that_cannot_be_true_is_challenged() -> None:
    blueprint = trained(make_graph("openspiel", (1, 1), 4), 200).blueprint(min_share=0.05)
    assert blueprint.action_probs((1,), [Bid(2, 3)]) == {Challenge(): 1.0}


def test_bids_outside_the_graph_are_answered_as_the_nearest_ones() -> None:
    blueprint = trained(make_graph("openspiel", (2, 2), 3, menu=2), 20).blueprint()
    jump = blueprint.layout.path_of((Bid(1, 1), Bid(3, 1)))
    assert jump not in blueprint.graph.nodes
    node = blueprint.node_of(jump)
    nearest = next(path for path, known in blueprint.graph.nodes.items() if known == node)
    assert nearest[-1] == jump[-1]
    assert sum(blueprint.action_probs((1, 2), [Bid(1, 1), Bid(3, 1)]).values()) == pytest.approx(1)


def test_a_hand_without_weights_takes_the_best_answer_to_an_average_hand() -> None:
    graph = make_graph("openspiel", (1, 1), 4)
    blueprint = Blueprint(graph, np.zeros(graph.row_count, np.uint8))
    assert blueprint.action_probs((1,), [Bid(2, 3)]) == {Challenge(): 1.0}
    assert blueprint.action_probs((2,), [Bid(1, 2)]) == {Bid(1, 3): 1.0}  # true with half of the hands


def test_unlikely_actions_are_dropped() -> None:
    graph = make_graph("openspiel", (1, 1), 3)
    sums = np.zeros(graph.row_count, np.float32)
    sums[:9] = [100, 0, 4, 1, 50, 4, 1, 50, 0]  # three bids, each by three hands
    weights = quantized(sums, graph, min_share=0.02)[:9].reshape(3, 3)
    np.testing.assert_array_equal(weights, [[255, 0, 255], [0, 255, 255], [0, 255, 0]])


def test_fewer_levels_round_the_weights() -> None:
    graph = make_graph("openspiel", (1, 1), 3)
    sums = np.zeros(graph.row_count, np.float32)
    sums[:9] = [100, 10, 100, 60, 100, 10, 20, 30, 90]  # three bids, each by three hands
    weights = quantized(sums, graph, levels=4)[:9].reshape(3, 3)
    np.testing.assert_array_equal(weights, [[255, 0, 255], [170, 255, 0], [85, 85, 255]])


BLUEPRINT = trained(make_graph("openspiel", (2, 1), 3), 20).blueprint(0.02)


def test_weights_become_probabilities_of_each_hand() -> None:
    weights = np.array([[255, 0], [85, 0], *([[0, 0]] * (len(BLUEPRINT.layout.actions_of(0)) - 2))], np.uint8)
    probs = BLUEPRINT.named_probs(weights, 0)
    assert probs[:2, 0].tolist() == [0.75, 0.25]
    assert probs[BLUEPRINT.best_answers(0)[1], 1] == 1  # no weight: the best answer to an average hand


def test_an_illegal_bid_has_no_decision() -> None:
    with pytest.raises(KeyError):
        BLUEPRINT.decision([Bid(2, 3), Bid(1, 1)])


def test_the_first_of_equally_near_paths_is_chosen() -> None:
    paths = np.array([[0, 9, 7], [0, 1, 7], [0, 3, 7]])
    assert nearest((0, 2, 7), paths) == 1
    assert nearest((9, 7), paths) == 0


def test_a_short_path_begins_with_the_start_of_the_round() -> None:
    assert padded((0,), 3) == (0, 0, 0)
    assert padded((4, 5, 6), 3) == (4, 5, 6)


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
