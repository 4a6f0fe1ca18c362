"""A bot knows what its seat may know: hidden dice change nothing that it does."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given, settings

from liarsdice.bots.registry import make_bot, names
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.ruleset import Ruleset
from tests.laws.playing import bidding_states, played
from tests.laws.strategies import seeds, tables


def other_world(state: State, seat: int, rng: random.Random) -> State:
    """The same table as far as a seat can tell: all dice that it can't see are rolled again."""
    faces = range(1, state.ruleset.dice.faces + 1)
    hands = tuple(
        hand if place == seat else tuple(rng.choices(faces, k=len(hand))) for place, hand in enumerate(state.hands)
    )
    return msgspec.structs.replace(state, hands=hands)


@settings(max_examples=40)
@given(tables(), seeds)
def test_hidden_dice_change_no_decision(table: tuple[Ruleset, int], seed: int) -> None:
    rng = random.Random(seed)
    for state in list(bidding_states(played(*table, seed, 60)))[:15]:
        for seat in state.alive():
            here, there = view(state, seat), view(other_world(state, seat, rng), seat)
            if not here.moves:
                continue
            for name in names():
                assert make_bot(name, seed).act(here) == make_bot(name, seed).act(there)


def test_a_view_has_no_way_to_the_hands_of_others() -> None:
    fields = set(View.__struct_fields__)
    assert {"hands", "menu"} & fields == set()
    with pytest.raises(AttributeError):
        _ = View.hands  # type: ignore[attr-defined]
