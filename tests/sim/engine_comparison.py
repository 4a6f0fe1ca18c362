"""Plays a match in the engine and in the simulator with the same dice and actions, and compares both after each."""

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
from liarsdice.play.match import Dealer
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import CompiledRules, compile_rules
from liarsdice.sim.vector_env import VectorEnv
from tests.laws.random_matches import NAMES

ENDS = {schema.LAST_PLAYER: EndReason.LAST_PLAYER, schema.ROUND_LIMIT: EndReason.MAX_ROUNDS}
MAX_STEPS = 1_000


def play_and_compare(rules: Ruleset, seats: int, seed: int, max_steps: int = MAX_STEPS) -> State:
    """Play a match on both sides, without penalties, assert that they always agree, and return the last state."""
    rules = msgspec.structs.replace(rules, penalties=())
    compiled, rng, dealer = compile_rules(rules, seats), random.Random(seed), Dealer(seed)
    state = start(rules, NAMES[:seats])
    while state.phase is Phase.STARTER:
        state = evolve_all(state, decide(state, None, dealer.action(state)))
    env = VectorEnv(compiled, 1)
    env.reset(np.array([True]), starters=state.starter, deals=False)
    for _ in range(max_steps):
        if state.phase is Phase.OVER:
            break
        if state.phase is Phase.DEAL:
            deal = dealer.action(state)
            assert isinstance(deal, Deal)
            state = evolve_all(state, decide(state, None, deal))
            env.deal([deal.hands])
        assert_same(env, state)
        moves_by_seat = legal_moves(env, compiled)
        assert_same_moves(state, moves_by_seat, compiled)
        seat, action = _choose(state, moves_by_seat, rng)
        state = evolve_all(state, decide(state, seat, action))
        env.step([compiled.action_id(action)], [seat], deals=False)
    assert_same(env, state)
    return state


def legal_moves(env: VectorEnv, compiled: CompiledRules, match: int = 0) -> dict[int, list[Move]]:
    """The legal moves of each seat of a match by the simulator's action masks."""
    return {
        seat: [compiled.action_from_id(int(action_id)) for action_id in np.flatnonzero(env.action_mask(seat)[match])]
        for seat in range(compiled.seat_count)
    }


def assert_same_moves(state: State, moves_by_seat: dict[int, list[Move]], compiled: CompiledRules) -> None:
    legal_in_engine = legal(state)
    for seat, moves in moves_by_seat.items():
        expected = legal_in_engine.moves(seat)
        if legal_in_engine.unlimited and seat == legal_in_engine.turn:
            bids = tuple(bid for bid in compiled.bids if bid_is_legal(state, bid))
            expected = bids + expected[len(legal_in_engine.bids) :]
            assert not compiled.has_cap
        assert set(moves) == set(expected), seat
        assert len(moves) == len(expected)


def assert_same(env: VectorEnv, state: State, match: int = 0) -> None:
    """Compare everything that the engine knows, field by field."""
    assert env.dice[match].tolist() == list(state.dice)
    assert env.seat_field(schema.EXACT_CALLS)[match].tolist() == list(state.exact_calls)
    assert env.over[match] == (state.phase is Phase.OVER)
    assert env.match_field(schema.ROUND)[match] == state.round_number
    if state.phase is Phase.OVER:
        assert tuple(np.flatnonzero(env.won[match])) == state.winners
        assert ENDS[int(env.match_field(schema.END_REASON)[match])] is state.end_reason
        return
    assert set(np.flatnonzero(env.seat_field(schema.HAD_SPECIAL)[match])) == set(state.had_special)
    fields = {
        schema.STEP: state.direction.step,
        schema.STARTER: state.starter,
        schema.TURN: state.turn,
        schema.SPECIAL_SEAT: -1 if state.special_seat is None else state.special_seat,
        schema.ALIVE_COUNT: state.alive_count,
    }
    if state.phase is Phase.BIDDING:
        seats, bids = [seat for seat, _ in state.bids], [env.rules.action_id(bid) for _, bid in state.bids]
        fields |= {
            schema.DIRECTION_CHOSEN: int(state.direction_chosen),
            schema.STANDING_BID: bids[-1] - schema.FIRST_BID if bids else -1,
            schema.STANDING_BIDDER: seats[-1] if seats else -1,
            schema.BID_COUNT: len(bids),
            schema.WILDS_COUNT: int(state.wilds_count),
        }
        if state.max_quantity is not None:
            fields[schema.HIGHEST_QUANTITY] = state.max_quantity
        history = env.bid_history[match, : len(bids)]
        assert history[:, 0].tolist() == seats
        assert (history[:, 1] + schema.FIRST_BID).tolist() == bids
        assert set(np.flatnonzero(env.seat_field(schema.EXEMPT)[match])) == set(state.exempt)
        for seat, hand in enumerate(state.hands):
            assert env.hands[match, seat].tolist() == [hand.count(face + 1) for face in range(env.hands.shape[2])]
    assert {field: int(env.match_field(field)[match]) for field in fields} == fields


def _choose(state: State, moves_by_seat: dict[int, list[Move]], rng: random.Random) -> tuple[int, Move]:
    """A random action of a random seat; exact calls are often right and bids often low, so that much happens."""
    calls = [
        (seat, move) for seat, moves in moves_by_seat.items() for move in moves if isinstance(move, Challenge | Exact)
    ]
    exact = [call for call in calls if isinstance(call[1], Exact)]
    if exact and rng.random() < 0.5 and _is_exact(state):
        return rng.choice(exact)
    own = [move for move in moves_by_seat[state.turn] if not isinstance(move, Challenge | Exact)]
    directions = [move for move in own if isinstance(move, SetDirection)]
    if directions and rng.random() < 0.4:
        return state.turn, SetDirection(rng.choice(list(Direction)))
    bids = own[len(directions) :]
    if calls and (not bids or rng.random() < 0.25):
        return rng.choice(calls)
    return state.turn, rng.choice(bids[: 1 + len(bids) // 3] if rng.random() < 0.7 else bids)


def _is_exact(state: State) -> bool:
    bid = state.bids[-1][1]
    return tally(state.ruleset, state.hands, bid.face, wilds_count=state.wilds_count).count == bid.quantity
