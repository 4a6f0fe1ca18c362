"""A bot's decisions do not depend on dice that its seat cannot see."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given, settings

from liarsdice.bots.registry import bot_names, make_bot
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.ruleset import Ruleset
from tests.laws.random_matches import bidding_states, random_match
from tests.laws.random_rulesets import seeds, tables


def with_hidden_dice_rerolled(state: State, seat: int, rng: random.Random) -> State:
    """Return a state that looks the same from a seat: all dice that it cannot see are rolled again."""
    faces = range(1, state.ruleset.dice.faces + 1)
    hands = tuple(
        hand if owner == seat else tuple(rng.choices(faces, k=len(hand))) for owner, hand in enumerate(state.hands)
    )
    return msgspec.structs.replace(state, hands=hands)


@settings(max_examples=40)
@given(tables(), seeds)
def test_hidden_dice_change_no_decision(table: tuple[Ruleset, int], seed: int) -> None:
    rng = random.Random(seed)
    for state in list(bidding_states(random_match(*table, seed, 60)))[:15]:
        for seat in state.alive():
            original, rerolled = view(state, seat), view(with_hidden_dice_rerolled(state, seat, rng), seat)
            if not original.moves:
                continue
            for name in bot_names():
                assert make_bot(name, seed).act(original) == make_bot(name, seed).act(rerolled)


def test_a_view_does_not_contain_the_hands_of_others() -> None:
    fields = set(View.__struct_fields__)
    assert {"hands", "bid_space"} & fields == set()
    with pytest.raises(AttributeError):
        _ = View.hands  # type: ignore[attr-defined]
