"""Playing styles of a champion: cautious, bold, trusting, suspicious."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from liarsdice.bots.neural.features import BID_ACTIONS, CHALLENGE, NetworkInput
from liarsdice.bots.neural.observation import FloatArray
from liarsdice.core.rules.choices import Choice


class Temper(Choice):
    """A playing style: a bias of the network's action probabilities that costs little strength."""

    CAUTIOUS = "cautious"
    BOLD = "bold"
    TRUSTING = "trusting"
    SUSPICIOUS = "suspicious"


class TemperWeights(NamedTuple):
    """The strength of the tempers.

    `truth`: how much bold and cautious champions weigh whether a bid is true, as a factor in the exponent. `challenge`:
    how many times likelier a suspicious champion challenges.
    """

    truth: float
    challenge: float


LATEST_TEMPER_WEIGHTS = TemperWeights(3.0, 5.0)
"""Those of the newest champion."""
TEMPER_WEIGHTS = {1: TemperWeights(2.0, 3.0), 2: TemperWeights(5.0, 20.0)}
"""Those of older champions with others. The more certain a network is of its actions, the larger they are."""


def temper_weights(number: int) -> TemperWeights:
    """Return the strength of the tempers of a champion, by its number."""
    return TEMPER_WEIGHTS.get(number, LATEST_TEMPER_WEIGHTS)


def temper_factors(temper: Temper, weights: TemperWeights, inputs: NetworkInput) -> FloatArray:
    """Return the factor by which a temper multiplies the probability of each action, float32 [row, action]."""
    factors = np.ones_like(inputs.p_true)
    match temper:
        case Temper.BOLD:
            factors[:, :BID_ACTIONS] = np.exp(weights.truth * (1 - inputs.p_true[:, :BID_ACTIONS]))
        case Temper.CAUTIOUS:
            factors[:, :BID_ACTIONS] = np.exp(weights.truth * inputs.p_true[:, :BID_ACTIONS])
        case Temper.SUSPICIOUS:
            factors[:, CHALLENGE] = weights.challenge
        case Temper.TRUSTING:
            factors[:, CHALLENGE] = 1 / weights.challenge
    return factors
