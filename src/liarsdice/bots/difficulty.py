"""Bots of intermediate strength, between the novice and the champion: mixtures of a stronger and a weaker bot."""

from __future__ import annotations

import random

from liarsdice.bots.protocol import Bot
from liarsdice.bots.simple.novice import Novice
from liarsdice.bots.simple.threshold import Threshold
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View

REGULAR_NOVICE_SHARE = 0.5
"""The share of a regular's decisions in which it plays as the novice."""

SHARP_REGULAR_SHARE = 0.4
"""The share of a sharp bot's decisions in which it plays as a regular."""


class MixtureBot:
    """Plays as `strong`, but in each decision with probability `weak_share` (0..1) as `weak`.

    The same seed picks the same bot for each decision.
    """

    def __init__(self, strong: Bot, weak: Bot, weak_share: float, seed: int | str | None) -> None:
        self.strong = strong
        self.weak = weak
        self.weak_share = weak_share
        self._random = random.Random(seed)

    def act(self, view: View) -> PlayerAction | None:
        """Let one of the two bots choose."""
        bot = self.weak if self._random.random() < self.weak_share else self.strong
        return bot.act(view)


def make_regular(seed: int | str | None = None) -> Bot:
    """Return the bot `regular`: it knows the odds, but plays half of its decisions as the novice does."""
    return MixtureBot(Threshold(), Novice(), REGULAR_NOVICE_SHARE, _derived_seed("regular", seed))


def make_sharp(champion: Bot, seed: int | str | None = None) -> Bot:
    """Return the bot `sharp`: it plays as a champion, but two decisions of five as a regular does."""
    return MixtureBot(champion, make_regular(seed), SHARP_REGULAR_SHARE, _derived_seed("sharp", seed))


def _derived_seed(name: str, seed: int | str | None) -> str | None:
    """Return a seed of the mixture's own, independent of the bots' random choices; None stays None."""
    return None if seed is None else f"{name} {seed}"
