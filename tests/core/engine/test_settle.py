"""A call is settled in order: the reveal, the losses, eliminations, penalties, and the end of the round or match."""

from liarsdice.core.engine.engine import evolve_all
from liarsdice.core.engine.evolve import initial_state
from liarsdice.core.engine.settle import Settlement, first_caller, settle
from liarsdice.core.engine.state import State
from liarsdice.core.events import (
    BidMade,
    Cause,
    Challenged,
    Dealt,
    DiceGained,
    DiceLost,
    Eliminated,
    EndReason,
    ExactCalled,
    MatchEnded,
    MatchStarted,
    Revealed,
    RoundEnded,
    RoundStarted,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction
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


def test_a_settlement_takes_no_more_dice_than_a_seat_holds() -> None:
    settlement = Settlement((2, 1, 0))
    settlement.lose(0, 1, Cause.BID_FALSE)
    settlement.lose(1, 5, Cause.BID_TRUE, to=0)
    settlement.lose(2, 1, Cause.PENALTY)
    settlement.gain(0, 0, Cause.EXACT_RIGHT)
    assert settlement.dice == [2, 0, 0]
    assert settlement.events == [
        DiceLost(0, 1, 1, Cause.BID_FALSE),
        DiceLost(1, 1, 0, Cause.BID_TRUE, to=0),
    ]
    settlement.eliminate((2, 1, 0))
    assert settlement.end_if_one_left()
    assert settlement.events[2:] == [Eliminated(1), MatchEnded((0,), EndReason.LAST_PLAYER)]


def test_the_difference_is_lost_where_the_rules_say_so() -> None:
    state = after_bid(preset("chart").ruleset, ((2,) * 5, (3,) * 5), Bid(8, 2))
    revealed, lost, ended = settle(state, Challenged(1, 0, Bid(8, 2)))
    assert isinstance(revealed, Revealed)
    assert (revealed.count, revealed.counted, revealed.bid_true) == (5, (5, 0), False)
    assert lost == DiceLost(0, 3, 2, Cause.BID_FALSE)
    assert ended == RoundEnded(1, 0)


def test_a_right_exact_call_gains_a_die_up_to_the_starting_number() -> None:
    rules = preset("perudo").ruleset
    state = after_bid(rules, ((2,) * 5, (3,) * 4, (4,) * 5), Bid(5, 2))
    assert settle(state, ExactCalled(1, 0, Bid(5, 2)))[1] == DiceGained(1, 1, 5, Cause.EXACT_RIGHT)
    state = after_bid(rules, ((2,) * 5, (3,) * 5, (4,) * 5), Bid(5, 2))
    assert settle(state, ExactCalled(1, 0, Bid(5, 2)))[1:] == [RoundEnded(1, 1)]


def test_of_several_calls_that_of_the_player_on_turn_stands_then_the_next_in_turn() -> None:
    state = after_bid(preset("official").ruleset, ((2,) * 5,) * 4, Bid(1, 2))
    assert first_caller(state, (3, 2, 1)) == 1
    assert first_caller(state, (3, 2)) == 2
