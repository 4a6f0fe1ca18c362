"""Bots as fixed opponents of a blueprint: how they play at the nodes of its recall graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from liarsdice.analysis.exploitability import make_models, model_weights
from liarsdice.bots.policy import policy_of
from liarsdice.bots.registry import make_bot
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.recall_graph import RecallGraph, bids_to_nodes
from liarsdice.solve.game.round_game import state_before_bids, view_after
from tests.solve.blueprint.trained_rounds import make_graph


@pytest.mark.parametrize("name", ["threshold:0.4", "inference", "regular", "champion@7"])
def test_a_model_plays_as_the_bot_does(name: str) -> None:
    graph = make_graph("perudo", (2, 1), 6, recall=3)
    policy = policy_of(make_bot(name, 1))
    model = Blueprint(graph, model_weights(graph, policy))
    before_bids = state_before_bids(graph.game.rules, graph.game.start)
    for node, bids in list(enumerate(bids_to_nodes(graph)))[::80]:
        mover = int(graph.arrays.movers[node])
        hand = graph.game.hands[mover][node % len(graph.game.hands[mover])]
        shown = view_after(before_bids, bids, mover)
        known = offered(graph, node)
        named = policy.probs_by_hand([shown], [hand], known)[0, :, 0]
        played: dict[PlayerAction, float] = dict(model.action_probs(hand, bids).items())
        for action, prob in zip(known, named / named.sum(), strict=True):
            assert played.get(action, 0.0) == pytest.approx(prob, abs=0.005)


def offered(graph: RecallGraph, node: int) -> list[PlayerAction]:
    """Return the actions that the graph offers at a node."""
    index = int(graph.arrays.situations[node])
    situation = graph.game.situations[index]
    calls: list[PlayerAction] = [Exact() if call.exact else Challenge() for call in situation.calls]
    return [*calls, *(situation.raises[place][0] for place in graph.menus[index])]


def test_models_carry_their_probabilities() -> None:
    graph = make_graph("openspiel", (1, 1), 3)
    policies = [(policy_of(make_bot(name)), share) for name, share in (("threshold", 0.1), ("random", 0.2))]
    models = make_models(graph, policies)
    np.testing.assert_allclose(models.shares, [0.1, 0.2])
    assert models.weights.shape == (2, graph.row_count)
    even = models.weights[1, graph.arrays.first_row[0] : graph.arrays.first_row[1]]
    assert len(set(even.tolist())) == 1
    assert even[0] > 0


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.0, 0.1), (-0.1, 0.1), (1 - 1e-9, 1e-60)])
def test_probabilities_that_leave_no_room_are_refused(shares: tuple[float, float]) -> None:
    graph = make_graph("openspiel", (1, 1), 3)
    threshold = policy_of(make_bot("threshold"))
    with pytest.raises(MalformedError, match="below 1 together"):
        make_models(graph, [(threshold, share) for share in shares])


class CountsBids:
    """Takes the first action after an even number of bids and the last one after an odd number, and reads no bid."""

    memory: int | None = 0

    def action_probs(self, view: View) -> Mapping[PlayerAction | None, float]:
        raise NotImplementedError

    def probs_by_hand(
        self, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
    ) -> NDArray[np.float64]:
        probs = np.zeros((len(views), len(actions), len(hands)))
        for row, view in enumerate(views):
            probs[row, -(len(view.bids) % 2)] = 1.0
        return probs


def test_a_bot_is_asked_again_after_another_number_of_bids() -> None:
    graph = make_graph("openspiel", (1, 1), 3, recall=6)
    model = Blueprint(graph, model_weights(graph, CountsBids()))
    for node, bids in enumerate(bids_to_nodes(graph)):
        np.testing.assert_array_equal(model.node_probs(node)[-(len(bids) % 2)], 1.0)
