"""CFR on a recall graph finds what the exact solver finds, and knows how likely pairs of hands come to a node."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.solve.blueprint.learned_arrays import make_learned, make_pass
from liarsdice.solve.blueprint.node_groups import make_node_groups
from liarsdice.solve.blueprint.reach_kernel import compute_reach
from liarsdice.solve.cfr.solver import Solver, solve
from tests.solve.blueprint.trained_rounds import make_graph, trained
from tests.solve.solved_rounds import make_tree, rules_of


@pytest.mark.parametrize("name, dice, faces", [("openspiel", (1, 1), 4), ("perudo", (2, 1), 3), ("bluff", (1, 2), 3)])
def test_the_value_of_a_round_is_that_of_the_solver(name: str, dice: tuple[int, int], faces: int) -> None:
    solver = Solver(make_tree(rules_of(name, faces), dice))
    bounds = solve(solver, target=1e-3)
    trainer = trained(make_graph(name, dice, faces, recall=4), 300)
    assert trainer.value == pytest.approx((bounds.low + bounds.high) / 2, abs=0.01)


def test_the_reach_of_a_node_is_that_of_all_sequences_that_end_alike() -> None:
    """A graph that remembers every bid tells them apart; both seats make each action equally often."""
    reaches = {}
    for recall in (2, 7):
        graph = make_graph("openspiel", (1, 1), 3, recall=recall)
        groups, run = make_node_groups(graph), make_pass(graph.arrays)
        compute_reach(graph.arrays, groups, make_learned(graph.arrays), run, 0, 1.0)
        reaches[recall] = {path: run.reach[node] for path, node in graph.nodes.items()}
    for path, reach in reaches[2].items():
        ways = [other for longer, other in reaches[7].items() if longer[-len(path) :] == path and len(path) == 2]
        np.testing.assert_allclose(reach, np.sum(ways, axis=0) if ways else 1 / 9, rtol=1e-4)


def test_a_hand_that_comes_to_a_node_more_often_weighs_more_in_its_average() -> None:
    graph = make_graph("openspiel", (1, 1), 3, recall=7)
    groups, run, learned = make_node_groups(graph), make_pass(graph.arrays), make_learned(graph.arrays)
    learned.regrets[:3] = [8, 1, 0]  # the first bid of the opener, by its hands
    learned.regrets[3:6] = [0, 7, 8]
    compute_reach(graph.arrays, groups, learned, run, 1, 1.0)
    first_bid = int(graph.arrays.children[0])
    own_next = int(graph.arrays.children[graph.arrays.first_child[first_bid]])
    start, end = graph.arrays.first_row[own_next : own_next + 2]
    totals = learned.sums[start:end].reshape(-1, 3).sum(axis=0)
    np.testing.assert_allclose(totals, [8 / 9, 1 / 9, 0], rtol=1e-4)


def test_regrets_too_small_to_divide_by_give_an_even_strategy() -> None:
    graph = make_graph("perudo", (1, 1), 3, recall=2)
    learned = make_learned(graph.arrays)
    learned.regrets[0] = 1e-40  # its inverse is no float32
    compute_reach(graph.arrays, make_node_groups(graph), learned, make_pass(graph.arrays), 1, 1.0)
    assert np.isfinite(learned.sums).all()
    hands = graph.arrays.hand_counts[0]
    first, second = learned.sums[0 : 2 * hands : hands]
    assert first == pytest.approx(second)


def test_a_node_with_a_reach_too_small_to_divide_by_adds_nothing_to_its_average() -> None:
    graph = make_graph("perudo", (1, 1), 3, recall=2)
    learned, run = make_learned(graph.arrays), make_pass(graph.arrays)
    run.reach[0] *= np.float32(1e-38)
    compute_reach(graph.arrays, make_node_groups(graph), learned, run, 1, 1e6)
    assert not learned.sums.any()
