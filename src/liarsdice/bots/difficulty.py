"""Opponents between a beginner and the champion: each plays well, and in some of its decisions worse."""

from __future__ import annotations

import random

from liarsdice.bots.protocol import Bot
from liarsdice.bots.simple.novice import Novice
from liarsdice.bots.simple.threshold import Threshold
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View

ODDS_FORGOTTEN, TRAIN_LOST = 0.5, 0.4
"""How often a regular decides as a beginner, and a sharp player as a regular."""


class Slipping:
    """Plays as `better`, but with chance `share` (0..1) in each decision as `worse`; the same seed slips alike."""

    def __init__(self, better: Bot, worse: Bot, share: float, seed: int | str | None) -> None:
        self._better = better
        self._worse = worse
        self._share = share
        self._random = random.Random(seed)

    def act(self, view: View) -> PlayerAction | None:
        """Choose a move."""
        return (self._worse if self._random.random() < self._share else self._better).act(view)


def regular(seed: int | str | None = None) -> Bot:
    """Knows the odds of its own dice, and half of the time takes a guess instead, as the novice does."""
    return Slipping(Threshold(), Novice(), ODDS_FORGOTTEN, _tagged("regular", seed))


def sharp(champion: Bot, seed: int | str | None = None) -> Bot:
    """Plays as a champion, and in two decisions of five loses the thread and plays as a regular."""
    return Slipping(champion, regular(seed), TRAIN_LOST, _tagged("sharp", seed))


def _tagged(name: str, seed: int | str | None) -> str | None:
    """A seed of one's own, so that slips do not go with a champion's choices; none stays none."""
    return None if seed is None else f"{name} {seed}"
