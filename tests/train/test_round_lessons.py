"""What blueprints teach networks, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from liarsdice.bots.neural.features import (
    BID_COUNT_FEATURE,
    BID_COUNT_SCALE,
    FloatArray,
    Observation,
    dice_held,
    encode,
    observe,
    with_hands,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.recall_graph import RecallGraph, child_path
from liarsdice.solve.blueprint.worst_case_kernel import best_response
from liarsdice.solve.game.round_game import state_before_bids, view_after
from liarsdice.train.distillation import (
    BESIDE_SHARE,
    MAX_PLACE,
    RECALL,
    Lessons,
    draw_features,
    make_lessons,
    node_probs,
    own_reach,
    worst_case,
)
from tests.solve.blueprint.trained_rounds import make_graph, trained


class Taught(NamedTuple):
    """A blueprint and what it teaches."""

    blueprint: Blueprint
    lessons: Lessons


@pytest.fixture(scope="module", params=["perudo", "openspiel"])
def taught(request: pytest.FixtureRequest) -> Taught:
    blueprint = trained(make_graph(request.param, (2, 1), 3, recall=RECALL, menu=100), 60).blueprint()
    return Taught(blueprint, make_lessons(blueprint))


def test_rows_say_what_the_blueprint_plays_with_each_hand(taught: Taught) -> None:
    graph, lessons = taught.blueprint.graph, taught.lessons
    table = node_probs(graph, lessons, lessons.probs)
    for node in range(len(graph.nodes)):
        known = taught.blueprint.node_probs(node)
        np.testing.assert_allclose(table[node, : len(known), : known.shape[1]], known, atol=1e-6)
    assert lessons.unsaid.max() < 1e-6  # with so few dice every bid is an action
    assert not lessons.probs[~lessons.action_mask].any()


def test_features_tell_whose_dice_they_are_and_where_the_other_player_sits(taught: Taught) -> None:
    graph, lessons = taught.blueprint.graph, taught.lessons
    own = np.array([2, 1])[graph.arrays.movers[lessons.nodes]]
    drawn = draw_features(lessons, np.arange(len(own)), np.random.default_rng(1))
    places = {}
    for name, features in {"stored": lessons.features, "drawn": drawn}.items():
        held = dice_held(features.astype(np.float32))
        assert np.array_equal(held[:, 0], own)
        assert np.array_equal(held[:, 1:].sum(axis=1), 3 - own)
        places[name] = held[:, 1:].argmax(axis=1) + 1
    assert set(places["stored"].tolist()) == {1}
    assert set(places["drawn"].tolist()) == set(range(1, MAX_PLACE + 1))
    beside = BESIDE_SHARE + (1 - BESIDE_SHARE) / MAX_PLACE
    assert (places["drawn"] == 1).mean() == pytest.approx(beside, abs=0.05)


def bid_sequences(graph: RecallGraph) -> Iterator[tuple[int, list[Bid]]]:
    """Yield all bid sequences of a round, each with the node that it leads to."""
    waiting: list[tuple[tuple[int, ...], list[Bid]]] = [((0,), [])]
    while waiting:
        path, bids = waiting.pop()
        yield graph.nodes[path], bids
        for bid, situation in graph.game.situations[path[-1]].raises:
            waiting.append((child_path(path, situation, graph.recall), [*bids, bid]))


def seated_apart(observation: Observation, place: int) -> Observation:
    """Return an observation of two players in which the other one sits `place` seats away."""
    moved = {}
    for name in ("dice", "latest_bid", "previous_bid"):
        array = getattr(observation, name).copy()
        array[:, [1, place]] = array[:, [place, 1]]
        moved[name] = array
    bidder = np.where(observation.bidder == 1, place, observation.bidder)
    return observation._replace(bidder=bidder, **moved)


def features_after(graph: RecallGraph, node: int, bids: list[Bid]) -> list[FloatArray]:
    """Return what a network sees after bids, by the place of the other player, each float32 [hand, feature].

    One row for each hand of who decides there.
    """
    rules, mover = graph.game.rules, int(graph.arrays.movers[node])
    shown = observe(view_after(state_before_bids(rules, graph.game.start), bids, mover))
    hands = graph.game.hands[mover]
    return [encode(with_hands(seated_apart(shown, place), rules, hands)).features for place in range(1, MAX_PLACE + 1)]


def test_drawn_features_are_those_after_all_sequences_that_the_blueprint_merges(taught: Taught) -> None:
    graph, lessons = taught.blueprint.graph, taught.lessons
    after: dict[tuple[int, int], list[NDArray[np.float16]]] = {}
    for node, bids in bid_sequences(graph):
        after.setdefault((node, len(bids)), []).append(np.stack(features_after(graph, node, bids)).astype(np.float16))
    assert set(after) == set(zip(*(places.tolist() for places in np.nonzero(lessons.bid_counts)), strict=True))
    assert max(len(sequences) for sequences in after.values()) > 1
    rows, drawn_counts = np.arange(len(lessons.nodes)), set()
    for seed in range(40):
        drawn = draw_features(lessons, rows, np.random.default_rng(seed))
        counts = np.rint(drawn[:, BID_COUNT_FEATURE].astype(float) * BID_COUNT_SCALE).astype(int)
        places = dice_held(drawn.astype(np.float32))[:, 1:].argmax(axis=1)
        for row, (node, count, hand) in enumerate(zip(lessons.nodes, counts, lessons.hands, strict=True)):
            drawn_counts.add((int(node), int(count)))
            for features in after[node, count]:
                np.testing.assert_array_equal(drawn[row], features[places[row], hand])
    assert drawn_counts == set(after)


def test_the_worst_case_of_the_teacher_is_a_best_response_to_it(taught: Taught) -> None:
    graph, lessons = taught.blueprint.graph, taught.lessons
    value, decides = worst_case(graph, lessons, lessons.probs, 0.0)
    visits = np.zeros((len(graph.nodes), graph.arrays.hand_probs.shape[1]))
    table = node_probs(graph, lessons, lessons.probs)
    wins = [best_response(graph.arrays, table, seat, 0.0, visits) for seat in (0, 1)]
    assert value == pytest.approx(np.mean(wins))
    even = lessons.action_mask / lessons.action_mask.sum(axis=1, keepdims=True)
    assert value < 0.2 < worst_case(graph, lessons, even.astype(np.float32), 0.0)[0]
    assert decides[lessons.nodes == 0].sum() == pytest.approx(1)


def test_the_other_player_can_make_a_hand_come_to_its_decision_as_often_as_its_own_bids_allow(taught: Taught) -> None:
    graph, lessons = taught.blueprint.graph, taught.lessons
    reach = own_reach(graph, lessons)
    movers = graph.arrays.movers[lessons.nodes]
    dealt = graph.arrays.hand_probs[movers, lessons.hands]
    assert (reach <= dealt + 1e-9).all()
    after_one_bid = np.isin(lessons.nodes, graph.arrays.children[: graph.arrays.first_child[1]])
    np.testing.assert_allclose(reach[after_one_bid], dealt[after_one_bid])  # the second player has not bid yet
    assert (reach < 0.5 * dealt).any()
