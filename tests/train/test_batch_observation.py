"""Scenes of one view and of thousands: the same numbers, the same answers, by any rules."""

from __future__ import annotations

import random

import msgspec
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from liarsdice.bots.neural.features import BID_ACTIONS, CHALLENGE, QUANTITY_STEPS, NetworkInput, encode
from liarsdice.bots.neural.observation import FACE_SLOTS, counts_as_stairs, observe
from liarsdice.core.actions import Deal, SetDirection
from liarsdice.core.bids.odds import p_true
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid, face_order
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import wilds_after_bid
from liarsdice.play.dealer import Dealer
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.train.batch_observation import BatchObserver, to_sim_actions
from tests.laws.random_matches import NAMES
from tests.laws.random_rulesets import tables

MOST_STEPS = 60


def watch_beside(rules: Ruleset, seats: int, seed: int) -> list[tuple[View, NetworkInput]]:
    """Play a match with sampled actions, and assert that both sides see the same all the way."""
    rules = msgspec.structs.replace(rules, penalties=())
    rng, dealer = random.Random(seed), Dealer(seed)
    state = start(rules, NAMES[:seats])
    while state.phase is Phase.STARTER:
        state = evolve_all(state, decide(state, None, dealer.action(state)))
    batch = VectorEnv(compile_rules(rules, seats), 1)
    batch.reset(np.array([True]), starters=state.starter, deals=False)
    observer = BatchObserver(batch)
    seen: list[tuple[View, NetworkInput]] = []
    for _ in range(MOST_STEPS):
        if state.phase is Phase.OVER:
            break
        if state.phase is Phase.DEAL:
            deal = dealer.action(state)
            assert isinstance(deal, Deal)
            state = evolve_all(state, decide(state, None, deal))
            batch.deal([deal.hands])
        for seat in (seat for seat, held in enumerate(state.dice) if held):
            shown = view(state, seat)
            reading = encode(observe(shown), knows_stairs=True)
            together = encode(observer.scene(np.array([seat], np.int32)), knows_stairs=True)
            assert np.array_equal(reading.action_mask, together.action_mask)
            assert reading.features == pytest.approx(together.features, abs=1e-5)
            seen.append((shown, reading))
        reading = next(reading for shown, reading in reversed(seen) if shown.on_turn)
        answer = rng.choice(np.flatnonzero(reading.action_mask[0]).tolist())
        number = int(to_sim_actions(reading, np.array([answer]), batch)[0])
        move = batch.rules.action_from_id(number)
        state = evolve_all(state, decide(state, state.turn, move))
        batch.step([number], deals=False)
    return seen


@pytest.mark.parametrize("name", preset_names())
@pytest.mark.parametrize("seats", [2, 5])
def test_a_view_and_a_batch_make_the_same_scene_by_every_preset(name: str, seats: int) -> None:
    assert watch_beside(preset(name).ruleset, seats, 1)


@settings(max_examples=60)
@given(tables(), st.integers(0, 1000))
def test_a_view_and_a_batch_make_the_same_scene_by_random_rules(table: tuple[Ruleset, int], seed: int) -> None:
    rules, seats = table
    assume(rules.dice.faces <= FACE_SLOTS and rules.bidding.cap is not None)
    watch_beside(rules, seats, seed)


def test_chances_of_answers_are_those_of_the_odds() -> None:
    for name in ("perudo", "basic", "joker", "openspiel"):
        for shown, reading in watch_beside(preset(name).ruleset, 3, 7):
            per_face = 20
            for place in range(FACE_SLOTS):
                for step in range(QUANTITY_STEPS):
                    if reading.action_mask[0, place * QUANTITY_STEPS + step]:
                        quantity = int(reading.quantities[0, place, step])
                        bid = next(
                            one for one in shown.may_bid if one.quantity == quantity and _place(shown, one) == place
                        )
                        wilds = wilds_after_bid(
                            shown.ruleset, bid.face, wilds_count=shown.wilds_count, opening=not shown.bids
                        )
                        chance = p_true(shown.ruleset, bid, shown.hand, shown.others, wilds_count=wilds)
                        assert reading.features[0, place * per_face + 12 + step] == pytest.approx(chance, abs=1e-5)


def _place(shown: View, bid: Bid) -> int:
    return face_order(shown.ruleset).index(bid.face)


def test_every_legal_answer_is_a_legal_move() -> None:
    for shown, reading in watch_beside(preset("classic+aces+palifico+calza+reversa").ruleset, 4, 3):
        assert reading.action_mask[0, CHALLENGE] == shown.may_challenge
        assert reading.action_mask[0, BID_ACTIONS:].sum() == sum(
            (shown.may_challenge, shown.may_call_exact, bool(_turns(shown)), not shown.on_turn)
        )


def _turns(shown: View) -> list[SetDirection]:
    return [SetDirection(one) for one in shown.may_set_direction if one is not shown.direction]


def test_stairs_are_seen_from_every_seat() -> None:
    rules = preset("snyd-stairs").ruleset
    hands = ((1, 2, 3, 4, 5), (1, 1, 2, 3, 4), (2, 1), (1,), (1, 1), (2, 3))
    batch = VectorEnv(compile_rules(rules, len(hands)), 1, deals=False)
    batch.reset(np.array([True]), dice=[[len(hand) for hand in hands]], deals=False)
    batch.deal([hands])
    scenes = [BatchObserver(batch).scene(np.array([seat], np.int32)) for seat in range(len(hands))]
    assert [bool(scene.has_stairs[0]) for scene in scenes] == [True, False, True, True, False, False]
    assert not any(counts_as_stairs(preset("snyd").ruleset, hand) for hand in hands)
    assert [counts_as_stairs(rules, hand) for hand in hands] == [True, False, True, True, False, False]


def test_dice_of_many_faces_make_no_scene() -> None:
    rules = patched(preset("basic").ruleset, dice__faces=8)
    with pytest.raises(UnavailableError, match="neural bots know dice of up to 6 faces, not 8"):
        BatchObserver(VectorEnv(compile_rules(rules, 2), 1))
