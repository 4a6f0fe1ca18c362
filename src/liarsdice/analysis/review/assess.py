"""What a decision cost: the value of the best move less that of the move made, from what the player could know.

Where the rest of the match is solved, values are exact. In rounds of two players with a blueprint, what follows is
exact if both play on by it. Elsewhere the other hands are drawn from the champion's beliefs (Bayes' rule with its
network as the likelihood), and the champion's network plays the round on after each move. The best move is found with
one part of the deals and its advantage measured with the others, so that the choice of the best of several estimates
does not make costs look larger than they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

import msgspec
import numpy as np

from liarsdice.analysis.review.decisions import Decision
from liarsdice.analysis.review.playouts import Playouts, highest_quantity, is_playable, play_rounds_out
from liarsdice.analysis.review.reasons import total_probs
from liarsdice.analysis.review.results import Z_95, MoveValue, Source
from liarsdice.bots.blueprints import RoundBlueprint, blueprint_of_view, packaged_blueprints
from liarsdice.bots.endgames import endgame_policy, endgame_values
from liarsdice.bots.neural.blueprint_values import challenge_prob, move_outcomes
from liarsdice.bots.neural.champion import LATEST_MODEL, champion_network
from liarsdice.bots.neural.explain import Explanation, MoveEstimate, explain
from liarsdice.bots.neural.playouts import sample_hands
from liarsdice.bots.round_end import EndValues
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.strategy.action_values import Action

MAX_MOVES = 5
"""How many moves are compared, those that the value network prefers, beside the move made and a challenge."""
MIN_P_RIGHT = 0.25
"""Calls out of turn that are right with a lower probability are not compared with silence."""
MIXED_PROB = 0.01
"""A move that a solved strategy makes with this probability or more costs nothing."""
BLUEPRINT_ERROR, RELATIVE_ERROR = 0.015, 0.3
"""The standard error of how much less a move wins than the best one by a blueprint, beside the solution of the round.

The first is a share of what is at stake in the round, the second one of the difference itself; they add up as squares.
Measured in rounds that are solved (`python -m benchmarks.blueprint_values`).
"""
CHANCE_DIGITS = 2
CHOOSING_SHARE = 1 / 3
"""The share of the deals with which the best move is found."""


class Assessment(msgspec.Struct, frozen=True):
    """What a decision cost.

    `cost`: the share of the match (0..1) that the move made gave away, 0 if its 95% interval holds 0. `error`: half the
    width of that interval. `best`: the best move, the move made if it costs nothing. `moves`: the moves that were
    compared, the most valuable first. `explanation`: what the champion makes of the view, None if it was not asked.
    `p_challenged`: how likely it was that a bid that was compared was challenged, as the champion plays. `p_loses`: how
    likely each seat was to lose dice in the round after each move, by seat, with two digits. `p_gains`: how likely the
    player was to gain some. All three are empty in solved rounds and where nothing was compared.
    """

    decision: Decision
    source: Source
    cost: float
    error: float
    best: PlayerAction | None
    moves: tuple[MoveValue, ...]
    explanation: Explanation | None = None
    p_challenged: dict[Bid, float] = {}
    p_loses: dict[PlayerAction | None, tuple[float, ...]] = {}
    p_gains: dict[PlayerAction | None, float] = {}


class Assessor:
    """Assesses the decisions of a match. `deals`: for each decision, at least 6; `seed`: of their random numbers."""

    def __init__(self, values: EndValues, deals: int, seed: int = 0) -> None:
        self._values = values
        self._deals = deals
        self._seed = seed
        self._network = champion_network(LATEST_MODEL)

    def assess(self, decision: Decision) -> Assessment:
        """Return what a decision cost. Raises `UnavailableError` if the dice have too many faces for the network."""
        shown = decision.view
        if shown.on_turn and len(shown.moves) == 1 and not shown.unlimited:
            return Assessment(decision, Source.FORCED, 0.0, 0.0, decision.move, ())
        if not is_playable(decision):
            return Assessment(decision, Source.NONE, 0.0, 0.0, decision.move, ())
        explanation = explain(shown, signals=False, end_values=self._values)
        hand_probs = {seat: dict(zip(b.hands, b.probs, strict=True)) for seat, b in explanation.beliefs.items()}
        if shown.on_turn and len(hand_probs) == 1:
            values = endgame_values(shown, next(iter(hand_probs.values())))
            if values is not None:
                return _solved_assessment(decision, values, explanation)
            blueprint = blueprint_of_view(packaged_blueprints(), shown)
            if blueprint is not None:
                return self._blueprint_assessment(decision, blueprint, explanation)
        if not shown.on_turn and decision.move is None:
            calls = [estimate for estimate in explanation.moves if estimate.move is not None]
            if all((call.p_right_given_bids or 0) < MIN_P_RIGHT for call in calls):
                return Assessment(decision, Source.BELIEFS, 0.0, 0.0, None, (), explanation)
        moves = compared_moves(decision, explanation.moves)
        rng = np.random.default_rng((self._seed, decision.number))
        hands = sample_hands(decision.view, explanation.beliefs, self._deals, rng)
        playouts = play_rounds_out(decision, moves, hands, self._network, rng)
        return self._played_assessment(decision, moves, playouts, explanation)

    def _played_assessment(
        self,
        decision: Decision,
        moves: Sequence[PlayerAction | None],
        playouts: Playouts,
        explanation: Explanation,
    ) -> Assessment:
        choosing = round(self._deals * CHOOSING_SHARE)
        first, rest = playouts.of_deals(slice(choosing)), playouts.of_deals(slice(choosing, None))
        best, made = int(first.mean(self._values, decision.seat).argmax()), moves.index(decision.move)
        cost, error = self._difference(rest, decision.seat, best, made)
        if cost <= error:
            cost, best = 0.0, made
        errors = [self._difference(rest, decision.seat, best, move)[1] for move in range(len(moves))]
        values = rest.mean(self._values, decision.seat).tolist()
        compared = dict(zip(moves, zip(values, errors, strict=True), strict=True))
        found = _move_values(compared, decision, explanation)
        challenged = rest.challenged.mean(axis=1).tolist()
        p_challenged = {move: p for move, p in zip(moves, challenged, strict=True) if isinstance(move, Bid)}
        loses = [rest.p_loses(*seat_dice).round(CHANCE_DIGITS).tolist() for seat_dice in enumerate(decision.view.dice)]
        gains = rest.p_gains(decision.seat, decision.view.dice[decision.seat]).round(CHANCE_DIGITS).tolist()
        return Assessment(
            decision=decision,
            source=Source.PLAYOUTS,
            cost=cost,
            error=error,
            best=moves[best],
            moves=found,
            explanation=explanation,
            p_challenged=p_challenged,
            p_loses=dict(zip(moves, zip(*loses, strict=True), strict=True)),
            p_gains=dict(zip(moves, gains, strict=True)),
        )

    def _blueprint_assessment(
        self, decision: Decision, blueprint: RoundBlueprint, explanation: Explanation
    ) -> Assessment:
        """Return the cost if both players follow a blueprint after the move, with an interval.

        It counts how uncertain the values of round ends are, and how far blueprints are from solutions.
        """
        shown, made = decision.view, decision.move
        ((rival, belief),) = explanation.beliefs.items()
        hand_probs = dict(zip(belief.hands, belief.probs, strict=True))
        outcomes = move_outcomes(blueprint, shown, hand_probs)
        variances = self._values.variances(outcomes.ends)[:, outcomes.seat]
        stake = float(np.ptp(self._values.shares(outcomes.ends)[:, outcomes.seat]))
        assert isinstance(made, Bid | Challenge | Exact)
        probs, values = outcomes.probs, outcomes.values(self._values)
        moves = [
            move for move in compared_moves(decision, explanation.moves) if isinstance(move, Bid | Challenge | Exact)
        ]

        def error_of(best: Action, move: Action) -> float:
            if best == move:
                return 0.0
            by_ends = (probs[best] - probs[move]) ** 2 @ variances
            by_blueprint = (BLUEPRINT_ERROR * stake) ** 2 + (RELATIVE_ERROR * (values[best] - values[move])) ** 2
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
            moves=_move_values(found, decision, explanation),
            explanation=explanation,
            p_challenged={
                bid: challenge_prob(blueprint, shown, bid, hand_probs) for bid in moves if isinstance(bid, Bid)
            },
            p_loses={
                move: tuple(lost[places[seat]] if seat in places else 0.0 for seat in seats)
                for move, lost in zip(moves, losses, strict=True)
            },
            p_gains={move: gained[outcomes.seat] for move, gained in zip(moves, gains, strict=True)},
        )

    def _difference(self, playouts: Playouts, seat: int, best: int, move: int) -> tuple[float, float]:
        """Return how much less a move is worth than the best one, and half of the 95% interval of that."""
        if best == move:
            return 0.0, 0.0
        difference, standard_error = playouts.difference(self._values, seat, best, move)
        return difference, Z_95 * standard_error


def compared_moves(decision: Decision, estimates: Sequence[MoveEstimate]) -> list[PlayerAction | None]:
    """Return the moves that are worth comparing: the one made, a challenge, and those with the highest estimates."""
    highest = highest_quantity(decision)
    known = (one.move for one in estimates if not isinstance(one.move, Bid) or one.move.quantity <= highest)
    preferred = list(islice(known, MAX_MOVES))
    challenge = [Challenge()] if decision.view.may_challenge and decision.view.on_turn else []
    return list(dict.fromkeys([decision.move, *challenge, *preferred]))


def _solved_assessment(decision: Decision, values: Mapping[Action, float], explanation: Explanation) -> Assessment:
    """Return the cost by the exact values; what the solved strategy mixes costs nothing."""
    best = max(values, key=lambda move: values[move])
    made = decision.move
    assert isinstance(made, Bid | Challenge | Exact)
    policy = endgame_policy(decision.view) or {}
    cost = 0.0 if policy.get(made, 0.0) >= MIXED_PROB else max(values[best] - values[made], 0.0)
    found = _move_values({move: (value, 0.0) for move, value in values.items()}, decision, explanation)
    return Assessment(decision, Source.SOLVED, cost, 0.0, best if cost else made, found, explanation)


def _move_values(
    values: Mapping[PlayerAction | None, tuple[float, float]] | Mapping[Action, tuple[float, float]],
    decision: Decision,
    explanation: Explanation,
) -> tuple[MoveValue, ...]:
    """Return the moves with their values and errors, the most valuable first."""
    p_right = {estimate.move: estimate.p_right_given_bids for estimate in explanation.moves}
    for move in values:
        if isinstance(move, Bid) and p_right.get(move) is None:
            p_right[move] = sum(total_probs(decision.view, explanation.beliefs, move)[move.quantity :])
    ordered = sorted(values.items(), key=lambda item: -item[1][0])
    return tuple(MoveValue(move, value, error, p_right.get(move)) for move, (value, error) in ordered)
