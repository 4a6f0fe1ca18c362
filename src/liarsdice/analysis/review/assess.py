"""What a decision cost: the value of the best move less that of the move made, from what the player could know.

Where the rest of the match is solved, values are exact. In rounds of two players with a blueprint, what follows is
exact if both play on by it. Elsewhere the other hands are drawn from the champion's beliefs (Bayes' rule with its
network as the likelihood), and the champion's network plays the round on after each move. The best move is found with
one part of the deals and its advantage measured with the others, so that the choice of the best of several estimates
does not make costs look larger than they are. Where the simulator or the network does not know the rules, the engine
plays rounds on (`engine_assess`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from liarsdice.analysis.review.assessment import (
    CHANCE_DIGITS,
    Assessment,
    move_values,
    played_assessment,
    solved_assessment,
)
from liarsdice.analysis.review.decisions import Decision
from liarsdice.analysis.review.engine_assess import MIN_P_RIGHT, assess_by_engine, needs_engine
from liarsdice.analysis.review.results import Z_95, Source
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.explain import Explanation, MoveEstimate, explain
from liarsdice.bots.neural.playouts import play_rounds_out, sample_hands
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.strategy.action_values import Action
from liarsdice.values.blueprint_values import MoveOutcomes, SolvedValues, challenge_prob, exact_values
from liarsdice.values.blueprints import is_leaning
from liarsdice.values.playouts import highest_quantity
from liarsdice.values.round_ends import RoundEndValues

MAX_MOVES = 5
"""How many moves are compared, those that the value network prefers, beside the move made and a challenge."""


class BlueprintError(NamedTuple):
    """The standard error of how much less a move wins than the best one by a blueprint, beside the solved round.

    `stake`: as a share of what is at stake in the round. `relative`: as a share of the difference itself. They add up
    as squares. Measured in rounds that are solved (`python -m benchmarks.blueprint_values`).
    """

    stake: float
    relative: float


BALANCED_ERROR, LEANING_ERROR = BlueprintError(0.015, 0.3), BlueprintError(0.025, 0.4)
"""The error of balanced blueprints, and of those that expect opponents who make mistakes."""


def blueprint_error(rules: Ruleset) -> BlueprintError:
    """Return the error of the blueprints of the package for rounds under these rules."""
    return LEANING_ERROR if is_leaning(rules) else BALANCED_ERROR


class Assessor:
    """Assesses the decisions of a match. `deals`: for each decision, at least 6; `seed`: of their random numbers."""

    def __init__(self, values: RoundEndValues, deals: int, seed: int = 0) -> None:
        self._values = values
        self._deals = deals
        self._seed = seed

    def assess(self, decision: Decision) -> Assessment:
        """Return what a decision cost."""
        shown = decision.view
        if shown.on_turn and len(shown.moves) == 1 and not shown.unlimited:
            return Assessment(decision, Source.FORCED, 0.0, 0.0, decision.move, ())
        if needs_engine(decision):
            return assess_by_engine(decision, self._values, self._deals, self._seed)
        explanation = explain(shown, signals=False)
        exact = exact_values(shown, [belief.by_hand() for belief in explanation.beliefs.values()])
        if isinstance(exact, SolvedValues):
            return solved_assessment(decision, exact.by_move, explanation)
        if exact is not None:
            return self._blueprint_assessment(decision, exact, explanation)
        if not shown.on_turn and decision.move is None:
            calls = [estimate for estimate in explanation.moves if estimate.move is not None]
            if all((call.p_right_given_bids or 0) < MIN_P_RIGHT for call in calls):
                return Assessment(decision, Source.BELIEFS, 0.0, 0.0, None, (), explanation)
        moves = compared_moves(decision, explanation.moves)
        rng = np.random.default_rng((self._seed, decision.number))
        hands = sample_hands(decision.view, explanation.beliefs, self._deals, rng)
        network = champion_network(shown.ruleset)
        playouts = play_rounds_out(decision.view, decision.round_dice, moves, hands, network, rng)
        return played_assessment(self._values, decision, moves, playouts, explanation)

    def _blueprint_assessment(self, decision: Decision, outcomes: MoveOutcomes, explanation: Explanation) -> Assessment:
        """Return the cost if both players follow a blueprint after the move, with an interval.

        It counts how uncertain the values of round ends are, and how far blueprints are from solutions.
        """
        shown, made = decision.view, decision.move
        ((rival, belief),) = explanation.beliefs.items()
        hand_probs = belief.by_hand()
        variances = self._values.variances(outcomes.ends)[:, outcomes.seat]
        stake = float(np.ptp(self._values.shares(outcomes.ends)[:, outcomes.seat]))
        of_stake, relative = blueprint_error(shown.ruleset)
        assert isinstance(made, Bid | Challenge | Exact)
        probs, values = outcomes.probs, outcomes.values(self._values)
        moves = [
            move for move in compared_moves(decision, explanation.moves) if isinstance(move, Bid | Challenge | Exact)
        ]

        def error_of(best: Action, move: Action) -> float:
            if best == move:
                return 0.0
            by_ends = (probs[best] - probs[move]) ** 2 @ variances
            by_blueprint = (of_stake * stake) ** 2 + (relative * (values[best] - values[move])) ** 2
            return Z_95 * float(np.sqrt(by_ends + by_blueprint))

        best = max(moves, key=values.__getitem__)
        cost, error = values[best] - values[made], error_of(best, made)
        if cost <= error:
            cost, best = 0.0, made
        found: dict[Action, tuple[float, float]] = {move: (values[move], error_of(best, move)) for move in moves}
        places = {decision.seat: outcomes.seat, rival: 1 - outcomes.seat}
        before = np.array([shown.dice[seat] for seat in sorted(places, key=places.__getitem__)])
        losses = [(probs[move] @ (outcomes.dice < before)).round(CHANCE_DIGITS).tolist() for move in moves]
        gains = [(probs[move] @ (outcomes.dice > before)).round(CHANCE_DIGITS).tolist() for move in moves]
        seats = range(len(shown.dice))
        return Assessment(
            decision=decision,
            source=Source.BLUEPRINT,
            cost=cost,
            error=error,
            best=best,
            moves=move_values(found, decision, explanation),
            explanation=explanation,
            p_challenged={
                bid: challenge_prob(outcomes.blueprint, shown, bid, hand_probs) for bid in moves if isinstance(bid, Bid)
            },
            p_loses={
                move: tuple(lost[places[seat]] if seat in places else 0.0 for seat in seats)
                for move, lost in zip(moves, losses, strict=True)
            },
            p_gains={move: gained[outcomes.seat] for move, gained in zip(moves, gains, strict=True)},
        )


def compared_moves(decision: Decision, estimates: Sequence[MoveEstimate]) -> list[PlayerAction | None]:
    """Return the moves that are worth comparing: the one made, a challenge, and those with the highest estimates."""
    highest = highest_quantity(decision.view, decision.round_dice)
    known = (one.move for one in estimates if not isinstance(one.move, Bid) or one.move.quantity <= highest)
    preferred = list(islice(known, MAX_MOVES))
    challenge = [Challenge()] if decision.view.may_challenge and decision.view.on_turn else []
    return list(dict.fromkeys([decision.move, *challenge, *preferred]))
