"""What actions of solved rounds are worth: held to rounds and matches settled otherwise, and to a plain recursion."""

from collections.abc import Sequence

import numpy as np
import pytest

from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.round_game import Situation, one_step_values
from liarsdice.solve.strategy.action_values import (
    MIN_ACTION_PROB,
    Action,
    action_values,
    call_frequencies,
    safe_answer,
)
from liarsdice.solve.strategy.average_strategy import pruned
from liarsdice.solve.strategy.strategy import Strategy
from tests.solve.solved_rounds import learn_strategy


@pytest.mark.parametrize(
    "name, dice, faces",
    [("openspiel", (1, 1), 3), ("openspiel", (2, 1), 3), ("perudo", (1, 2), 3), ("snyd-stairs", (1, 1), 3)],
)
def test_action_values_add_up_to_the_value_of_the_round(name: str, dice: tuple[int, int], faces: int) -> None:
    strategy = learn_strategy(name, dice, faces, 400)
    table = strategy.tree.game
    theirs = dict(zip(table.hands[1], table.hand_probs[1].tolist(), strict=True))
    value = 0.0
    for hand, weight in zip(table.hands[0], table.hand_probs[0].tolist(), strict=True):
        worth = action_values(strategy, hand, (), theirs)
        played = strategy.action_probs(hand)
        value += weight * sum(chance * worth[action] for action, chance in played.items())
        likely = [worth[action] for action, chance in played.items() if chance > 0.2]
        assert max(worth.values()) - max(likely) < 0.1  # nothing is much better than what is played
    assert strategy.bounds.low - 0.02 <= value <= strategy.bounds.high + 0.02


def test_calls_are_worth_what_they_settle() -> None:
    strategy = learn_strategy("perudo", (1, 1), 3, 400)
    own = action_values(strategy, (3,), [Bid(1, 3)], {(2,): 0.5, (3,): 0.5})
    assert own[Challenge()] == pytest.approx(-1)  # the own die makes the bid true
    assert action_values(strategy, (2,), [Bid(2, 3)], {(2,): 0.25, (3,): 0.75})[Challenge()] == pytest.approx(1)
    assert action_values(strategy, (2,), [Bid(1, 3)], {(2,): 0.25, (3,): 0.75})[Challenge()] == pytest.approx(
        0.25 - 0.75
    )
    assert set(own) >= {Bid(1, 1), Bid(2, 3)}


@pytest.mark.parametrize(
    "name, dice, faces, bids",
    [
        ("openspiel", (2, 1), 3, []),
        ("perudo", (1, 2), 3, [Bid(1, 2)]),
        ("basic", (2, 1), 3, [Bid(2, 1), Bid(3, 1)]),
        ("snyd-stairs", (1, 1), 3, [Bid(1, 2), Bid(2, 2), Bid(3, 3)]),
        ("mustache", (2, 1), 3, [Bid(1, 3)]),
    ],
)
def test_action_values_are_those_of_every_pair_of_hands(
    name: str, dice: tuple[int, int], faces: int, bids: list[Bid]
) -> None:
    """Also where hands or bids are none of the pruned strategy, so that the better call is assumed."""
    strategy = pruned(learn_strategy(name, dice, faces, 300), 0.02)
    game, index = strategy.tree.game, 0
    for bid in bids:
        index = dict(game.situations[index].raises)[bid]
    mover = game.situations[index].mover
    theirs = dict(zip(game.hands[1 - mover], game.hand_probs[1 - mover].tolist(), strict=True))
    for hand in game.hands[mover]:
        for action, value in action_values(strategy, hand, bids, theirs).items():
            expected = sum(p * slow_value(strategy, index, bids, action, hand, other) for other, p in theirs.items())
            assert value == pytest.approx(expected, abs=1e-3)


def slow_value(
    strategy: Strategy, index: int, bids: Sequence[Bid], action: Action, mover_hand: Hand, bidder_hand: Hand
) -> float:
    """Return what an action is worth to the mover in a situation, for one pair of hands."""
    situation = strategy.tree.game.situations[index]
    if isinstance(action, Bid):
        return -slow_node_value(strategy, dict(situation.raises)[action], (*bids, action), bidder_hand, mover_hand)
    return slow_call_values(strategy, situation, mover_hand, bidder_hand)[isinstance(action, Exact)]


def slow_node_value(strategy: Strategy, index: int, bids: Sequence[Bid], mover_hand: Hand, bidder_hand: Hand) -> float:
    """Return what the rest of a round is worth to the mover, for one pair of hands."""
    try:
        probs = strategy.action_probs(mover_hand, bids)
    except UnavailableError:
        situation = strategy.tree.game.situations[index]
        return max(slow_call_values(strategy, situation, mover_hand, bidder_hand).values())
    likely = {action: p for action, p in probs.items() if p >= MIN_ACTION_PROB}
    total = sum(p * slow_value(strategy, index, bids, action, mover_hand, bidder_hand) for action, p in likely.items())
    return total / sum(likely.values())


def slow_call_values(
    strategy: Strategy, situation: Situation, mover_hand: Hand, bidder_hand: Hand
) -> dict[bool, float]:
    """Return what each call is worth to its caller, by whether it is the exact call."""
    tree, mover = strategy.tree, situation.mover
    mover_bucket, bidder_bucket = (
        situation.hand_buckets[seat][tree.game.hands[seat].index(hand)]
        for seat, hand in ((mover, mover_hand), (1 - mover, bidder_hand))
    )
    payoffs = situation.payoffs(tree.outcome_values)
    return {
        call.exact: float(payoff[mover_bucket, bidder_bucket])
        for call, payoff in zip(situation.calls, payoffs, strict=True)
    }


def test_call_frequencies_follow_from_the_probabilities_of_actions() -> None:
    strategy = learn_strategy("openspiel", (1, 1), 3)
    result = {(one.bid, one.seat): one for one in call_frequencies(strategy)}
    first = result[Bid(1, 2), 1]
    opened = np.array([strategy.action_probs((face,)).get(Bid(1, 2), 0) for face in (1, 2, 3)])
    weights = strategy.tree.game.hand_probs[0]
    assert first.hands == ((1,), (2,), (3,))
    raised = opened @ weights  # and those who were raised from 1x1 come on top, at seat 0
    assert first.p_faced == pytest.approx([raised] * 3)
    for face, called in zip((1, 2, 3), first.p_called, strict=True):
        assert called == pytest.approx(strategy.action_probs((face,), [Bid(1, 2)]).get(Challenge(), 0))


def test_a_bid_that_the_own_dice_rule_out_is_challenged() -> None:
    strategy = learn_strategy("basic", (1, 1), 3)
    lies = [Bid(2, 1), Bid(2, 2)]  # with a two in the hand of the player on turn
    with pytest.raises(UnavailableError):
        strategy.action_probs((2,), [*lies, Bid(2, 3)])
    assert safe_answer(strategy, (2,), [*lies, Bid(2, 3)]) == {Challenge(): 1.0}


def test_a_bid_that_the_own_dice_prove_is_not_challenged() -> None:
    strategy = pruned(learn_strategy("basic", (2, 1), 3), 0.2)
    (answer,) = safe_answer(strategy, (3, 3), [Bid(1, 1), Bid(2, 3)])
    assert answer != Challenge()


def test_one_step_values_are_those_of_the_calls() -> None:
    strategy = learn_strategy("basic", (1, 1), 2)
    game, worth = strategy.tree.game, strategy.tree.outcome_values
    first, *_, last = game.situations
    assert one_step_values(game, last, worth, game.hand_probs[1 - last.mover]).shape == (1, 2)
    values = one_step_values(game, first, worth, game.hand_probs[1])
    bids = [bid for bid, _ in first.raises]
    # one of a face that is held is never wrong; two of it are right half of the time
    assert values[bids.index(Bid(1, 1)), 0] == pytest.approx(1)
    assert values[bids.index(Bid(2, 1)), 0] == pytest.approx(0)
    assert values[bids.index(Bid(2, 2)), 0] == pytest.approx(-1)
