"""The engine and the arrays at one table: the same dice, the same actions, and a look at both after each."""

from __future__ import annotations

import random

import msgspec
import numpy as np

from liarsdice.core.actions import Challenge, Deal, Exact, Move, SetDirection
from liarsdice.core.engine.engine import decide, evolve_all, legal, start
from liarsdice.core.engine.legal import bid_is_legal
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.events import EndReason
from liarsdice.core.rules.choices import Direction
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import tally
from liarsdice.play.dealer import Dealer
from liarsdice.sim import array_schema as f
from liarsdice.sim.compile import Compiled, compiled
from liarsdice.sim.vector_env import Batch
from tests.laws.playing import NAMES

ENDS = {f.LAST_PLAYER: EndReason.LAST_PLAYER, f.ROUNDS_OVER: EndReason.MAX_ROUNDS}
MOST_STEPS = 1_000


def play_beside(rules: Ruleset, seats: int, seed: int, most_steps: int = MOST_STEPS) -> State:
    """Play a match on both sides, without penalties, and assert that they agree all the way; the last state."""
    rules = msgspec.structs.replace(rules, penalties=())
    book, rng, dealer = compiled(rules, seats), random.Random(seed), Dealer(seed)
    state = start(rules, NAMES[:seats])
    while state.phase is Phase.STARTER:
        state = evolve_all(state, decide(state, None, dealer.action(state)))
    batch = Batch(book, 1)
    batch.restart(np.array([True]), starters=state.starter, deals=False)
    for _ in range(most_steps):
        if state.phase is Phase.OVER:
            break
        if state.phase is Phase.DEAL:
            deal = dealer.action(state)
            assert isinstance(deal, Deal)
            state = evolve_all(state, decide(state, None, deal))
            batch.deal([deal.hands])
        assert_same(batch, state)
        may = marked(batch, book)
        assert_same_moves(state, may, book)
        seat, action = _choice(state, may, rng)
        state = evolve_all(state, decide(state, seat, action))
        batch.step([book.number_of(action)], [seat], deals=False)
    assert_same(batch, state)
    return state


def marked(batch: Batch, book: Compiled, match: int = 0) -> dict[int, list[Move]]:
    """What each seat of a match may do by the arrays."""
    return {
        seat: [book.action_at(int(number)) for number in np.flatnonzero(batch.legal(seat)[match])]
        for seat in range(book.seats)
    }


def assert_same_moves(state: State, may: dict[int, list[Move]], book: Compiled) -> None:
    found = legal(state)
    for seat, moves in may.items():
        wanted = found.moves(seat)
        if found.unlimited and seat == found.turn:
            bids = tuple(bid for bid in book.menu if bid_is_legal(state, bid))
            wanted = bids + wanted[len(found.bids) :]
            assert not book.bounded
        assert set(moves) == set(wanted), seat
        assert len(moves) == len(wanted)


def assert_same(batch: Batch, state: State, match: int = 0) -> None:
    """Everything that the engine knows, number by number."""
    assert batch.dice[match].tolist() == list(state.dice)
    assert batch.of_seats(f.EXACT_CALLS)[match].tolist() == list(state.exact_calls)
    assert batch.over[match] == (state.phase is Phase.OVER)
    assert batch.now(f.ROUND)[match] == state.round_number
    if state.phase is Phase.OVER:
        assert tuple(np.flatnonzero(batch.won[match])) == state.winners
        assert ENDS[int(batch.now(f.ENDED_BY)[match])] is state.end_reason
        return
    assert set(np.flatnonzero(batch.of_seats(f.HAD_SPECIAL)[match])) == set(state.had_special)
    numbers = {
        f.STEP: state.direction.step,
        f.STARTER: state.starter,
        f.TURN: state.turn,
        f.SPECIAL: -1 if state.special_seat is None else state.special_seat,
        f.ALIVE: state.alive_count,
    }
    if state.phase is Phase.BIDDING:
        seats, bids = [seat for seat, _ in state.bids], [batch.rules.number_of(bid) for _, bid in state.bids]
        numbers |= {
            f.CHOSEN: int(state.direction_chosen),
            f.STANDING: bids[-1] - f.FIRST_BID if bids else -1,
            f.STOOD_BY: seats[-1] if seats else -1,
            f.BIDS: len(bids),
            f.WILD: int(state.wilds_count),
        }
        if state.top is not None:
            numbers[f.TOP] = state.top
        made = batch.history[match, : len(bids)]
        assert made[:, 0].tolist() == seats
        assert (made[:, 1] + f.FIRST_BID).tolist() == bids
        assert set(np.flatnonzero(batch.of_seats(f.EXEMPT)[match])) == set(state.exempt)
        for seat, hand in enumerate(state.hands):
            assert batch.hands[match, seat].tolist() == [hand.count(face + 1) for face in range(batch.hands.shape[2])]
    assert {number: int(batch.now(number)[match]) for number in numbers} == numbers


def _choice(state: State, may: dict[int, list[Move]], rng: random.Random) -> tuple[int, Move]:
    """An action by somebody; exact calls are often right, and bids often low, so that much happens."""
    calls = [(seat, move) for seat, moves in may.items() for move in moves if isinstance(move, Challenge | Exact)]
    exact = [call for call in calls if isinstance(call[1], Exact)]
    if exact and rng.random() < 0.5 and _is_exact(state):
        return rng.choice(exact)
    own = [move for move in may[state.turn] if not isinstance(move, Challenge | Exact)]
    turning = [move for move in own if isinstance(move, SetDirection)]
    if turning and rng.random() < 0.4:
        return state.turn, SetDirection(rng.choice(list(Direction)))
    bids = own[len(turning) :]
    if calls and (not bids or rng.random() < 0.25):
        return rng.choice(calls)
    return state.turn, rng.choice(bids[: 1 + len(bids) // 3] if rng.random() < 0.7 else bids)


def _is_exact(state: State) -> bool:
    bid = state.bids[-1][1]
    return tally(state.ruleset, state.hands, bid.face, wilds_count=state.wilds_count).count == bid.quantity
