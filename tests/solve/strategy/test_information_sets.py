"""Information sets: each once, with what the strategy answers there."""

from __future__ import annotations

import pytest

from liarsdice.solve.strategy.average_strategy import pruned
from liarsdice.solve.strategy.strategy import iter_information_sets
from tests.solve.solved_rounds import learn_strategy


@pytest.mark.parametrize("dice", [(1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize("name", ["openspiel", "perudo"])
def test_each_information_set_has_what_the_strategy_answers_there(name: str, dice: tuple[int, int]) -> None:
    strategy = learn_strategy(name, dice, 3, 20)
    nodes = list(iter_information_sets(strategy))
    assert len({(node.hand, node.bids) for node in nodes}) == len(nodes)
    for node in nodes:
        assert node.probs == strategy.action_probs(node.hand, node.bids)
        assert list(node.probs) == list(strategy.action_probs(node.hand, node.bids))
        assert (node.seat, len(node.hand)) == (len(node.bids) % 2, dice[len(node.bids) % 2])
    counts = {(): len([hand for hand in nodes if not hand.bids])}
    assert counts[()] == {1: 3, 2: 6}[dice[0]]


def test_a_pruned_strategy_has_only_what_its_player_comes_to() -> None:
    whole = learn_strategy("openspiel", (1, 1), 4, 400)
    kept = list(iter_information_sets(pruned(whole, 1 / 4095)))
    everything = {(node.hand, node.bids) for node in iter_information_sets(whole)}
    assert {(node.hand, node.bids) for node in kept} < everything
