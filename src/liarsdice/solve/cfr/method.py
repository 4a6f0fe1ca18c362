"""How to learn, and how good what was learned is: what strategies tell, without the solver and its compiler."""

from __future__ import annotations

from typing import NamedTuple

from liarsdice.core.rules.choices import Choice


class Method(Choice):
    """How regrets are kept and play is averaged."""

    DCFR = "dcfr"
    CFR_PLUS = "cfr+"
    PCFR_PLUS = "pcfr+"


class Bounds(NamedTuple):
    """How good the average play is: the value of the round to seat 0 lies between what each seat makes sure of."""

    iterations: int
    exploitability: float
    low: float
    high: float
