"""Hands of one bucket add alike to the count of every call."""

import pytest

from liarsdice.core.engine.state import State
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.game.round_game import hand_buckets
from tests.bots.positions import dealt_state

HANDS: tuple[Hand, ...] = ((1, 1), (1, 3), (2, 3), (3, 3), (4, 4))


def after_opening(name: str, **rules: object) -> State:
    return dealt_state(patched(preset(name).ruleset, **rules), ((2, 2), (5, 5)), (Bid(2, 3),))


@pytest.mark.parametrize(
    "state, buckets",
    [
        (after_opening("perudo"), [2, 2, 1, 2, 0]),  # ones and threes count alike
        (after_opening("cacho"), [2, 3, 1, 4, 0]),  # a challenge of the opening bid counts no ones
        (after_opening("chui-niu+five-alike", dice__per_player=2, bidding__min_open=1), [2, 2, 1, 3, 0]),
        (after_opening("chui-niu+worthless-different", dice__per_player=2, bidding__min_open=1), [1, 0, 0, 1, 0]),
    ],
    ids=["perudo", "siciliana", "five alike", "worthless"],
)
def test_hands_are_told_apart_by_what_they_add(state: State, buckets: list[int]) -> None:
    first, second = hand_buckets(state, (HANDS, HANDS[:2]))
    assert first.tolist() == buckets
    assert (second[0] == second[1]) == (buckets[0] == buckets[1])


def test_before_the_first_bid_all_hands_are_alike() -> None:
    state = dealt_state(preset("perudo").ruleset, ((2, 2), (5, 5)))
    assert hand_buckets(state, (HANDS, HANDS))[0].tolist() == [0] * len(HANDS)
