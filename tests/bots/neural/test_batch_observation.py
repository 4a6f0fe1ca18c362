"""Observations of one view and of many matches: the same features and legal actions under any rules."""

import random

import msgspec
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from liarsdice.bots.neural.batch_observation import BatchObserver, sample_actions, to_sim_actions
from liarsdice.bots.neural.features import (
    ACTION_COUNT,
    BID_ACTIONS,
    CHALLENGE,
    QUANTITY_STEPS,
    NetworkInput,
    counts_as_stairs,
    encode,
    observe,
    require_supported,
    selected_rows,
)
from liarsdice.core.actions import Deal, SetDirection
from liarsdice.core.bids.odds import p_true
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid, face_order
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import wilds_after_bid
from liarsdice.play.match import Dealer
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.values.features import FACE_SLOTS
from tests.laws.random_rulesets import tables

MAX_STEPS = 60


def play_both(rules: Ruleset, seats: int, seed: int) -> list[tuple[View, NetworkInput]]:
    """Play a match with random actions in engine and simulator, and assert that observations are always equal.

    Returns each view with its network input.
    """
    rules = msgspec.structs.replace(rules, penalties=())
    rng, dealer = random.Random(seed), Dealer(seed)
    state = start(rules, [f"Player {seat}" for seat in range(seats)])
    while state.phase is Phase.STARTER:
        state = evolve_all(state, decide(state, None, dealer.action(state)))
    env = VectorEnv(compile_rules(rules, seats), 1)
    env.reset(np.array([True]), starters=state.starter, deals=False)
    observer = BatchObserver(env)
    inputs_by_view: list[tuple[View, NetworkInput]] = []
    for _ in range(MAX_STEPS):
        if state.phase is Phase.OVER:
            break
        if state.phase is Phase.DEAL:
            deal = dealer.action(state)
            assert isinstance(deal, Deal)
            state = evolve_all(state, decide(state, None, deal))
            env.deal([deal.hands])
        for seat in (seat for seat, held in enumerate(state.dice) if held):
            shown = view(state, seat)
            inputs = encode(observe(shown))
            batch_inputs = encode(observer.observe(np.array([seat], np.int32)))
            assert np.array_equal(inputs.action_mask, batch_inputs.action_mask)
            # `pytest.approx` compares number by number, which takes longer than the match
            np.testing.assert_allclose(batch_inputs.features, inputs.features, rtol=0, atol=1e-5, equal_nan=False)
            inputs_by_view.append((shown, inputs))
        inputs = next(inputs for shown, inputs in reversed(inputs_by_view) if shown.on_turn)
        action = rng.choice(np.flatnonzero(inputs.action_mask[0]).tolist())
        action_id = int(to_sim_actions(inputs, np.array([action]), env)[0])
        move = env.rules.action_from_id(action_id)
        state = evolve_all(state, decide(state, state.turn, move))
        env.step([action_id], deals=False)
    return inputs_by_view


@pytest.mark.parametrize("name", simulated_preset_names())
@pytest.mark.parametrize("seats", [2, 5, 10])
def test_a_view_and_a_batch_give_the_same_observation_under_every_simulated_preset(name: str, seats: int) -> None:
    assert play_both(preset(name).ruleset, seats, 1)


@settings(max_examples=60)
@given(tables(simulated=True), st.integers(0, 1000))
def test_a_view_and_a_batch_give_the_same_observation_under_random_rules(table: tuple[Ruleset, int], seed: int) -> None:
    rules, seats = table
    assume(rules.dice.faces <= FACE_SLOTS and rules.bidding.cap is not None)
    play_both(rules, seats, seed)


def test_the_probabilities_among_the_features_are_those_of_the_odds() -> None:
    for name in ("perudo", "basic", "joker", "openspiel"):
        for shown, inputs in play_both(preset(name).ruleset, 3, 7):
            features_per_face = 20
            for slot in range(FACE_SLOTS):
                for step in range(QUANTITY_STEPS):
                    if inputs.action_mask[0, slot * QUANTITY_STEPS + step]:
                        quantity = int(inputs.quantities[0, slot, step])
                        bid = next(
                            legal_bid
                            for legal_bid in shown.may_bid
                            if legal_bid.quantity == quantity and _slot(shown, legal_bid) == slot
                        )
                        wilds = wilds_after_bid(
                            shown.ruleset, bid.face, wilds_count=shown.wilds_count, opening=not shown.bids
                        )
                        probability = p_true(shown.ruleset, bid, shown.hand, shown.others, wilds_count=wilds)
                        assert inputs.features[0, slot * features_per_face + 12 + step] == pytest.approx(
                            probability, abs=1e-5
                        )


def _slot(shown: View, bid: Bid) -> int:
    return face_order(shown.ruleset).index(bid.face)


def test_every_legal_network_action_is_a_legal_game_action() -> None:
    for shown, inputs in play_both(preset("classic+aces+palifico+calza+reversa").ruleset, 4, 3):
        assert inputs.action_mask[0, CHALLENGE] == shown.may_challenge
        assert inputs.action_mask[0, BID_ACTIONS:].sum() == sum(
            (shown.may_challenge, shown.may_call_exact, bool(_reversals(shown)), not shown.on_turn)
        )


def _reversals(shown: View) -> list[SetDirection]:
    return [SetDirection(direction) for direction in shown.may_set_direction if direction is not shown.direction]


def test_stairs_are_observed_from_every_seat() -> None:
    rules = preset("snyd-stairs").ruleset
    hands = ((1, 2, 3, 4, 5), (1, 1, 2, 3, 4), (2, 1), (1,), (1, 1), (2, 3))
    env = VectorEnv(compile_rules(rules, len(hands)), 1, deals=False)
    env.reset(np.array([True]), dice=[[len(hand) for hand in hands]], deals=False)
    env.deal([hands])
    observations = [BatchObserver(env).observe(np.array([seat], np.int32)) for seat in range(len(hands))]
    assert [bool(observation.has_stairs[0]) for observation in observations] == [True, False, True, True, False, False]
    assert not any(counts_as_stairs(preset("snyd").ruleset, hand) for hand in hands)
    assert [counts_as_stairs(rules, hand) for hand in hands] == [True, False, True, True, False, False]


def test_some_matches_are_observed_as_they_are_among_all() -> None:
    env = VectorEnv(compile_rules(preset("snyd-stairs").ruleset, 3), 30, seed=3)
    for _ in range(3):
        env.step(env.action_mask()[:, schema.FIRST_BID :].argmax(axis=1) + schema.FIRST_BID)
    rows = np.array([17, 3, 3, 29])
    every = BatchObserver(env).observe(env.turn)
    some = BatchObserver(env).observe(env.turn, rows)
    for field, expected in selected_rows(every, rows)._asdict().items():
        assert np.array_equal(getattr(some, field), expected), field


def test_dice_with_many_faces_are_refused() -> None:
    rules = patched(preset("basic").ruleset, dice__faces=8)
    with pytest.raises(UnavailableError, match="neural bots know dice that are alike"):
        require_supported(patched(Ruleset(), dice__faces_by_seat=(4,)))
    with pytest.raises(UnavailableError, match="neural bots know dice of up to 6 faces, not 8"):
        BatchObserver(VectorEnv(compile_rules(rules, 2), 1))


@pytest.mark.parametrize("draw", [0.0, float(np.nextafter(1.0, 0.0))])
def test_an_action_with_probability_0_is_never_sampled(draw: float) -> None:
    probs = np.zeros((3, ACTION_COUNT), np.float32)
    probs[:, 5:15] = 0.1 - 1e-7  # their sum is below 1
    probs[1, 9] = 0
    actions = sample_actions(probs, np.full(3, draw))
    assert (probs[np.arange(3), actions] > 0).all()
    assert set(actions.tolist()) == ({14} if draw else {5})
