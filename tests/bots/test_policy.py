"""The action probabilities of the built-in bots: they are those of the moves that the bots make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from liarsdice.bots.policy import policy_of, probs_one_by_one
from liarsdice.bots.registry import bot_names, make_bot
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.round_game import with_faces
from liarsdice_lab.exploitability import exploitability
from tests.bots.positions import position

HOUSE_BOTS = (*bot_names(), "champion:bold")
DRAWS = 400
POSITIONS = [
    view(state, state.turn)
    for state in (
        position(preset("perudo").ruleset, ((1, 4, 4, 5, 6), (2, 2, 3, 4, 6))),
        position(preset("perudo").ruleset, ((1, 4, 4), (2, 2, 3)), "2x4 3x4"),
        position(preset("basic").ruleset, ((3, 3), (5, 6)), "1x3"),
    )
]


class RemembersAllBids:
    """A bot under another memory: asked after every sequence of bids by itself."""

    def __init__(self, name: str) -> None:
        self._policy = policy_of(make_bot(name, 1))
        self.memory = None

    def act(self, view: View) -> PlayerAction | None:
        raise AssertionError(view)

    def action_probs(self, view: View) -> Mapping[PlayerAction | None, float]:
        return self._policy.action_probs(view)

    def probs_by_hand(
        self, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
    ) -> NDArray[np.float64]:
        return probs_one_by_one(self, views, hands, actions)


@pytest.mark.parametrize("name", HOUSE_BOTS)
def test_a_bot_depends_on_no_more_bids_than_its_memory_says(name: str) -> None:
    rules = with_faces(preset("perudo").ruleset, 4)
    measured = exploitability(make_bot(name, 1), rules, (1, 1))
    with_all_bids = exploitability(RemembersAllBids(name), rules, (1, 1))
    assert measured.as_first == pytest.approx(with_all_bids.as_first, abs=1e-5)
    assert measured.as_second == pytest.approx(with_all_bids.as_second, abs=1e-5)


@pytest.mark.parametrize("name", HOUSE_BOTS)
def test_a_bot_makes_its_moves_as_often_as_it_says(name: str) -> None:
    bot = make_bot(name, 3)
    for shown in POSITIONS:
        named = policy_of(bot).action_probs(shown)
        assert sum(named.values()) == pytest.approx(1)
        made = Counter(bot.act(shown) for _ in range(DRAWS))
        assert made.keys() <= named.keys()
        for action, prob in named.items():
            assert made[action] / DRAWS == pytest.approx(prob, abs=5 * (prob * (1 - prob) / DRAWS) ** 0.5 + 1e-9)
