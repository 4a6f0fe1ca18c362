"""Habits of a player over many matches: how often they do something, how often the champion does, and what it costs.

Every decision of a review belongs to one kind, and to a second one in a special round. Nothing is claimed of a kind
with fewer than `MIN_DECISIONS` decisions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import ceil, sqrt

import msgspec
import numpy as np

from liarsdice.analysis.luck import Skill, estimate_skill
from liarsdice.analysis.ratings import Z_95, wilson_interval
from liarsdice.analysis.review.decisions import Decision, decisions_of
from liarsdice.analysis.review.report import review_decisions
from liarsdice.analysis.review.results import DEALS, DecisionReview
from liarsdice.bots.neural.champion import Champion, champion_network, own_networks
from liarsdice.bots.neural.playouts import Situation, hand_moves
from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.records.record import Record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Choice

MIN_DECISIONS = 200
"""No claim is made of a kind with fewer decisions."""
BANDS = (0.2, 0.4, 0.6, 0.8)
"""The probabilities that a bid is true, going by the bids, between the bands of challenges."""
MANY_DICE = 5
"""Hands of so many dice or more are one kind."""


class HabitKind(Choice):
    """What a decision was about.

    `CHALLENGE`: a challenge or a bid, after a bid. `BLUFF`: which bid, after a bid. `OPENING`: which bid opens a round.
    `EXACT`: an exact call or something else. `SILENCE`: a call out of turn or none. `SPECIAL`: any decision of a
    special round.
    """

    CHALLENGE = "challenge"
    BLUFF = "bluff"
    OPENING = "opening"
    EXACT = "exact"
    SILENCE = "silence"
    SPECIAL = "special"


class HabitVerdict(Choice):
    """What may be said of a habit: nothing yet, that its cost cannot be told from 0, or that it costs something."""

    NOT_YET = "not_yet"
    CANNOT_TELL = "cannot_tell"
    COSTS = "costs"


class Observation(msgspec.Struct, frozen=True):
    """A decision of a kind.

    `band`: of `CHALLENGE` the band of probability (0 the lowest), of `BLUFF` the number of dice, else 0. `did`: whether
    the player challenged, bluffed or called, or how many dice their opening bid named for each die on the table.
    `usual`: the champion's probability of that, or the mean of its bids. `cost`: a share of the match.
    """

    match: int
    kind: HabitKind
    band: int
    did: float
    usual: float
    cost: float


class Habit(msgspec.Struct, frozen=True):
    """A habit in one kind and band.

    `share` is how often the player did it (0..1) with its 95% interval, and `usual` how often the champion does it in
    the same situations; of `OPENING` both are the number of dice that the bid names for each die on the table. `cost`
    is the share of a match that the decisions gave away in each match, with `error` as half of its 95% interval.
    `more_matches`: about how many more matches it takes to reach `MIN_DECISIONS`.
    """

    kind: HabitKind
    band: int
    decisions: int
    share: float
    share_95: tuple[float, float]
    usual: float
    cost: float
    error: float
    verdict: HabitVerdict
    more_matches: int


class HabitReport(msgspec.Struct, frozen=True):
    """The habits of a player, those that cost most first, what all decisions gave away in each match, and the skill."""

    matches: int
    decisions: int
    cost: float
    error: float
    skill: Skill
    habits: tuple[Habit, ...]


def report_habits(
    gains: Sequence[float], costs: Sequence[tuple[int, float]], observations: Iterable[Observation]
) -> HabitReport:
    """Return the habits and the skill of a player over matches.

    `gains`: of each match, what the player won beyond an even share, without luck (see `gain_without_luck`).
    `costs`: the number of the match, from 0, and the cost of every decision. Costs of a match depend on each other, so
    the intervals of costs are those of the mean over matches.
    """
    matches = len(gains)
    kinds: dict[tuple[HabitKind, int], list[Observation]] = {}
    for observation in observations:
        kinds.setdefault((observation.kind, observation.band), []).append(observation)
    habits = [_habit(kind, band, seen, matches) for (kind, band), seen in kinds.items()]
    cost, error = _per_match(costs, matches)
    verdicts, order = list(HabitVerdict), list(HabitKind)
    habits.sort(key=lambda habit: (-verdicts.index(habit.verdict), -habit.cost, order.index(habit.kind), habit.band))
    return HabitReport(matches, len(costs), cost, error, estimate_skill(gains), tuple(habits))


def _habit(kind: HabitKind, band: int, seen: Sequence[Observation], matches: int) -> Habit:
    count = len(seen)
    cost, error = _per_match([(one.match, one.cost) for one in seen], matches)
    did = np.array([one.did for one in seen])
    share = float(did.mean())
    if kind is HabitKind.OPENING:
        half_width = Z_95 * float(did.std(ddof=1)) / sqrt(count) if count > 1 else share
        share_95 = share - half_width, share + half_width
    else:
        share_95 = wilson_interval(float(did.sum()), count)
    verdict = HabitVerdict.COSTS if cost > error else HabitVerdict.CANNOT_TELL
    if count < MIN_DECISIONS:
        verdict = HabitVerdict.NOT_YET
    more = max(ceil((MIN_DECISIONS - count) * matches / count), 0)
    usual = float(np.mean([one.usual for one in seen]))
    return Habit(kind, band, count, share, share_95, usual, cost, error, verdict, more)


def _per_match(costs: Iterable[tuple[int, float]], matches: int) -> tuple[float, float]:
    """Return the mean cost of a match, and half of its 95% interval; all of the cost for a single match."""
    sums = np.zeros(matches)
    for match, cost in costs:
        sums[match] += cost
    mean = float(sums.mean())
    return mean, Z_95 * float(sums.std(ddof=1)) / sqrt(matches) if matches > 1 else mean


BLUFF_P_TRUE = 0.5
"""A bid that is true with a lower probability, by the bidder's own dice alone, is a bluff."""


def observe_match(
    record: Record, seat: int, match: int, *, deals: int = DEALS
) -> Iterator[tuple[float, list[Observation]]]:
    """Yield the cost of each decision of a seat in a finished match, and what it shows of habits.

    `match`: the number of the match among all. Raises as `review_decisions`.
    """
    reviews = review_decisions(record, deals=deals)
    for decision, review in zip(decisions_of(record.events), reviews, strict=True):
        if decision.seat == seat:
            yield review.cost, list(observe_decision(decision, review, match))


def observe_decision(decision: Decision, review: DecisionReview, match: int) -> Iterator[Observation]:
    """Yield what a decision and its review show: nothing if it was forced or not assessed.

    `match`: the number of the match among all.
    """
    shown, made, best = decision.view, decision.move, review.best
    if not review.moves and shown.on_turn:  # forced, or not assessed
        return
    if shown.special_seat is not None:
        yield Observation(match, HabitKind.SPECIAL, 0, 1.0, 1.0, review.cost)
    if not shown.on_turn:
        yield Observation(match, HabitKind.SILENCE, 0, float(made is not None), 0.0, review.cost)
        return
    (moves,) = hand_moves(_champion(), [Situation(shown, [shown.hand])])
    probs = moves.all_probs(shown.hand)
    about_exact = isinstance(made, Exact) or isinstance(best, Exact)
    if shown.may_call_exact:
        cost = review.cost if about_exact else 0.0
        yield Observation(match, HabitKind.EXACT, 0, float(isinstance(made, Exact)), probs.get(Exact(), 0.0), cost)
    if shown.bid is None:
        if isinstance(made, Bid):
            yield _opening(shown, made, probs, match, review.cost)
        return
    p_right = next((move.p_right for move in review.moves if isinstance(move.move, Challenge)), None)
    about_challenge = isinstance(made, Challenge) or isinstance(best, Challenge)
    if shown.may_challenge and p_right is not None:
        band = sum(1 - p_right >= limit for limit in BANDS)
        cost = review.cost if about_challenge and not about_exact else 0.0
        did, usual = float(isinstance(made, Challenge)), _challenge_prob(probs)
        yield Observation(match, HabitKind.CHALLENGE, band, did, usual, cost)
    if isinstance(made, Bid) and shown.hand:
        odds = BidOdds(shown)
        cost = 0.0 if about_challenge or about_exact else review.cost
        usual = _usual_bluffs(odds, probs)
        did = float(odds.p_bid(made) < BLUFF_P_TRUE)
        yield Observation(match, HabitKind.BLUFF, min(len(shown.hand), MANY_DICE), did, usual, cost)


def _opening(
    shown: View, made: Bid, probs: Mapping[PlayerAction | None, float], match: int, cost: float
) -> Observation:
    dice = sum(shown.dice)
    bids = {move: prob for move, prob in probs.items() if isinstance(move, Bid)}
    total = sum(bids.values())
    usual = sum(bid.quantity * prob for bid, prob in bids.items()) / total if total else made.quantity
    return Observation(match, HabitKind.OPENING, 0, made.quantity / dice, usual / dice, cost)


def _challenge_prob(probs: Mapping[PlayerAction | None, float]) -> float:
    """Return how often the champion challenges, for twice the stake or not."""
    return sum(prob for move, prob in probs.items() if isinstance(move, Challenge))


def _usual_bluffs(odds: BidOdds, probs: Mapping[PlayerAction | None, float]) -> float:
    """Return the share of bluffs among the bids that the champion makes; 0 if it would not bid."""
    bids = {move: prob for move, prob in probs.items() if isinstance(move, Bid)}
    total = sum(bids.values())
    return sum(prob for bid, prob in bids.items() if odds.p_bid(bid) < BLUFF_P_TRUE) / total if total else 0.0


@cache
def _champion() -> Champion:
    return Champion(champion_network(), own_networks=own_networks())
