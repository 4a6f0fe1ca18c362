"""A blueprint answers the bids of a round."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.blueprint.blueprint import Blueprint, quantized
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
