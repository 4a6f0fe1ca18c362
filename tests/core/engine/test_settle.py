"""A call is settled in order: the reveal, the losses, eliminations, penalties, and the end of the round or match."""

from liarsdice.core.actions import Penalise
from liarsdice.core.engine.engine import evolve_all
from liarsdice.core.engine.evolve import initial_state
from liarsdice.core.engine.legal import legal
from liarsdice.core.engine.player_actions import decide_player
from liarsdice.core.engine.settle import first_caller, settle
from liarsdice.core.engine.state import State
from liarsdice.core.events import (
    BidMade,
    Cause,
    Challenged,
    Dealt,
    DiceGained,
    DiceLost,
    ExactCalled,
    MatchStarted,
    Revealed,
    RoundEnded,
    RoundStarted,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Destination, Direction, NextStarter, OnExact, PenaltyTiming, PenaltyTrigger
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import ExactCall
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset

Hands = tuple[tuple[int, ...], ...]


def after_bid(rules: Ruleset, hands: Hands, bid: Bid) -> State:
    """A first round in which seat 0 has bid."""
    dice = tuple(map(len, hands))
    state = initial_state(MatchStarted(rules, tuple("ABCD"[: len(hands)])))
    lost = [
        DiceLost(seat, rules.dice.per_player - held, held, Cause.PENALTY)
        for seat, held in enumerate(dice)
        if held < rules.dice.per_player
    ]
    started = RoundStarted(1, 0, dice, Direction.CLOCKWISE)
    return evolve_all(state, [*lost, started, Dealt(hands), BidMade(0, bid)])


def test_of_several_calls_that_of_the_player_on_turn_stands_then_the_next_in_turn() -> None:
    state = after_bid(preset("official").ruleset, ((2,) * 5,) * 4, Bid(1, 2))
    assert first_caller(state, (3, 2, 1)) == 1
    assert first_caller(state, (3, 2)) == 2


def test_a_right_exact_call_first_gains_up_to_the_cap_and_then_receives_what_the_others_lose() -> None:
    rules = patched(
        preset("basic").ruleset,
        exact_call=ExactCall(success_gain=1, others_loss=1),
        loss__destination=Destination.OPPONENT,
        guards__max_rounds=50,
    )
    state = after_bid(rules, ((2, 2, 2, 2, 2), (2, 3, 3, 3, 3), (4, 4, 4)), Bid(6, 2))
    events = settle(state, ExactCalled(1, 0, Bid(6, 2), out_of_turn=False))
    assert events[1:3] == [DiceLost(0, 1, 4, Cause.EXACT_RIGHT, to=1), DiceLost(2, 1, 2, Cause.EXACT_RIGHT, to=1)]
    assert evolve_all(state, events[:3]).dice == (4, 7, 2)
    fewer = after_bid(rules, ((2, 2, 2, 2), (2, 3, 3, 3), (4, 4, 4)), Bid(5, 2))
    gained = settle(fewer, ExactCalled(1, 0, Bid(5, 2), out_of_turn=False))[1]
    assert gained == DiceGained(1, 1, 5, Cause.EXACT_RIGHT)


def test_the_bid_of_a_player_whom_a_penalty_put_out_stands() -> None:
    rules = patched(
        preset("chart").ruleset,
        penalty_timing=PenaltyTiming.IMMEDIATE,
        loss__on_exact=OnExact.ALL_BUT_BIDDER,
        next_starter__rule=NextStarter.BIDDER,
    )
    before = after_bid(rules, ((4,), (4, 3), (4, 5)), Bid(3, 4))
    state = evolve_all(before, decide_player(before, 0, Penalise(PenaltyTrigger.ASKS_WHOSE_TURN, (0,))))
    assert (state.dice, legal(state).challengers) == ((0, 2, 2), (1,))
    call = Challenged(1, 0, Bid(3, 4), out_of_turn=False)
    reveal, *after = settle(state, call)
    assert isinstance(reveal, Revealed)
    assert (reveal.count, reveal.bid_true) == (2, False)
    assert after == [RoundEnded(1, 1, None)]  # the bidder has nothing to lose, and the next in turn opens
    exactly = settle(state, Challenged(1, 0, Bid(2, 4), out_of_turn=False))[1:]
    assert exactly == [DiceLost(1, 1, 1, Cause.BID_EXACT), RoundEnded(1, 1, None)]
