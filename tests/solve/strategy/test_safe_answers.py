"""Safe answers: what to do after bids that no player who follows a strategy makes."""

from __future__ import annotations

import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.strategy.action_values import one_step_values, safe_answer
from liarsdice.solve.strategy.average_strategy import pruned
from tests.solve.solved_rounds import learn_strategy


def test_a_bid_that_the_own_dice_rule_out_is_challenged() -> None:
    strategy = learn_strategy("basic", (1, 1), 3)
    lies = [Bid(2, 1), Bid(2, 2)]  # with a two in the hand of the player on turn
    with pytest.raises(UnavailableError):
        strategy.action_probs((2,), [*lies, Bid(2, 3)])
    assert safe_answer(strategy, (2,), [*lies, Bid(2, 3)]) == {Challenge(): 1.0}


def test_a_bid_that_the_own_dice_prove_is_not_challenged() -> None:
    strategy = pruned(learn_strategy("basic", (2, 1), 3), 0.2)
    (answer,) = safe_answer(strategy, (3, 3), [Bid(1, 1), Bid(2, 3)])
    assert answer != Challenge()


def test_one_step_values_are_those_of_the_calls() -> None:
    strategy = learn_strategy("basic", (1, 1), 2)
    game = strategy.tree.game
    first, *_, last = game.situations
    assert one_step_values(strategy.tree, last, game.hand_probs[1 - last.mover]).shape == (1, 2)
    values = one_step_values(strategy.tree, first, game.hand_probs[1])
    bids = [bid for bid, _ in first.raises]
    # one of a face that is held is never wrong; two of it are right half of the time
    assert values[bids.index(Bid(1, 1)), 0] == pytest.approx(1)
    assert values[bids.index(Bid(2, 1)), 0] == pytest.approx(0)
    assert values[bids.index(Bid(2, 2)), 0] == pytest.approx(-1)
