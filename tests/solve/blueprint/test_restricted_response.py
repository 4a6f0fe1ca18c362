"""Blueprints against bots that may be met, beside linear programs over the sequence form, which know the engine alone.

A seat meets a bot with probability p for the whole round, and otherwise an opponent who knows its strategy. Seat 0
plays the strategy x with the largest minimum, over all y, of (1 - p) u(x, y) + p u(x, bot).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from liarsdice.analysis.exploitability import make_models
from liarsdice.bots.policy import PolicyBot, policy_of
from liarsdice.bots.registry import make_bot
from liarsdice.core.actions import PlayerAction
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.blueprint.recall_graph import RecallGraph
from liarsdice.solve.game.round_game import RoundStart, state_before_bids, view_after
from tests.solve.blueprint.trained_rounds import make_graph, trained
from tests.solve.sequence_form import SequenceForm
from tests.solve.solved_rounds import rules_of

ActionProbs = Callable[[Hand, tuple[Bid, ...]], Mapping[Any, float]]
"""How a player acts with a hand after bids."""
Plan = NDArray[np.float64]
"""How likely a player's own choices lead to each of their sequences, float64 [sequence]."""
Payoffs = NDArray[np.float64]
"""What seat 0 wins where two sequences meet, times the probability of the dice, float64 [sequence, sequence]."""


@pytest.mark.parametrize(
    "name, dice, faces", [("openspiel", (1, 1), 3), ("perudo", (1, 1), 3), ("perudo", (2, 1), 2), ("bluff", (1, 1), 3)]
)
@pytest.mark.parametrize("bots", [{"threshold:0.4": 0.2}, {"threshold:0.4": 0.1, "inference": 0.3}])
def test_each_seat_answers_the_bots_and_an_opponent_who_knows_it(
    name: str, dice: tuple[int, int], faces: int, bots: dict[str, float]
) -> None:
    graph = make_graph(name, dice, faces, recall=20, menu=50)
    policies = [(policy_of(make_bot(bot)), share) for bot, share in bots.items()]
    trainer = trained(graph, 400, make_models(graph, policies))
    form = SequenceForm(rules_of(name, faces), RoundStart(dice))
    payoffs = payoffs_of(form)
    played = [plan_of(form, seat, trainer.blueprint().action_probs) for seat in (0, 1)]
    others = 1 - sum(bots.values())
    mixed = [others * payoffs, others * payoffs]
    for policy, share in policies:
        bot = [plan_of(form, seat, probs_of(graph, policy)) for seat in (0, 1)]
        mixed[0][:, 0] += share * payoffs @ bot[1]
        mixed[1][0] += share * bot[0] @ payoffs
    lowest, highest = -best_response(form, 1, -played[0] @ mixed[0]), best_response(form, 0, mixed[1] @ played[1])
    assert lowest == pytest.approx(value_of(form, mixed[0]), abs=0.004)
    assert highest == pytest.approx(value_of(form, mixed[1]), abs=0.004)


def payoffs_of(form: SequenceForm) -> Payoffs:
    payoffs = np.zeros([len(sequences) for sequences in form.sequences])
    for pair, payoff in form.ends.items():
        payoffs[pair] = payoff
    return payoffs


def probs_of(graph: RecallGraph, policy: PolicyBot) -> ActionProbs:
    before_bids = state_before_bids(graph.game.rules, graph.game.start)

    def probs(hand: Hand, bids: tuple[Bid, ...]) -> Mapping[PlayerAction | None, float]:
        shown = view_after(before_bids, bids, len(bids) % 2)
        return policy.action_probs(msgspec.structs.replace(shown, hand=hand))

    return probs


def plan_of(form: SequenceForm, seat: int, probs: ActionProbs) -> Plan:
    plan, sequences = np.zeros(len(form.sequences[seat])), list(form.sequences[seat])
    plan[0] = 1
    for (hand, *bids), (parent, children) in form.choices[seat].items():
        named: Mapping[object, float] = probs(hand, tuple(bids))  # type: ignore[arg-type]
        for child in children:
            plan[child] = plan[parent] * named.get(sequences[child][-1], 0.0)
    return plan


def value_of(form: SequenceForm, payoffs: Payoffs) -> float:
    """Return what is won by seat 0 at equilibrium."""
    game = SequenceForm.__new__(SequenceForm)
    game.sequences, game.choices = form.sequences, form.choices
    game.ends = {(first, second): payoffs[first, second] for first, second in np.argwhere(payoffs).tolist()}
    return game.value()


def best_response(form: SequenceForm, seat: int, gains: Plan) -> float:
    """Return the most that a seat can win. `gains`: what its sequences win against the opponent's plan."""
    values = gains.copy()
    for parent, children in reversed(form.choices[seat].values()):
        values[parent] += max(values[child] for child in children)
    return float(values[0])
