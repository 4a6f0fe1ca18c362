"""CFR variants: how each discounts regrets and weights the average strategy, and the bounds that solving yields.

Free of numba, so that programs which only read strategies load quickly.
"""

from typing import NamedTuple

from liarsdice.core.rules.choices import Choice

NO_FLOOR = -1e30
"""A regret floor below every regret."""


class Method(Choice):
    """A variant of counterfactual regret minimisation.

    `DCFR`: Brown and Sandholm, *Solving Imperfect-Information Games via Discounted Regret Minimization* (2019).
    `CFR_PLUS`: Tammelin, *Solving Large Imperfect Information Games Using CFR+* (2014). `PCFR_PLUS`: Farina, Kroer and
    Sandholm, *Faster Game Solving via Predictive Blackwell Approachability* (2021). All update the players in turn.
    """

    DCFR = "dcfr"
    CFR_PLUS = "cfr+"
    PCFR_PLUS = "pcfr+"


ALPHA, BETA, GAMMA = 1.5, 0.0, 2.0
"""DCFR's exponents for positive regrets, negative regrets and the average strategy (Brown and Sandholm 2019)."""


class IterationWeights(NamedTuple):
    """Weights of one iteration, in the order of `kernel_layout.POSITIVE_DISCOUNT` and the following names."""

    positive_discount: float
    negative_discount: float
    average_weight: float
    regret_floor: float


class Bounds(NamedTuple):
    """How good an average strategy is after a number of iterations.

    `exploitability`: half of what both players' best responses win together. `low`, `high`: bounds of the value of the
    round to seat 0, each made sure of by one seat's average strategy.
    """

    iterations: int
    exploitability: float
    low: float
    high: float


def iteration_weights(method: Method, iteration: int) -> IterationWeights:
    """Return the weights of an iteration, counted from 1.

    >>> iteration_weights(Method.CFR_PLUS, 3)
    IterationWeights(positive_discount=1, negative_discount=1, average_weight=3, regret_floor=0)
    """
    match method:
        case Method.DCFR:
            up, down = iteration**ALPHA, iteration**BETA
            return IterationWeights(up / (up + 1), down / (down + 1), iteration**GAMMA, NO_FLOOR)
        case Method.CFR_PLUS:
            return IterationWeights(1, 1, iteration, 0)
        case Method.PCFR_PLUS:
            return IterationWeights(1, 1, iteration**2, 0)
