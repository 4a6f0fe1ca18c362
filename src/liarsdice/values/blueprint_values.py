"""What moves lead to in a round with a blueprint if both players follow it: exact, nothing is drawn."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.blueprint.recall_graph import FloatArray, Path, child_path
from liarsdice.solve.round_game import Outcome
from liarsdice.solve.strategy.action_values import Action
from liarsdice.values.blueprints import RoundBlueprint, blueprint_of_view, is_leaning, packaged_blueprints
from liarsdice.values.endgames import endgame_challenge_probs, endgame_values
from liarsdice.values.judgement import CHANCE_DIGITS, Z_95, Judgement, Source
from liarsdice.values.round_ends import RoundEnd, RoundEndValues

NODES_KEPT = 20_000
"""The plays after so many bid sequences are kept: of all decisions of a match, and up to 10 KB for each of them."""


class BlueprintPlayouts:
    """What is won with one hand if both players follow a blueprint from some bids on, against each hand of the other.

    `seat`: the player with the hand, 0 if it opened the round. `values`: what each outcome of `RoundGame.outcomes` is
    worth, float64 [outcome, measure], in as many measures as are asked for at once; the identity matrix gives the
    probability of each outcome. What was computed is kept.
    """

    def __init__(self, blueprint: RoundBlueprint, seat: int, hand: Hand, values: FloatArray) -> None:
        self._blueprint = blueprint
        self._seat = seat
        self._hand = blueprint.hands[seat].index(tuple(sorted(hand)))
        self._outcome_values = values
        self._values: dict[Path, FloatArray] = {}

    def after(self, bids: Sequence[Bid]) -> FloatArray:
        """Return the values after these bids of the round, float64 [measure, hand of the other].

        Raises `KeyError` if a bid is illegal.
        """
        return self._value(self._blueprint.layout.path_of(tuple(bids)))

    def move_values(self, bids: Sequence[Bid], other_probs: FloatArray) -> dict[Action, FloatArray]:
        """Return the values of each move of the player with the hand after these bids, float64 [measure].

        `other_probs`: the probability of each hand of the other, float64 [hand], sum 1.
        """
        layout = self._blueprint.layout
        path = layout.path_of(tuple(bids))
        situation = layout.situations[path[-1]]
        values: dict[Action, FloatArray] = {
            (Exact() if is_exact else Challenge()): self._call_value(path[-1], call, is_own=True) @ other_probs
            for call, is_exact in enumerate(situation.calls)
        }
        for after in situation.raises:
            bid = layout.situations[after].bid
            assert bid is not None  # a raise leads to a situation with a standing bid
            values[bid] = self._value(child_path(path, after, layout.recall)) @ other_probs
        return values

    def _call_value(self, index: int, call: int, *, is_own: bool) -> FloatArray:
        """Return the values of a call in a situation, float64 [measure, hand of the other].

        `call`: its place among the calls of the situation. `is_own`: whether the player with the hand makes it.
        """
        situation = self._blueprint.game.situations[index]
        own, others = situation.hand_buckets[self._seat][self._hand], situation.hand_buckets[1 - self._seat]
        outcomes = situation.calls[call].outcomes[(own, others) if is_own else (others, own)]
        values: FloatArray = self._outcome_values[outcomes].T
        return values

    def _value(self, path: Path) -> FloatArray:
        if path in self._values:
            return self._values[path]
        layout, index = self._blueprint.layout, path[-1]
        situation = layout.situations[index]
        is_own = situation.mover == self._seat
        calls = len(situation.calls)
        total = np.zeros((self._outcome_values.shape[1], layout.hand_counts[1 - self._seat]))
        for action, share in self._own_plays(path) if is_own else _plays_after(self._blueprint, path):
            if action >= calls:
                after = situation.raises[situation.menu[action - calls]]
                value = self._value(child_path(path, after, layout.recall))
            else:
                value = self._call_value(index, action, is_own=is_own)
            total += share * value
        self._values[path] = total
        return total

    def _own_plays(self, path: Path) -> list[tuple[int, float]]:
        """Return the actions that the hand takes after the bids of a path, each with its probability."""
        probs = self._blueprint.hand_probs_after(path, self._hand)
        return [(action, float(probs[action])) for action in np.flatnonzero(probs).tolist()]


@lru_cache(NODES_KEPT)
def _plays_after(blueprint: RoundBlueprint, path: Path) -> tuple[tuple[int, FloatArray], ...]:
    """Return the actions that any hand takes after the bids of a path, each with its probability by hand."""
    probs = blueprint.named_probs(blueprint.weights_after(path), path[-1])
    return tuple((action, probs[action].copy()) for action in np.flatnonzero(probs.any(axis=1)).tolist())


class BlueprintError(NamedTuple):
    """The standard error of how much less a move wins than the best one by a blueprint, beside the solved round.

    `stake`: as a share of what is at stake in the round. `relative`: as a share of the difference itself, but no
    more than `most` of what is at stake. They add up as squares. Measured in rounds that are solved
    (`python -m benchmarks.blueprint_values`).
    """

    stake: float
    relative: float
    most: float

    def variance(self, leads: FloatArray, at_stake: float) -> FloatArray:
        """Return the variance of differences in the chance to win the match, float64 [move] or [move, move] as `leads`.

        `at_stake`: what is at stake in the round, as a share of the match.
        """
        of_leads: FloatArray = np.minimum(np.abs(self.relative * leads), self.most * at_stake)
        return (self.stake * at_stake) ** 2 + of_leads**2


BALANCED_ERROR, LEANING_ERROR = BlueprintError(0.015, 0.4, 0.09), BlueprintError(0.025, 0.6, 0.11)
"""The error of balanced blueprints, and of those that expect opponents who make mistakes."""


def blueprint_error(rules: Ruleset) -> BlueprintError:
    """Return the error of the blueprints of the package for rounds under these rules."""
    return LEANING_ERROR if is_leaning(rules) else BALANCED_ERROR


ROUNDS_KEPT = 8
"""The playouts of how many rounds and hands are kept: both players of a round decide in turn."""


class MoveOutcomes(NamedTuple):
    """What the moves of a player lead to in a round of two players, if both follow its blueprint.

    `ends`: how the round may end. They have two seats, the player who opened the round first, the other one second.
    `dice`: int64 [end, seat], those left after each end, also of a match that is over. `seat`: that of the player among
    these two. `probs`: by move the probability of each end, float64 [end].
    """

    blueprint: RoundBlueprint
    seat: int
    ends: list[RoundEnd]
    dice: NDArray[np.int64]
    probs: dict[Action, FloatArray]

    def judgement(self, shown: View, end_values: RoundEndValues, hand_probs: Mapping[Hand, float]) -> Judgement:
        """Return what each move is worth if both players follow the blueprint after it.

        Errors count how uncertain the values of round ends are, and how far blueprints are from solutions. `shown`,
        `hand_probs`: as in `move_outcomes`.
        """
        moves, probs = tuple(self.probs), np.array([*self.probs.values()])
        shares, variances = end_values.shares(self.ends)[:, self.seat], end_values.variances(self.ends)[:, self.seat]
        error, at_stake, values = blueprint_error(shown.ruleset), float(np.ptp(shares)), probs @ shares
        leads = values[:, np.newaxis] - values
        pairs = (probs[:, np.newaxis] - probs) ** 2 @ variances + error.variance(leads, at_stake)
        np.fill_diagonal(pairs, 0.0)
        assert shown.seat is not None
        alive = [seat for seat, held in enumerate(shown.dice) if held]
        places = {seat: self.seat if seat == shown.seat else 1 - self.seat for seat in alive}
        before = np.array([shown.dice[seat] for seat in sorted(places, key=places.__getitem__)])
        losses = (probs @ (self.dice < before)).round(CHANCE_DIGITS).tolist()
        gains = (probs @ (self.dice > before)).round(CHANCE_DIGITS)[:, self.seat].tolist()
        seats = range(len(shown.dice))
        return Judgement(
            source=Source.BLUEPRINT,
            moves=moves,
            values=values,
            errors=Z_95 * np.sqrt(probs**2 @ variances + error.variance(np.zeros(len(values)), at_stake)),
            margins=Z_95 * np.sqrt(pairs),
            best=int(values.argmax()),
            p_challenged={
                bid: challenge_prob(self.blueprint, shown, bid, hand_probs) for bid in moves if isinstance(bid, Bid)
            },
            p_loses={
                move: tuple(lost[places[seat]] if seat in places else 0.0 for seat in seats)
                for move, lost in zip(moves, losses, strict=True)
            },
            p_gains=dict(zip(moves, gains, strict=True)),
        )


def move_outcomes(blueprint: RoundBlueprint, shown: View, hand_probs: Mapping[Hand, float]) -> MoveOutcomes:
    """Return what each legal move leads to if both players follow a blueprint after it. Nothing is drawn.

    `shown`: the view of the player on turn in the round of the blueprint. `hand_probs`: the probability of each hand of
    the opponent.
    """
    bids = [bid for _, bid in shown.bids]
    seat = len(bids) % 2
    outcomes = blueprint.game.outcomes
    return MoveOutcomes(
        blueprint=blueprint,
        seat=seat,
        ends=[_round_end(outcome) for outcome in outcomes],
        dice=np.array([outcome.dice for outcome in outcomes]),
        probs=_playouts(blueprint, seat, shown.hand).move_values(bids, _probs(blueprint, 1 - seat, hand_probs)),
    )


def solved_judgement(shown: View, hand_probs: Sequence[Mapping[Hand, float]]) -> Judgement | None:
    """Return what the moves of the player on turn are worth in a solved round, or None. As in `exact_judgement`."""
    is_known = len(hand_probs) == 1 and not shown.may_set_direction
    solved = endgame_values(shown, hand_probs[0]) if is_known else None
    if solved is None:
        return None
    values, none = np.array([*solved.values()]), np.zeros((len(solved), len(solved)))
    return Judgement(
        source=Source.SOLVED,
        moves=tuple(solved),
        values=values,
        errors=none[0],
        margins=none,
        best=int(values.argmax()),
        p_challenged=endgame_challenge_probs(shown, hand_probs[0]),
    )


def exact_judgement(
    shown: View, hand_probs: Sequence[Mapping[Hand, float]], end_values: RoundEndValues
) -> Judgement | None:
    """Return what the moves of a view are worth where nothing has to be played out, or None.

    That is so for the player on turn with one opponent, in a solved round or else in one with a blueprint of the
    package, unless the direction of play may be chosen, which they do not know. `hand_probs`: the probability of each
    hand, for each opponent.
    """
    if not shown.on_turn or shown.may_set_direction or len(hand_probs) != 1:
        return None
    if (solved := solved_judgement(shown, hand_probs)) is not None:
        return solved
    blueprint = blueprint_of_view(packaged_blueprints(), shown)
    if blueprint is None:
        return None
    return move_outcomes(blueprint, shown, hand_probs[0]).judgement(shown, end_values, hand_probs[0])


def challenge_prob(blueprint: RoundBlueprint, shown: View, bid: Bid, hand_probs: Mapping[Hand, float]) -> float:
    """Return how likely the opponent challenges a bid of the player on turn. The others are as in `move_outcomes`."""
    bids = [bid for _, bid in shown.bids] + [bid]
    actions, probs = blueprint.decision(bids)
    return float(probs[actions.index(Challenge())] @ _probs(blueprint, len(bids) % 2, hand_probs))


def _probs(blueprint: RoundBlueprint, seat: int, hand_probs: Mapping[Hand, float]) -> FloatArray:
    """Return the probability of each hand of a seat of the round, float64 [hand], sum 1."""
    weights = np.array([hand_probs.get(hand, 0.0) for hand in blueprint.hands[seat]])
    probs: FloatArray = weights / weights.sum()
    return probs


@lru_cache(ROUNDS_KEPT)
def _playouts(blueprint: RoundBlueprint, seat: int, hand: Hand) -> BlueprintPlayouts:
    """Return playouts that tell the probability of each outcome. Later decisions of a round use what they computed."""
    return BlueprintPlayouts(blueprint, seat, hand, np.eye(len(blueprint.game.outcomes)))


def _round_end(outcome: Outcome) -> RoundEnd:
    start, winners = outcome.next_start, outcome.winners
    if start is None:
        return RoundEnd((0, 0), -1, -1, 1, (0, 0), (False, False), 0, (0 in winners, 1 in winners))
    special = -1 if start.special is None else start.special
    had_special = (0 in start.had_special, 1 in start.had_special)
    return RoundEnd(outcome.dice, start.starter, special, 1, start.exact_calls, had_special, 0, None)
