"""The vectorised environment plays as the engine does, on random rules and on every preset, to the end of matches."""

import random

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liarsdice.core.actions import Challenge, Deal, Exact, Move, SetDirection
from liarsdice.core.engine.engine import decide, evolve_all, legal, start
from liarsdice.core.engine.legal import bid_is_legal
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.events import EndReason
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import (
    Direction,
    HandBonus,
    IfEliminated,
    LossMode,
    NextStarter,
    ShedBy,
    WhoCalls,
    WhoCallsExact,
)
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import ExactCall, SpecialRound
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.core.rules.presets.games import Changes
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import is_stairs as is_stairs_in_core
from liarsdice.core.rules.tally import tally
from liarsdice.play.match import Dealer
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import CompiledRules, compile_rules
from liarsdice.sim.kernels import transitions
from liarsdice.sim.kernels.compilation import GAMMA, first_state, mix_bits, random_below
from liarsdice.sim.policies import ExternalPolicy, ThresholdPolicy, UniformPolicy
from liarsdice.sim.vector_env import VectorEnv, new_batch_state
from tests.laws.random_matches import NAMES
from tests.laws.random_rulesets import seeds, tables

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


PERUDO = compile_rules(preset("perudo").ruleset, 3)


@settings(max_examples=300)
@given(tables(simulated=True), seeds)
def test_random_rules_play_alike_in_the_engine_and_in_arrays(table: tuple[Ruleset, int], seed: int) -> None:
    play_and_compare(*table, seed)


@pytest.mark.parametrize("name", simulated_preset_names())
@pytest.mark.parametrize("seats", [2, 5])
def test_every_preset_plays_alike_in_the_engine_and_in_arrays(name: str, seats: int) -> None:
    assert play_and_compare(preset(name).ruleset, seats, seed=seats).phase is Phase.OVER


def test_the_classic_sheet_with_all_its_options_plays_alike_in_the_engine_and_in_arrays() -> None:
    rules = preset("classic+aces+palifico+calza+reversa").ruleset
    assert play_and_compare(rules, 4, seed=1).phase is Phase.OVER


SHED_RULES: tuple[Changes, ...] = (
    {},
    {"loss__mode": LossMode.DIFFERENCE, "loss__exact": 2},
    {"next_starter__rule": NextStarter.WINNER, "next_starter__if_eliminated": IfEliminated.FEWEST_DICE},
    {"next_starter__rule": NextStarter.CALLER, "next_starter__if_eliminated": IfEliminated.PREVIOUS},
    {"special_round": SpecialRound(min_players=2), "turn__starter_may_reverse": True},
    {"exact_call": ExactCall(next_starter=NextStarter.CALLER, gain_cap=None)},
    {"exact_call": ExactCall(who=WhoCallsExact.ANYONE_BUT_BIDDER, success_gain=2, failure_loss=2, others_loss=1)},
    {"challenge__who": WhoCalls.ANYONE_BUT_BIDDER, "loss__out_of_turn_factor": 2},
    {"guards__max_rounds": 2},
    {"guards__max_rounds": 5, "loss__fixed": 2},
)
"""What differs from the rules of Snyd: losses, starters, special rounds, exact calls, calls out of turn, limits."""


@pytest.mark.parametrize("shed_by", ShedBy)
@pytest.mark.parametrize("changes", SHED_RULES)
@pytest.mark.parametrize("seats", [2, 3, 5])
def test_players_shed_alike_in_the_engine_and_in_arrays(shed_by: ShedBy, changes: Changes, seats: int) -> None:
    changes = {"next_starter__rule": NextStarter.LOSER, "dice__per_player": 3, **changes}
    if "exact_call" in changes:
        changes["guards__max_rounds"] = 20
    rules = patched(preset("snyd-joker").ruleset, **changes, loss__shed_by=shed_by)
    for seed in range(4):
        state = play_and_compare(rules, seats, seed)
        assert state.phase is Phase.OVER
        assert state.end_reason is EndReason.MAX_ROUNDS or len(state.alive()) == 1


def test_whoever_has_no_dice_at_the_start_is_safe_where_players_shed() -> None:
    env = VectorEnv(compile_rules(preset("snyd+winner-sheds").ruleset, 3), 20, seed=1)
    env.reset(np.ones(20, np.bool_), dice=(0, 1, 2))
    env.advance()
    assert env.won.tolist() == [[True, False, False]] * 20


def test_no_match_changes_if_one_action_of_many_is_illegal() -> None:
    env = VectorEnv(PERUDO, 3, seed=5)
    opening = PERUDO.action_id(Bid(1, 2))
    before = env.state.matches.copy()
    with pytest.raises(IllegalActionError, match=r"in match 1 seat . may not do 0 \(Challenge\(\)\)"):
        env.step([opening, schema.CHALLENGE, opening])
    assert (env.state.matches == before).all()
    env.step([opening, schema.NO_ACTION, opening])
    assert env.match_field(schema.BID_COUNT).tolist() == [1, 0, 1]


@pytest.mark.parametrize("number", [-2, PERUDO.action_count, 10**6])
def test_an_id_that_no_action_has_is_illegal(number: int) -> None:
    with pytest.raises(IllegalActionError, match="no action"):
        VectorEnv(PERUDO, 1).step([number])


@pytest.mark.parametrize("seat", [-1, 3, 99])
def test_a_seat_that_does_not_exist_has_no_legal_action(seat: int) -> None:
    env = VectorEnv(PERUDO, 1)
    assert not env.action_mask(seat).any()
    with pytest.raises(IllegalActionError, match="may not do"):
        env.step([PERUDO.action_id(Bid(1, 2))], [seat])


def test_a_call_out_of_turn_is_made_by_naming_the_seat() -> None:
    compiled = compile_rules(preset("official").ruleset, 4)
    env = VectorEnv(compiled, 1)
    env.reset(np.array([True]), starters=0, deals=False)
    env.deal([[[2, 2, 3, 3, 5]] * 4])
    env.step([compiled.action_id(Bid(9, 2))])
    assert env.action_mask(3)[0].nonzero()[0].tolist() == [compiled.action_id(Challenge())]
    env.step([schema.CHALLENGE], [3], deals=False)
    assert env.dice[0].tolist() == [3, 5, 5, 5]  # twice the loss
    assert (
        env.match_field(schema.CALL_COUNT)[0],
        env.match_field(schema.CALL_OUT_OF_TURN)[0],
        env.match_field(schema.CALL_LOSER)[0],
    ) == (8, 1, 0)
    assert env.seat_field(schema.DICE_CHANGE)[0].tolist() == [-2, 0, 0, 0]
    assert env.turn.tolist() == [-1]


def test_matches_begin_with_the_dice_and_the_starter_given() -> None:
    env = VectorEnv(PERUDO, 2)
    env.reset(np.array([True, True]), starters=[2, 0], dice=[[0, 5, 1], [2, 2, 2]])
    assert env.dice.tolist() == [[0, 5, 1], [2, 2, 2]]
    assert env.turn.tolist() == [2, 0]
    assert env.hands.sum(axis=2).tolist() == env.dice.tolist()


@pytest.mark.parametrize(
    "starters, dice", [(-1, (6, 5, 5)), (-1, (5, 0, 0)), (-1, (5, -1, 5)), (0, (0, 5, 5)), (3, (5, 5, 5))]
)
def test_matches_that_cannot_begin_are_refused(starters: int, dice: tuple[int, int, int]) -> None:
    with pytest.raises(MalformedError):
        VectorEnv(PERUDO, 1).reset(np.array([True]), starters=starters, dice=dice)


@pytest.mark.parametrize("hands", [((1, 2), (1, 2, 3, 4, 5)), ((1, 2, 3, 4, 7), (1, 2, 3, 4, 5))])
def test_hands_that_nobody_can_roll_are_refused(hands: tuple[tuple[int, ...], ...]) -> None:
    env = VectorEnv(compile_rules(preset("basic").ruleset, 2), 1)
    env.reset(np.array([True]), deals=False)
    with pytest.raises(MalformedError, match="rolls 5 dice"):
        env.deal([hands])


def test_a_match_does_not_depend_on_the_others_of_its_batch() -> None:
    batch, single = VectorEnv(PERUDO, 8, seed=3), VectorEnv(PERUDO, 1, seed=3, first=5)
    for _ in range(200):
        for env in (batch, single):
            seats, actions = env.choose_actions()
            env.step(actions, seats)
        assert (batch.state.matches[5] == single.state.matches[0]).all()
        assert (batch.hands[5] == single.hands[0]).all()


def test_finished_matches_stay_unchanged_until_they_are_reset() -> None:
    env = VectorEnv(compile_rules(preset("openspiel").ruleset, 2), 20, seed=1)
    while not env.over.all():
        seats, actions = env.choose_actions()
        env.step(actions, seats)
    assert (env.won.sum(axis=1) == 1).all()
    assert not env.action_mask().any()
    env.step(np.full(20, schema.NO_ACTION))
    assert env.reset().all()
    assert not env.over.any()
    assert not env.won.any()


@pytest.mark.parametrize("name", ["perudo", "official", "classic+reversa"])
def test_external_seats_act_on_their_turn_and_the_others_play_on_without_them(name: str) -> None:
    env = VectorEnv(compile_rules(preset(name).ruleset, 4), 50, seed=2)
    policies = (ExternalPolicy(), ThresholdPolicy(0.4), UniformPolicy(), UniformPolicy())
    env.advance(policies)
    while not env.over.all():
        assert set(env.turn.tolist()) <= {0, -1}
        env.advance(policies, np.where(env.over, schema.NO_ACTION, env.action_mask().argmax(axis=1)))
    assert env.won.sum() == 50


def test_an_external_action_for_another_policy_is_illegal() -> None:
    env = VectorEnv(PERUDO, 1)
    with pytest.raises(IllegalActionError):
        env.advance((UniformPolicy(),), [int(env.action_mask()[0].argmax())])


def test_advance_stops_after_the_last_round_given() -> None:
    env = VectorEnv(PERUDO, 10, seed=4)
    env.advance(last_round=2)
    assert env.match_field(schema.ROUND).tolist() == [2] * 10
    assert env.turn.tolist() == [-1] * 10
    env.advance(last_round=3)
    assert env.match_field(schema.ROUND).tolist() == [3] * 10


@given(st.lists(st.integers(1, 6), max_size=8).map(sorted))
def test_stairs_are_those_of_the_core(hand: list[int]) -> None:
    counts = np.bincount(hand, minlength=7)[1:].astype(np.int32)
    assert transitions.is_stairs(counts, len(hand)) == is_stairs_in_core(HandBonus.STAIRS, tuple(hand))


@pytest.mark.parametrize("hand, stairs", [((1, 2, 3), True), ((1,), True), ((2, 3), False), ((1, 1, 2), False)])
def test_stairs_are_one_die_of_each_face_from_the_first_up(hand: tuple[int, ...], stairs: bool) -> None:
    counts = np.bincount(hand, minlength=7)[1:].astype(np.int32)
    assert transitions.is_stairs(counts, len(hand)) == stairs


PUBLISHED = (6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821)
"""The first outputs of SplitMix64 for the seed 1234567, as reference implementations print them."""
MASK = 2**64 - 1


def mix_bits_in_python(x: int) -> int:
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def test_numbers_are_those_of_splitmix64() -> None:
    states = [(1234567 + number * int(GAMMA)) & MASK for number in range(1, 6)]
    assert tuple(int(mix_bits(np.uint64(state))) for state in states) == PUBLISHED
    assert tuple(map(mix_bits_in_python, states)) == PUBLISHED


def test_a_number_below_a_limit_is_uniform() -> None:
    state = new_batch_state(compile_rules(preset("basic").ruleset, 2), 1)
    counts = np.bincount([random_below(state, 0, 6) for _ in range(60_000)], minlength=6)
    assert len(counts) == 6
    assert np.abs(counts - 10_000).max() < 4.5 * np.sqrt(10_000 * 5 / 6)


def test_no_two_matches_begin_with_the_same_state() -> None:
    states = {int(first_state(seed, number)) for seed in range(100) for number in range(100)}
    assert len(states) == 100 * 100
