"""Who is asked at tables side by side, on turn and out of turn."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from liarsdice.bots.neural.network import Network
from liarsdice.core.errors import IllegalActionError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.sim import array_schema as f
from liarsdice.sim.compile import Compiled, compiled
from liarsdice.sim.policies import Asked, Mind, Threshold, Uniform
from liarsdice.sim.vector_env import Batch
from liarsdice.train.agent_selector import Asking
from liarsdice.train.batch_observation import Watcher
from liarsdice.train.load_networks import network_called
from liarsdice.train.opponents import Rivals

OFFICIAL = compiled(find_rules("official"), 4)
HANDS = ((2, 2, 2, 3, 3), (4, 4, 4, 5, 5), (2, 3, 4, 5, 6), (6, 6, 6, 3, 3))


def table(minds: tuple[Mind, ...], rules: Compiled = OFFICIAL) -> tuple[Batch, Asking]:
    """One match with known hands; seat 0 opens."""
    batch = Batch(rules, 1, deals=False)
    batch.restart(np.array([True]), starters=0, deals=False)
    batch.deal([HANDS])
    asking = Asking(batch, minds)
    asking.advance()
    return batch, asking


def bid(quantity: int, face: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array([OFFICIAL.number_of(Bid(quantity, face))], np.int32)


SILENCE = np.array([f.SILENT], np.int32)
DOUBT = np.array([f.CHALLENGE], np.int32)


def test_before_a_bid_counts_the_others_are_asked_in_the_order_of_play() -> None:
    batch, asking = table((Asked(),))
    asking.answer(bid(3, 2))  # nothing stands that could be called
    assert asking.seats.tolist() == [1]
    assert not asking.out_of_turn.any()
    asking.answer(bid(4, 2))
    for listener in (2, 3):
        assert asking.seats.tolist() == [listener]
        assert asking.out_of_turn.all()
        assert batch.now(f.STANDING).tolist() == (bid(3, 2) - f.FIRST_BID).tolist()  # they do not know the next bid
        asking.answer(SILENCE)
    assert asking.seats.tolist() == [2]
    assert batch.now(f.STANDING).tolist() == (bid(4, 2) - f.FIRST_BID).tolist()


def test_a_call_of_the_seat_on_turn_counts_at_once() -> None:
    batch, asking = table((Asked(),))
    asking.answer(bid(9, 2))
    asking.answer(DOUBT)
    assert batch.dice.tolist() == [[4, 5, 5, 5]]
    assert not asking.out_of_turn.any()


@pytest.mark.parametrize("said, left", [(9, [3, 5, 5, 5]), (3, [5, 5, 5, 3])])
def test_who_calls_out_of_turn_is_paid_for_it_and_the_next_bid_is_forgotten(said: int, left: list[int]) -> None:
    batch, asking = table((Asked(),))
    asking.answer(bid(said, 2))
    asking.answer(bid(said + 1, 2))
    asking.answer(SILENCE)
    asking.answer(DOUBT)
    assert batch.dice.tolist() == [left]
    assert asking.seats.tolist() == batch.turn.tolist()
    assert batch.now(f.BIDS).tolist() == [0]


def test_who_is_asked_out_of_turn_may_not_bid() -> None:
    batch, asking = table((Asked(),))
    asking.answer(bid(3, 2))
    asking.answer(bid(4, 2))
    with pytest.raises(IllegalActionError, match="seat 2 may not do"):
        asking.answer(bid(5, 2))
    assert (asking.seats.tolist(), asking.out_of_turn.tolist()) == ([2], [True])
    assert batch.now(f.BIDS).tolist() == [1]


def test_a_bid_that_is_not_legal_is_refused_before_anybody_is_asked() -> None:
    _, asking = table((Asked(),))
    asking.answer(bid(5, 2))
    for wrong in (bid(4, 2), np.array([10_000], np.int32), np.array([-2], np.int32)):
        with pytest.raises(IllegalActionError, match="seat 1 may not do"):
            asking.answer(wrong)
        assert (asking.seats.tolist(), asking.out_of_turn.tolist()) == ([1], [False])


@pytest.mark.parametrize("calls, left", [(False, [5, 5, 5, 3]), (True, [5, 5, 3, 5])])
def test_who_comes_first_in_the_order_of_play_calls_first(calls: bool, left: list[int]) -> None:
    batch, asking = table((Asked(), Threshold(0.0), Asked(), Threshold(12.0)))
    asking.answer(bid(3, 2))  # seat 1 would raise, seat 3 would call
    assert (asking.seats.tolist(), asking.out_of_turn.tolist()) == ([2], [True])
    asking.answer(DOUBT if calls else SILENCE)
    assert batch.dice.tolist() == [left]


def test_a_compiled_mind_that_comes_first_is_not_waited_for() -> None:
    batch, asking = table((Asked(), Asked(), Threshold(12.0), Asked()))
    asking.answer(bid(3, 2))
    asking.answer(bid(4, 2))  # before it counts, seat 2 calls
    assert batch.dice.tolist() == [[5, 5, 3, 5]]


def test_bids_of_compiled_minds_wait_for_who_may_call_too() -> None:
    batch, asking = table((Asked(), Threshold(0.0), Asked(), Threshold(0.0)))
    asking.answer(bid(3, 2))
    assert (asking.seats.tolist(), asking.out_of_turn.tolist()) == ([2], [True])
    assert batch.turn.tolist() == [1]
    asking.answer(SILENCE)
    assert (asking.seats.tolist(), asking.out_of_turn.tolist()) == ([2], [False])


@pytest.mark.parametrize("rules", ["official", "perudo"])
def test_who_is_always_silent_out_of_turn_plays_as_if_never_asked(rules: str) -> None:
    minds = (Asked(), Threshold(0.4), Threshold(0.3, 0.7), Asked(), Threshold(0.5))
    asked, plain = (Batch(compiled(find_rules(rules), 5), 200, seed=4) for _ in range(2))
    asking = Asking(asked, minds)
    asking.advance()
    listened = False
    while (asking.seats >= 0).any():
        listened |= bool(asking.out_of_turn.any())
        first = np.where(asking.out_of_turn | asked.over, f.SILENT, asked.legal().argmax(axis=1))
        asking.answer(first.astype(np.int32))
    plain.advance(minds)
    while not plain.over.all():
        plain.advance(minds, np.where(plain.over, f.SILENT, plain.legal().argmax(axis=1)))
    assert listened == (rules == "official")
    assert np.array_equal(asked.won, plain.won)
    assert np.array_equal(asked.now(f.ROUND), plain.now(f.ROUND))


def test_matches_with_random_company_end() -> None:
    batch = Batch(OFFICIAL, 100, seed=5)
    asking, rng = Asking(batch, (Asked(), Uniform(), Asked(), Uniform())), np.random.default_rng(1)
    asking.advance()
    calls = 0
    while (asking.seats >= 0).any():
        assert set(asking.seats.tolist()) <= {-1, 0, 2}
        may = batch.legal(asking.seats)
        drawn = (rng.random(may.shape) * may).argmax(axis=1)
        silent = (asking.out_of_turn & (rng.random(100) < 0.9)) | (asking.seats < 0)
        calls += int((asking.out_of_turn & ~silent).sum())
        asking.answer(np.where(silent, f.SILENT, drawn).astype(np.int32))
    assert calls > 100
    assert batch.won.any(axis=1).all()


class Noted(Batch):
    """A batch that counts calls out of turn."""

    late = 0

    def step(self, actions: ArrayLike, seats: ArrayLike | None = None, *, deals: bool = True) -> None:
        """Do an action in each match."""
        if seats is not None:
            self.late += int(((np.asarray(actions) != f.SILENT) & (np.asarray(seats) != self.turn)).sum())
        super().step(actions, seats, deals=deals)


@pytest.mark.parametrize("learned", [False, True])
def test_networks_that_never_learned_to_call_out_of_turn_keep_silent_there(learned: bool) -> None:
    old = network_called("champion@3")
    network = Network(old.weights, old.biases, old.hardly, answers_out_of_turn=learned)
    batch = Noted(OFFICIAL, 20, seed=6)
    asking = Asking(batch, (Asked(),))
    asking.advance()
    Rivals(batch, asking, Watcher(batch), dict.fromkeys(range(4), network)).play_on(np.random.default_rng(2))
    assert batch.over.all()
    assert (batch.late > 0) == learned
