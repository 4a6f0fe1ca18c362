"""Who is asked at tables side by side, on turn and out of turn."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from liarsdice.bots.neural.network import Network
from liarsdice.core.errors import IllegalActionError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import CompiledRules, compile_rules
from liarsdice.sim.policies import ExternalPolicy, Policy, ThresholdPolicy, UniformPolicy
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.train.agent_selector import AgentSelector
from liarsdice.train.batch_observation import BatchObserver
from liarsdice.train.load_networks import load_network
from liarsdice.train.opponents import OpponentPlayer

OFFICIAL = compile_rules(find_rules("official"), 4)
HANDS = ((2, 2, 2, 3, 3), (4, 4, 4, 5, 5), (2, 3, 4, 5, 6), (6, 6, 6, 3, 3))


def table(policies: tuple[Policy, ...], rules: CompiledRules = OFFICIAL) -> tuple[VectorEnv, AgentSelector]:
    """One match with known hands; seat 0 opens."""
    batch = VectorEnv(rules, 1, deals=False)
    batch.reset(np.array([True]), starters=0, deals=False)
    batch.deal([HANDS])
    asking = AgentSelector(batch, policies)
    asking.advance()
    return batch, asking


def bid(quantity: int, face: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array([OFFICIAL.action_id(Bid(quantity, face))], np.int32)


SILENCE = np.array([schema.NO_ACTION], np.int32)
DOUBT = np.array([schema.CHALLENGE], np.int32)


def test_before_a_bid_counts_the_others_are_asked_in_the_order_of_play() -> None:
    batch, asking = table((ExternalPolicy(),))
    asking.answer(bid(3, 2))  # nothing stands that could be called
    assert asking.seats.tolist() == [1]
    assert not asking.out_of_turn.any()
    asking.answer(bid(4, 2))
    for listener in (2, 3):
        assert asking.seats.tolist() == [listener]
        assert asking.out_of_turn.all()
        assert (
            batch.match_field(schema.STANDING_BID).tolist() == (bid(3, 2) - schema.FIRST_BID).tolist()
        )  # they do not know the next bid
        asking.answer(SILENCE)
    assert asking.seats.tolist() == [2]
    assert batch.match_field(schema.STANDING_BID).tolist() == (bid(4, 2) - schema.FIRST_BID).tolist()


def test_a_call_of_the_seat_on_turn_counts_at_once() -> None:
    batch, asking = table((ExternalPolicy(),))
    asking.answer(bid(9, 2))
    asking.answer(DOUBT)
    assert batch.dice.tolist() == [[4, 5, 5, 5]]
    assert not asking.out_of_turn.any()


@pytest.mark.parametrize("said, left", [(9, [3, 5, 5, 5]), (3, [5, 5, 5, 3])])
def test_who_calls_out_of_turn_is_paid_for_it_and_the_next_bid_is_forgotten(said: int, left: list[int]) -> None:
    batch, asking = table((ExternalPolicy(),))
    asking.answer(bid(said, 2))
    asking.answer(bid(said + 1, 2))
    asking.answer(SILENCE)
    asking.answer(DOUBT)
    assert batch.dice.tolist() == [left]
    assert asking.seats.tolist() == batch.turn.tolist()
    assert batch.match_field(schema.BID_COUNT).tolist() == [0]


def test_who_is_asked_out_of_turn_may_not_bid() -> None:
    batch, asking = table((ExternalPolicy(),))
    asking.answer(bid(3, 2))
    asking.answer(bid(4, 2))
    with pytest.raises(IllegalActionError, match="seat 2 may not do"):
        asking.answer(bid(5, 2))
    assert (asking.seats.tolist(), asking.out_of_turn.tolist()) == ([2], [True])
    assert batch.match_field(schema.BID_COUNT).tolist() == [1]


def test_a_bid_that_is_not_legal_is_refused_before_anybody_is_asked() -> None:
    _, asking = table((ExternalPolicy(),))
    asking.answer(bid(5, 2))
    for wrong in (bid(4, 2), np.array([10_000], np.int32), np.array([-2], np.int32)):
        with pytest.raises(IllegalActionError, match="seat 1 may not do"):
            asking.answer(wrong)
        assert (asking.seats.tolist(), asking.out_of_turn.tolist()) == ([1], [False])


@pytest.mark.parametrize("calls, left", [(False, [5, 5, 5, 3]), (True, [5, 5, 3, 5])])
def test_who_comes_first_in_the_order_of_play_calls_first(calls: bool, left: list[int]) -> None:
    batch, asking = table((ExternalPolicy(), ThresholdPolicy(0.0), ExternalPolicy(), ThresholdPolicy(12.0)))
    asking.answer(bid(3, 2))  # seat 1 would raise, seat 3 would call
    assert (asking.seats.tolist(), asking.out_of_turn.tolist()) == ([2], [True])
    asking.answer(DOUBT if calls else SILENCE)
    assert batch.dice.tolist() == [left]


def test_a_compiled_mind_that_comes_first_is_not_waited_for() -> None:
    batch, asking = table((ExternalPolicy(), ExternalPolicy(), ThresholdPolicy(12.0), ExternalPolicy()))
    asking.answer(bid(3, 2))
    asking.answer(bid(4, 2))  # before it counts, seat 2 calls
    assert batch.dice.tolist() == [[5, 5, 3, 5]]


def test_bids_of_compiled_minds_wait_for_who_may_call_too() -> None:
    batch, asking = table((ExternalPolicy(), ThresholdPolicy(0.0), ExternalPolicy(), ThresholdPolicy(0.0)))
    asking.answer(bid(3, 2))
    assert (asking.seats.tolist(), asking.out_of_turn.tolist()) == ([2], [True])
    assert batch.turn.tolist() == [1]
    asking.answer(SILENCE)
    assert (asking.seats.tolist(), asking.out_of_turn.tolist()) == ([2], [False])


@pytest.mark.parametrize("rules", ["official", "perudo"])
def test_who_is_always_silent_out_of_turn_plays_as_if_never_asked(rules: str) -> None:
    policies = (
        ExternalPolicy(),
        ThresholdPolicy(0.4),
        ThresholdPolicy(0.3, 0.7),
        ExternalPolicy(),
        ThresholdPolicy(0.5),
    )
    asked, plain = (VectorEnv(compile_rules(find_rules(rules), 5), 200, seed=4) for _ in range(2))
    asking = AgentSelector(asked, policies)
    asking.advance()
    listened = False
    while (asking.seats >= 0).any():
        listened |= bool(asking.out_of_turn.any())
        first = np.where(asking.out_of_turn | asked.over, schema.NO_ACTION, asked.action_mask().argmax(axis=1))
        asking.answer(first.astype(np.int32))
    plain.advance(policies)
    while not plain.over.all():
        plain.advance(policies, np.where(plain.over, schema.NO_ACTION, plain.action_mask().argmax(axis=1)))
    assert listened == (rules == "official")
    assert np.array_equal(asked.won, plain.won)
    assert np.array_equal(asked.match_field(schema.ROUND), plain.match_field(schema.ROUND))


def test_matches_with_random_company_end() -> None:
    batch = VectorEnv(OFFICIAL, 100, seed=5)
    asking, rng = (
        AgentSelector(batch, (ExternalPolicy(), UniformPolicy(), ExternalPolicy(), UniformPolicy())),
        np.random.default_rng(1),
    )
    asking.advance()
    calls = 0
    while (asking.seats >= 0).any():
        assert set(asking.seats.tolist()) <= {-1, 0, 2}
        may = batch.action_mask(asking.seats)
        drawn_actions = (rng.random(may.shape) * may).argmax(axis=1)
        silent = (asking.out_of_turn & (rng.random(100) < 0.9)) | (asking.seats < 0)
        calls += int((asking.out_of_turn & ~silent).sum())
        asking.answer(np.where(silent, schema.NO_ACTION, drawn_actions).astype(np.int32))
    assert calls > 100
    assert batch.won.any(axis=1).all()


class Noted(VectorEnv):
    """A batch that counts calls out of turn."""

    late = 0

    def step(self, actions: ArrayLike, seats: ArrayLike | None = None, *, deals: bool = True) -> None:
        """Do an action in each match."""
        if seats is not None:
            self.late += int(((np.asarray(actions) != schema.NO_ACTION) & (np.asarray(seats) != self.turn)).sum())
        super().step(actions, seats, deals=deals)


@pytest.mark.parametrize("learned", [False, True])
def test_networks_that_never_learned_to_call_out_of_turn_keep_silent_there(learned: bool) -> None:
    old = load_network("champion@3")
    network = Network(old.weights, old.biases, old.min_prob_ratio, answers_out_of_turn=learned)
    batch = Noted(OFFICIAL, 20, seed=6)
    asking = AgentSelector(batch, (ExternalPolicy(),))
    asking.advance()
    OpponentPlayer(batch, asking, BatchObserver(batch), dict.fromkeys(range(4), network)).play_on(
        np.random.default_rng(2)
    )
    assert batch.over.all()
    assert (batch.late > 0) == learned
