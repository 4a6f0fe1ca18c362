"""What is trained on: which rules, how many seats, and who sits beside those that learn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from liarsdice.core.errors import UnavailableError
from liarsdice.core.presets import names, preset
from liarsdice.core.ruleset import Ruleset
from liarsdice.solve.arrays import compiled
from liarsdice.solve.minds import Asked, Mind, Threshold, minds_of
from liarsdice.train.rollout import Setting

FULL = "classic+aces+palifico+calza+reversa"
OFTEN = {"perudo": 3, "joker": 2, FULL: 2}
"""Rules that come up more often than others."""
SEATS = (2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 6, 6, 6)
ALONE = 0.55
"""How many of the tables seat learners only."""
COMPANY: tuple[Mind, ...] = (
    Threshold(0.4),
    Threshold(0.4),
    Threshold(0.3),
    Threshold(0.5),
    Threshold(0.4, 0.7),
    Threshold(0.4, 0.7),
    Threshold(0.3, 0.7),
)


def rules_to_learn() -> tuple[str, ...]:
    """All presets, and rule sheet 001 with all its options.

    >>> "perudo" in rules_to_learn()
    True
    """
    return (*names(), FULL)


def drawn(rules: Sequence[str], count: int, matches: int, seed: int) -> list[Setting]:
    """So many settings by chance."""
    chance = np.random.default_rng(seed)
    often = [name for name in rules for _ in range(OFTEN.get(name, 1))]
    return [_drawn(preset(often[chance.integers(len(often))]).ruleset, matches, chance) for _ in range(count)]


def _drawn(rules: Ruleset, matches: int, chance: np.random.Generator) -> Setting:
    most = rules.players.max or max(SEATS)
    seats = int(np.clip(SEATS[chance.integers(len(SEATS))], rules.players.min, most))
    if chance.random() < ALONE:
        return Setting(rules, (Asked(),) * seats, matches)
    learners = 1 if chance.random() < 0.5 else int(chance.integers(1, seats))
    mind = COMPANY[chance.integers(len(COMPANY))]
    minds = (*(Asked(),) * learners, *(mind,) * (seats - learners))
    try:
        minds_of(compiled(rules, seats), minds)
    except UnavailableError:  # odds of these rules are not compiled
        minds = (Asked(),) * seats
    return Setting(rules, minds, matches)
