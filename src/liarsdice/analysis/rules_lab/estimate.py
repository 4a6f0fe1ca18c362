"""The measures of simulated matches with their intervals, and how they change with the rules.

Two rulesets are compared on the same seeds, match by match.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from liarsdice.analysis.intervals import Z_95
from liarsdice.analysis.rules_lab.measures import (
    DECISION_S,
    ROUND_S,
    LabFigures,
    Measure,
    MeasureComparison,
    Measurement,
)
from liarsdice.analysis.rules_lab.simulate import LUCK_DEALS, FloatArray, MatchSample, judge_name
from liarsdice.core.rules.ruleset import Ruleset


def lab_figures(rules: Ruleset, old: MatchSample, new: MatchSample | None = None) -> LabFigures:
    """Return the figures of at least two matches, and beside them those of as many under new rules on the same seeds.

    `rules`: the new ones, or else the old ones.
    """
    count, seats = old.results.shape
    return LabFigures(judge_name(rules), seats, count, tuple(_compared(measure, old, new) for measure in Measure))


def _compared(measure: Measure, old: MatchSample, new: MatchSample | None) -> MeasureComparison:
    before = _estimate(measure, old)
    if new is None:
        return MeasureComparison(measure, _measurement(before))
    after = _estimate(measure, new)
    changed = False
    if before is not None and after is not None:
        changed = abs(after[0] - before[0]) > _half_width(after[1] - before[1])
    return MeasureComparison(measure, _measurement(before), _measurement(after), changed)


def _measurement(estimate: tuple[float, FloatArray] | None) -> Measurement:
    if estimate is None:
        return Measurement(None, None)
    return Measurement(estimate[0], _half_width(estimate[1]))


def _half_width(influences: FloatArray) -> float:
    """Return half of the 95% interval of an estimate from how much each match moves it, float64 [match]."""
    return Z_95 * float(influences.std(ddof=1)) / sqrt(len(influences))


def _estimate(measure: Measure, sample: MatchSample) -> tuple[float, FloatArray] | None:
    """Return a measure and how much each match moves it, float64 [match] (the delta method); None for no measure."""
    ones = np.ones_like(sample.rounds)
    match measure:
        case Measure.OPENING:
            return _ratio(sample.results[:, 0] - 1 / sample.results.shape[1], ones)
        case Measure.ROUNDS:
            return _ratio(sample.rounds, ones)
        case Measure.MINUTES:
            return _ratio((DECISION_S * sample.decisions + ROUND_S * sample.rounds) / 60, ones)
        case Measure.LUCK:
            return _luck_share(sample)
        case Measure.EXACT_CALLS:
            return _ratio(sample.exact_calls, ones)
        case Measure.EXACT_RIGHT:
            return _ratio(sample.exact_right, sample.exact_calls)


def _ratio(counted: FloatArray, divisor: FloatArray) -> tuple[float, FloatArray] | None:
    """Return the ratio of two means over the matches, and the influences of the matches."""
    if not divisor.any():
        return None
    ratio = float(counted.mean() / divisor.mean())
    return ratio, (counted - ratio * divisor) / divisor.mean()


def _luck_share(sample: MatchSample) -> tuple[float, FloatArray] | None:
    """Return the squared correlation of results and luck, over all seats, each less its mean over the matches.

    Luck goes by a mean over a few deals. Their chance adds to its variance a known part, which is taken out.
    """
    results = sample.results - sample.results.mean(axis=0)
    luck = sample.luck - sample.luck.mean(axis=0)
    both, luck_square, square = (product.mean(axis=1) for product in (results * luck, luck**2, results**2))
    if not (luck_square.any() and square.any() and both.mean()):
        return None
    share = (LUCK_DEALS + 1) / LUCK_DEALS * float(both.mean() ** 2 / (luck_square.mean() * square.mean()))
    influences = 2 * both / both.mean() - luck_square / luck_square.mean() - square / square.mean()
    return share, share * influences
