"""The compiled best response to a player of a recall graph wins what the plain one wins, and knows where it leads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.worst_case_kernel import best_response
from liarsdice.values.blueprints import blueprint_probs
from liarsdice_lab.exploitability import CutBestResponse
from tests.solve.blueprint.trained_rounds import make_graph, node_probs, trained


class BlueprintPlayer:
    """A bot that plays a blueprint and nothing else."""

    def __init__(self, blueprint: Blueprint) -> None:
        self._blueprint = blueprint
        self.memory: int | None = blueprint.layout.recall

    def action_probs(self, view: View) -> dict[PlayerAction | None, float]:
        """Return the probability of each move."""
        return dict(self._blueprint.action_probs(view.hand, [bid for _, bid in view.bids]).items())

    def probs_by_hand(
        self, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
    ) -> NDArray[np.float64]:
        """Return the probability of each action with each hand."""
        return blueprint_probs(self._blueprint, views, hands, actions)


@pytest.mark.parametrize("min_reach", [0.0, 0.02, 0.3])
@pytest.mark.parametrize("name, dice", [("perudo", (2, 1)), ("openspiel", (1, 2)), ("openspiel", (2, 2))])
def test_it_wins_what_the_plain_best_response_wins(name: str, dice: tuple[int, int], min_reach: float) -> None:
    graph = make_graph(name, dice, 3, recall=2)
    blueprint = trained(graph, 20).blueprint()
    probs, decides = node_probs(blueprint), np.zeros((len(graph.nodes), graph.arrays.hand_probs.shape[1]))
    for seat in (0, 1):
        plain = CutBestResponse(graph.game, BlueprintPlayer(blueprint), seat, graph.values, min_reach).value()
        assert best_response(graph.arrays, probs, seat, min_reach, decides) == pytest.approx(plain.low, abs=1e-6)


def test_the_player_opens_with_every_hand_and_comes_to_no_node_more_often() -> None:
    graph = make_graph("perudo", (2, 2), 3, recall=2)
    blueprint = trained(graph, 20).blueprint()
    decides = np.zeros((len(graph.nodes), graph.arrays.hand_probs.shape[1]))
    best_response(graph.arrays, node_probs(blueprint), 1, 0.0, decides)
    np.testing.assert_allclose(decides[0], graph.game.hand_probs[0], rtol=1e-6)
    assert not decides[graph.arrays.movers == 1].any()
    assert (decides.sum(axis=1) <= 1 + 1e-6).all()
    assert np.count_nonzero(decides.sum(axis=1)) > 1
