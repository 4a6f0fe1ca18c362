"""Fits a score for each seat, from its features, whose softmax is the share of the match that the seat wins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.fitted_values.seat_features import FloatArray

RIDGE = 20.0
"""How strongly weights are drawn to the typical ones: the factor of the squares of the differences in the fit."""
MAX_STEPS, TOLERANCE = 50, 1e-9

BoolArray = NDArray[np.bool_]


def softmax_shares(features: FloatArray, weights: FloatArray, is_in: BoolArray) -> FloatArray:
    """Return the share of the match that each seat wins, float64 [row, seat].

    `features`: float64 [row, seat, feature]. `weights`: float64 [feature]. `is_in`: bool [row, seat], which seats are
    not out.
    """
    scores = np.where(is_in, features @ weights, -np.inf)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return shares


def fit_weights(features: FloatArray, won: FloatArray, is_in: BoolArray, typical: FloatArray) -> FloatArray:
    """Return the weights whose softmax comes nearest to the shares that were won, float64 [feature].

    `won`: float64 [row, seat]. `typical`: float64 [feature], weights to which those of few matches are drawn. For the
    others see `softmax_shares`. It is a multinomial logistic regression with `RIDGE`, by Newton's method with halved
    steps.
    """
    weights = typical.copy()
    loss = _loss(features, won, is_in, weights, typical)
    for _ in range(MAX_STEPS):
        probs = softmax_shares(features, weights, is_in)
        gradient = np.einsum("rs,rsf->f", probs - won, features) + RIDGE * (weights - typical)
        means = np.einsum("rs,rsf->rf", probs, features)
        squares = np.einsum("rs,rsf,rsg->fg", probs, features, features, optimize=True)
        step = np.linalg.solve(squares - means.T @ means + RIDGE * np.eye(len(weights)), gradient)
        rate = 1.0
        while (new := _loss(features, won, is_in, weights - rate * step, typical)) > loss and rate > TOLERANCE:
            rate /= 2
        weights = weights - rate * step
        if loss - new < TOLERANCE * abs(loss):
            break
        loss = new
    return weights


def _loss(features: FloatArray, won: FloatArray, is_in: BoolArray, weights: FloatArray, typical: FloatArray) -> float:
    probs = softmax_shares(features, weights, is_in)
    return float(-(won * np.log(np.where(is_in, probs, 1))).sum() + RIDGE / 2 * ((weights - typical) ** 2).sum())


class SampledRows:
    """States of sampled matches as the rows of a fit. `typical`: float64 [feature], see `fit_weights`."""

    def __init__(self, typical: FloatArray) -> None:
        self._typical = typical
        self._features: list[FloatArray] = []
        self._is_in: list[BoolArray] = []
        self._results: list[FloatArray] = []
        self._later: list[int] = []

    def __len__(self) -> int:
        return len(self._features)

    def add(self, features: FloatArray, is_in: BoolArray, result: FloatArray, later: int | None) -> None:
        """Add a state.

        `features`: float64 [seat, feature]. `is_in`: bool [seat]. `result`: float64 [seat], the share of the match that
        each seat won. `later`: the row (of the states between rounds) at the end of its round; None at that of a match.
        """
        self._features.append(features)
        self._is_in.append(is_in)
        self._results.append(result)
        self._later.append(-1 if later is None else later)

    def shares(self, weights: FloatArray) -> FloatArray:
        """Return the shares by these weights, float64 [row, seat]."""
        return softmax_shares(np.stack(self._features), weights, np.stack(self._is_in))

    def fit(self, shares_between: FloatArray | None) -> FloatArray:
        """Return the weights that come nearest to the results, float64 [feature].

        With `shares_between`, float64 [row, seat], they come nearest to those shares at the ends of the rounds.
        """
        won, later = np.stack(self._results), np.array(self._later)
        if shares_between is not None:
            won = np.where((later >= 0)[:, np.newaxis], shares_between[later], won)
        return fit_weights(np.stack(self._features), won, np.stack(self._is_in), self._typical)
