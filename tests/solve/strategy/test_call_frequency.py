"""How often hands call, held to the strategy's own probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.strategy.action_values import call_frequencies
from tests.solve.solved_rounds import learn_strategy


def test_call_frequencies_follow_from_the_probabilities_of_actions() -> None:
    strategy = learn_strategy("openspiel", (1, 1), 3)
    result = {(one.bid, one.seat): one for one in call_frequencies(strategy)}
    first = result[Bid(1, 2), 1]
    opened = np.array([strategy.action_probs((face,)).get(Bid(1, 2), 0) for face in (1, 2, 3)])
    weights = strategy.tree.game.hand_probs[0]
    assert first.hands == ((1,), (2,), (3,))
    raised = opened @ weights  # and those who were raised from 1x1 come on top, at seat 0
    assert first.p_faced == pytest.approx([raised] * 3)
    for face, called in zip((1, 2, 3), first.p_called, strict=True):
        assert called == pytest.approx(strategy.action_probs((face,), [Bid(1, 2)]).get(Challenge(), 0))
