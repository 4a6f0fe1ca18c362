"""Playing styles of a champion: cautious, bold, trusting, suspicious."""

from __future__ import annotations

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


TRUTH_WEIGHT = 3.0
"""How much bold and cautious champions weigh whether a bid is true, as a factor in the exponent."""
CHALLENGE_FACTOR = 5.0
"""How many times likelier a suspicious champion challenges."""


def temper_factors(temper: Temper, inputs: NetworkInput) -> FloatArray:
    """Return the factor by which a temper multiplies the probability of each action, float32 [row, action]."""
    factors = np.ones_like(inputs.p_true)
    match temper:
        case Temper.BOLD:
            factors[:, :BID_ACTIONS] = np.exp(TRUTH_WEIGHT * (1 - inputs.p_true[:, :BID_ACTIONS]))
        case Temper.CAUTIOUS:
            factors[:, :BID_ACTIONS] = np.exp(TRUTH_WEIGHT * inputs.p_true[:, :BID_ACTIONS])
        case Temper.SUSPICIOUS:
            factors[:, CHALLENGE] = CHALLENGE_FACTOR
        case Temper.TRUSTING:
            factors[:, CHALLENGE] = 1 / CHALLENGE_FACTOR
    return factors
