"""What actions of solved rounds are worth: held to the value of the round, and to matches that are settled by hand."""

from __future__ import annotations

import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.strategy.action_values import action_values
from tests.solve.solved_rounds import learn_strategy


@pytest.mark.parametrize(
    "name, dice, faces",
    [("openspiel", (1, 1), 3), ("openspiel", (2, 1), 3), ("perudo", (1, 2), 3), ("snyd-stairs", (1, 1), 3)],
)
def test_action_values_add_up_to_the_value_of_the_round(name: str, dice: tuple[int, int], faces: int) -> None:
    strategy = learn_strategy(name, dice, faces, 400)
    table = strategy.tree.game
    theirs = dict(zip(table.hands[1], table.hand_probs[1].tolist(), strict=True))
    value = 0.0
    for hand, weight in zip(table.hands[0], table.hand_probs[0].tolist(), strict=True):
        worth = action_values(strategy, hand, (), theirs)
        played = strategy.action_probs(hand)
        value += weight * sum(chance * worth[action] for action, chance in played.items())
        likely = [worth[action] for action, chance in played.items() if chance > 0.2]
        assert max(worth.values()) - max(likely) < 0.1  # nothing is much better than what is played
    assert strategy.bounds.low - 0.02 <= value <= strategy.bounds.high + 0.02


def test_calls_are_worth_what_they_settle() -> None:
    strategy = learn_strategy("perudo", (1, 1), 3, 400)
    own = action_values(strategy, (3,), [Bid(1, 3)], {(2,): 0.5, (3,): 0.5})
    assert own[Challenge()] == pytest.approx(-1)  # the own die makes the bid true
    assert action_values(strategy, (2,), [Bid(2, 3)], {(2,): 0.25, (3,): 0.75})[Challenge()] == pytest.approx(1)
    assert action_values(strategy, (2,), [Bid(1, 3)], {(2,): 0.25, (3,): 0.75})[Challenge()] == pytest.approx(
        0.25 - 0.75
    )
    assert set(own) >= {Bid(1, 1), Bid(2, 3)}
