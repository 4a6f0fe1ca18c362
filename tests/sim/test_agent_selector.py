"""Which seat acts next in matches side by side, on turn and out of turn."""

import numpy as np
import pytest

from liarsdice.core.errors import IllegalActionError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import CompiledRules, compile_rules
from liarsdice.sim.policies import ExternalPolicy, Policy, ThresholdPolicy, UniformPolicy
from liarsdice.sim.vector_env import AgentSelector, VectorEnv

OFFICIAL = compile_rules(find_rules("official"), 4)
HANDS = ((2, 2, 2, 3, 3), (4, 4, 4, 5, 5), (2, 3, 4, 5, 6), (6, 6, 6, 3, 3))
NINE_TWOS = ((2, 2, 2, 2, 2), (2, 2, 2, 2, 5), (3, 3, 4, 5, 6), (6, 6, 6, 3, 3))  # more than who has none expects


def start_match(
    policies: tuple[Policy, ...], rules: CompiledRules = OFFICIAL, hands: tuple[tuple[int, ...], ...] = HANDS
) -> tuple[VectorEnv, AgentSelector]:
    """Return an environment of one match with known hands in which seat 0 opens, and its selector."""
    env = VectorEnv(rules, 1, deals=False)
    env.reset(np.array([True]), starters=0, deals=False)
    env.deal([hands])
    selector = AgentSelector(env, policies)
    selector.advance()
    return env, selector


def bid(quantity: int, face: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array([OFFICIAL.action_id(Bid(quantity, face))], np.int32)


SILENCE = np.array([schema.NO_ACTION], np.int32)
CALL = np.array([schema.CHALLENGE], np.int32)


def test_before_a_bid_counts_the_other_seats_act_in_the_order_of_play() -> None:
    env, selector = start_match((ExternalPolicy(),))
    selector.step(bid(3, 2))  # nothing stands that could be called
    assert selector.seats.tolist() == [1]
    assert not selector.out_of_turn.any()
    selector.step(bid(4, 2))
    for caller in (2, 3):
        assert selector.seats.tolist() == [caller]
        assert selector.out_of_turn.all()
        standing_bid = env.match_field(schema.STANDING_BID)  # the next bid does not stand yet
        assert standing_bid.tolist() == (bid(3, 2) - schema.FIRST_BID).tolist()
        selector.step(SILENCE)
    assert selector.seats.tolist() == [2]
    assert env.match_field(schema.STANDING_BID).tolist() == (bid(4, 2) - schema.FIRST_BID).tolist()


def test_a_call_of_the_seat_on_turn_counts_at_once() -> None:
    env, selector = start_match((ExternalPolicy(),))
    selector.step(bid(9, 2))
    selector.step(CALL)
    assert env.dice.tolist() == [[4, 5, 5, 5]]
    assert not selector.out_of_turn.any()


@pytest.mark.parametrize("quantity, dice", [(9, [3, 5, 5, 5]), (3, [5, 5, 5, 3])])
def test_a_call_out_of_turn_is_settled_and_the_pending_bid_is_dropped(quantity: int, dice: list[int]) -> None:
    env, selector = start_match((ExternalPolicy(),))
    selector.step(bid(quantity, 2))
    selector.step(bid(quantity + 1, 2))
    selector.step(SILENCE)
    selector.step(CALL)
    assert env.dice.tolist() == [dice]
    assert selector.seats.tolist() == env.turn.tolist()
    assert env.match_field(schema.BID_COUNT).tolist() == [0]


def test_a_seat_out_of_turn_may_not_bid() -> None:
    env, selector = start_match((ExternalPolicy(),))
    selector.step(bid(3, 2))
    selector.step(bid(4, 2))
    with pytest.raises(IllegalActionError, match="seat 2 may not do"):
        selector.step(bid(5, 2))
    assert (selector.seats.tolist(), selector.out_of_turn.tolist()) == ([2], [True])
    assert env.match_field(schema.BID_COUNT).tolist() == [1]


def test_an_illegal_bid_is_refused_before_others_may_call() -> None:
    _, selector = start_match((ExternalPolicy(),))
    selector.step(bid(5, 2))
    for illegal in (bid(4, 2), np.array([10_000], np.int32), np.array([-2], np.int32)):
        with pytest.raises(IllegalActionError, match="seat 1 may not do"):
            selector.step(illegal)
        assert (selector.seats.tolist(), selector.out_of_turn.tolist()) == ([1], [False])


@pytest.mark.parametrize("calls, dice", [(False, [5, 5, 5, 3]), (True, [5, 5, 3, 5])])
def test_the_first_seat_in_the_order_of_play_calls_first(calls: bool, dice: list[int]) -> None:
    env, selector = start_match(
        (ExternalPolicy(), ThresholdPolicy(0.0), ExternalPolicy(), ThresholdPolicy(1.0)), hands=NINE_TWOS
    )
    selector.step(bid(9, 2))  # seat 1 would raise, seat 3 would call
    assert (selector.seats.tolist(), selector.out_of_turn.tolist()) == ([2], [True])
    selector.step(CALL if calls else SILENCE)
    assert env.dice.tolist() == [dice]


def test_a_compiled_policy_that_comes_first_calls_on_its_own() -> None:
    env, selector = start_match(
        (ExternalPolicy(), ExternalPolicy(), ThresholdPolicy(1.0), ExternalPolicy()), hands=NINE_TWOS
    )
    selector.step(bid(9, 2))
    selector.step(bid(10, 2))  # before it counts, seat 2 calls
    assert env.dice.tolist() == [[5, 5, 3, 5]]


def test_bids_of_compiled_policies_wait_for_other_callers_too() -> None:
    env, selector = start_match((ExternalPolicy(), ThresholdPolicy(0.0), ExternalPolicy(), ThresholdPolicy(0.0)))
    selector.step(bid(3, 2))
    assert (selector.seats.tolist(), selector.out_of_turn.tolist()) == ([2], [True])
    assert env.turn.tolist() == [1]
    selector.step(SILENCE)
    assert (selector.seats.tolist(), selector.out_of_turn.tolist()) == ([2], [False])


@pytest.mark.parametrize("rules", ["official", "perudo"])
def test_constant_silence_out_of_turn_plays_as_an_environment_without_a_selector(rules: str) -> None:
    policies = (
        ExternalPolicy(),
        ThresholdPolicy(0.4),
        ThresholdPolicy(0.3, 0.7),
        ExternalPolicy(),
        ThresholdPolicy(0.5),
    )
    selected, plain = (VectorEnv(compile_rules(find_rules(rules), 5), 200, seed=4) for _ in range(2))
    selector = AgentSelector(selected, policies)
    selector.advance()
    was_out_of_turn = False
    while (selector.seats >= 0).any():
        was_out_of_turn |= bool(selector.out_of_turn.any())
        first_legal = np.where(
            selector.out_of_turn | selected.over, schema.NO_ACTION, selected.action_mask().argmax(axis=1)
        )
        selector.step(first_legal.astype(np.int32))
    plain.advance(policies)
    while not plain.over.all():
        plain.advance(policies, np.where(plain.over, schema.NO_ACTION, plain.action_mask().argmax(axis=1)))
    assert was_out_of_turn == (rules == "official")
    assert np.array_equal(selected.won, plain.won)
    assert np.array_equal(selected.match_field(schema.ROUND), plain.match_field(schema.ROUND))


def test_matches_against_random_policies_end() -> None:
    env = VectorEnv(OFFICIAL, 100, seed=5)
    selector = AgentSelector(env, (ExternalPolicy(), UniformPolicy(), ExternalPolicy(), UniformPolicy()))
    rng = np.random.default_rng(1)
    selector.advance()
    calls = 0
    while (selector.seats >= 0).any():
        assert set(selector.seats.tolist()) <= {-1, 0, 2}
        legal = env.action_mask(selector.seats)
        drawn_actions = (rng.random(legal.shape) * legal).argmax(axis=1)
        silent = (selector.out_of_turn & (rng.random(100) < 0.9)) | (selector.seats < 0)
        calls += int((selector.out_of_turn & ~silent).sum())
        selector.step(np.where(silent, schema.NO_ACTION, drawn_actions).astype(np.int32))
    assert calls > 100
    assert env.won.any(axis=1).all()
