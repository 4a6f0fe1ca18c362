"""Habits of a player over many matches: how often they do something, how often the champion does, and what it costs.

Every decision of a review belongs to one kind, and to a second one in a special round. Nothing is claimed of a kind
with fewer than `MIN_DECISIONS` decisions.
"""

from collections.abc import Iterable, Sequence
from math import ceil, sqrt

import msgspec
import numpy as np

from liarsdice.analysis.luck import Skill, estimate_skill
from liarsdice.analysis.ratings import wilson_interval
from liarsdice.core.rules.choices import Choice
from liarsdice.values.judgement import Z_95

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


class HabitWay(Choice):
    """Whether a habit is judged: no, or as done more or less often than the champion does it."""

    PLAIN = "plain"
    MORE = "more"
    LESS = "less"


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
    `way`: plain unless the habit costs something and the champion does otherwise. `more_matches`: about how many more
    matches it takes to reach `MIN_DECISIONS`.
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
    way: HabitWay
    more_matches: int


class Tip(msgspec.Struct, frozen=True):
    """The kind of decisions that cost most so far, a first impression.

    `did`: whether the costly ones challenged, bluffed or called, or opened higher than the champion does, rather than
    not. `decisions`: how many those are. `cost`: their sum, as a share of a match.
    """

    kind: HabitKind
    did: bool
    decisions: int
    cost: float


class HabitReport(msgspec.Struct, frozen=True):
    """The habits of a player, those that cost most first, what all decisions gave away in each match, and the skill.

    `tip`: None if no decision cost anything.
    """

    matches: int
    decisions: int
    cost: float
    error: float
    skill: Skill
    tip: Tip | None
    habits: tuple[Habit, ...]


def report_habits(
    gains: Sequence[float], costs: Sequence[tuple[int, float]], observations: Sequence[Observation]
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
    return HabitReport(matches, len(costs), cost, error, estimate_skill(gains), _tip(observations), tuple(habits))


def _tip(observations: Sequence[Observation]) -> Tip | None:
    costs: dict[tuple[HabitKind, bool], list[float]] = {}
    for one in observations:
        if one.cost > 0 and one.kind is not HabitKind.SPECIAL:
            did = one.did > one.usual if one.kind is HabitKind.OPENING else one.did > 0
            costs.setdefault((one.kind, did), []).append(one.cost)
    tips = [Tip(kind, did, len(some), sum(some)) for (kind, did), some in costs.items()]
    return max(tips, key=lambda tip: tip.cost, default=None)


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
    way = HabitWay.PLAIN
    if verdict is HabitVerdict.COSTS and not share_95[0] <= usual <= share_95[1]:
        way = HabitWay.MORE if share > usual else HabitWay.LESS
    return Habit(kind, band, count, share, share_95, usual, cost, error, verdict, way, more)


def _per_match(costs: Iterable[tuple[int, float]], matches: int) -> tuple[float, float]:
    """Return the mean cost of a match, and half of its 95% interval; all of the cost for a single match."""
    sums = np.zeros(matches)
    for match, cost in costs:
        sums[match] += cost
    mean = float(sums.mean())
    return mean, Z_95 * float(sums.std(ddof=1)) / sqrt(matches) if matches > 1 else mean
