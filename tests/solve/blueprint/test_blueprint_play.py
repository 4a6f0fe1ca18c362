"""What a blueprint says of bids: probabilities, and the nearest bids that were learned."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.core.rules.bids import Bid
from liarsdice.solve.blueprint.blueprint import nearest, padded
from tests.solve.blueprint.trained_rounds import make_graph, trained

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
