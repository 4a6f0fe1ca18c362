"""The review of a match: the cost of every decision, and what each player gave away in all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from liarsdice.analysis.fitted_values import fitted_round_end_values
from liarsdice.analysis.luck import WinPoint, match_account
from liarsdice.analysis.review.assess import Assessment, Assessor, needs_engine
from liarsdice.analysis.review.decisions import Decision, decisions_of, require_finished
from liarsdice.analysis.review.parts import PlayerParts, parts_of, turning_points, value_version
from liarsdice.analysis.review.results import Comparison, DecisionReview, PlayerReview, played_deals, player_reviews
from liarsdice.bots.neural.belief import CountBelief
from liarsdice.bots.neural.reasons import reason_for, reason_for_best, rounded_prob, total_probs
from liarsdice.core.actions import MOVES, PlayerAction
from liarsdice.core.bids.notation import notate, notate_dice
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.records.record import Record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.rule_costs import is_learned, require_reviewed
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.narration import DecisionReason
from liarsdice.runtime.public_api import data_frame, new_axes
from liarsdice.values.judgement import DEALS, MIN_DEALS, Source
from liarsdice.values.playouts import highest_quantity
from liarsdice.values.round_ends import RoundEndValues, learned_values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame


def other_moves(decision: Decision) -> tuple[PlayerAction, ...]:
    """Return the legal moves at a decision that the simulator or the engine plays on, whichever knows the rules."""
    if needs_engine(decision):
        return decision.view.moves
    highest = highest_quantity(decision.view, decision.round_dice)
    return tuple(move for move in decision.view.moves if not isinstance(move, Bid) or move.quantity <= highest)


MAX_DEALS = 100_000


class MatchReview(msgspec.Struct, frozen=True):
    """The review of a match: its players by seat, its decisions in order, and the number of deals for each of them.

    `luck`: the parts of each player's result, by seat. `win_line`: the share of the match that each seat wins, after
    each roll and each move. `turning_points`: places in it of the largest changes. `value_version`: the version of the
    values that all three go by, 0 for fitted ones; they know all dice, and say nothing about the costs of decisions.
    """

    names: tuple[str, ...]
    winners: tuple[int, ...]
    rounds: int
    deals: int
    players: tuple[PlayerReview, ...]
    decisions: tuple[DecisionReview, ...]
    luck: tuple[PlayerParts, ...]
    win_line: tuple[WinPoint, ...]
    turning_points: tuple[int, ...]
    value_version: int

    def __repr__(self) -> str:
        players = ", ".join(f"{player.name} gave away {player.cost:.1%}" for player in self.players)
        return f"<MatchReview: {self.rounds} rounds, {len(self.decisions)} decisions, {self.deals} deals; {players}>"

    def to_dataframe(self) -> DataFrame:
        """Return a row for each decision. Moves are notation, and costs shares of the match (0..1).

        Raises `UnavailableError` without pandas.
        """
        rows = [
            {
                "number": one.number,
                "round": one.round_number,
                "seat": one.seat,
                "name": self.names[one.seat],
                "hand": notate_dice(one.hand),
                "bid": _notated(one.bid),
                "move": _notated(one.move),
                "best": _notated(one.best),
                "cost": one.cost,
                "error": one.error,
                "source": str(one.source),
            }
            for one in self.decisions
        ]
        return data_frame(rows, "number")

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw the share of the match that each player wins, move by move, and return the axes.

        Raises `UnavailableError` without matplotlib.
        """
        axes = new_axes(8, 4) if axes is None else axes
        for seat, name in enumerate(self.names):
            axes.step(range(len(self.win_line)), [point.shares[seat] for point in self.win_line], label=name)
        axes.set(ylim=(0, 1), xlabel="roll or move", ylabel="share of the match")
        axes.legend()
        return axes


def _notated(move: PlayerAction | None) -> str:
    return "" if move is None else notate(move)


class Reviewer:
    """Reviews the decisions of one finished match, in any order; `decision_count` is how many there are.

    The same record, `deals` (30 to 100,000 for each decision) and `seed` give the same costs, in whatever order they
    are computed. Raises `MalformedError` for another number of deals, `UnfinishedError` for a match that is not over,
    and `UnavailableError` for rules that are not reviewed.
    """

    def __init__(self, record: Record, *, deals: int = DEALS, seed: int = 0) -> None:
        if not MIN_DEALS <= deals <= MAX_DEALS:
            raise MalformedError(
                f"a review plays out {MIN_DEALS} to {MAX_DEALS:,} deals for each decision, not {deals}"
            )
        require_finished(record)
        require_reviewed(record.state.ruleset)
        self._decisions = tuple(decisions_of(record.events))
        self._values = end_values(record.state.ruleset, len(record.state.names))
        self._seed = seed
        self._assessor = Assessor(self._values, played_deals(record.state.ruleset, deals), seed)
        self.decision_count = len(self._decisions)

    def decision(self, number: int) -> Decision:
        """Return a decision by its number, from 0."""
        return self._decisions[number]

    def review(self, number: int) -> DecisionReview:
        """Return the review of a decision by its number, from 0."""
        return _decision_review(self._assessor.assess(self._decisions[number]))

    def what_if(self, number: int, other: PlayerAction | None, deals: int) -> Comparison:
        """Return how much better another move is than that of a decision; None lets the bid stand.

        `deals`: as for the review, which says the same of both moves if it has as many.

        Raises `MalformedError` for a decision that does not exist, `IllegalActionError` for a move that was not
        possible.
        """
        if not 0 <= number < self.decision_count:
            raise MalformedError(f"the match has decisions 0 to {self.decision_count - 1}, not {number}")
        decision = self._decisions[number]
        if not decision.view.allows(other):
            raise IllegalActionError("that move was not possible there, or cannot be played on")
        deals = played_deals(decision.view.ruleset, deals)
        assessment = Assessor(self._values, deals, self._seed).compare(decision, other)
        judgement = assessment.judgement
        made, rival = judgement.moves.index(decision.move), judgement.moves.index(other)
        difference, error = judgement.behind(made, rival)
        reason = None
        if abs(difference) > error:
            worse, better = (decision.move, other) if difference > 0 else (other, decision.move)
            reason = reason_for(decision.view, worse, better, assessment.beliefs, assessment.count_beliefs, judgement)
        return Comparison(
            source=judgement.source,
            deals=0 if judgement.source.is_exact else deals,
            made=float(judgement.values[made]),
            other=float(judgement.values[rival]),
            difference=difference,
            error=error,
            reason=reason,
        )


def end_values(rules: Ruleset, seats: int) -> RoundEndValues:
    """Return the values of round ends in a review: learned ones, or fitted ones where there are none."""
    return learned_values(rules, seats) if is_learned(rules) else fitted_round_end_values(rules, seats)


def review_decisions(record: Record, *, deals: int = DEALS, seed: int = 0) -> Iterator[DecisionReview]:
    """Yield the decisions of a finished match with their costs, as they are computed. Raises as `Reviewer`."""
    reviewer = Reviewer(record, deals=deals, seed=seed)
    return map(reviewer.review, range(reviewer.decision_count))


def review_match(record: Record, *, deals: int = DEALS, seed: int = 0) -> MatchReview:
    """Return the review of a finished match: what each decision cost, and how much was luck. Raises as `Reviewer`.

    The same record, `deals` (30 to 100,000 for each decision) and `seed` give the same review.
    """
    return summarize_review(record, tuple(review_decisions(record, deals=deals, seed=seed)), deals)


def _decision_review(assessment: Assessment) -> DecisionReview:
    decision, judgement = assessment.decision, assessment.judgement
    shown = decision.view
    compared = {decision.move, *(value.move for value in assessment.moves)}
    others = [move for move in other_moves(decision) if move not in compared]
    totals: tuple[float, ...] = ()
    other: PlayerAction | None = decision.move
    reason: DecisionReason | None = None
    if judgement.source is not Source.FORCED:
        totals = total_probs(shown, assessment.beliefs, shown.bid) if shown.bid is not None else ()
        known = (assessment.beliefs, assessment.count_beliefs, judgement)
        rivals = [judgement.moves.index(value.move) for value in assessment.moves if value.move != assessment.best]
        if assessment.best == decision.move and rivals:
            place, _, reason = reason_for_best(shown, judgement.moves.index(decision.move), rivals, *known)
            other = judgement.moves[place]
        else:
            reason = reason_for(shown, decision.move, assessment.best, *known)
    return DecisionReview(
        number=decision.number,
        round_number=shown.round_number,
        seat=decision.seat,
        hand=shown.hand,
        bid=shown.bid,
        bidder=shown.bidder,
        on_turn=shown.on_turn,
        move=decision.move,
        source=judgement.source,
        cost=assessment.cost,
        error=assessment.error,
        best=assessment.best,
        moves=assessment.moves,
        counts=tuple(map(_rounded, assessment.count_beliefs)),
        totals=_rounded_probs(totals),
        reason=reason,
        compared=next((place for place, value in enumerate(assessment.moves) if value.move == other), None),
        other_bids=tuple((move.quantity, move.face) for move in others if isinstance(move, Bid) and not move.pure),
        other_moves=tuple(
            move for move in others if isinstance(move, MOVES) and (move.pure if isinstance(move, Bid) else True)
        ),
    )


def _rounded(belief: CountBelief) -> CountBelief:
    return CountBelief(belief.seat, _rounded_probs(belief.prior), _rounded_probs(belief.posterior))


def _rounded_probs(probs: Sequence[float]) -> tuple[float, ...]:
    return tuple(map(rounded_prob, probs))


def summarize_review(record: Record, decisions: Sequence[DecisionReview], deals: int) -> MatchReview:
    """Return the review of a match from its decisions, all of which were reviewed with this number of deals.

    Raises `UnfinishedError` if the match is not over.
    """
    state = record.state
    account = match_account(record.events)
    return MatchReview(
        names=record.result_names,
        winners=state.winners,
        rounds=state.round_number,
        deals=played_deals(state.ruleset, deals),
        players=player_reviews(record.result_names, decisions),
        decisions=tuple(decisions),
        luck=parts_of(account),
        win_line=account.win_line,
        turning_points=turning_points(account.win_line),
        value_version=value_version(state.ruleset),
    )
