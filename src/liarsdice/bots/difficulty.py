"""Bots of intermediate strength, between the novice and the champion: mixtures of bots."""

import random
from collections.abc import Sequence

from liarsdice.bots.protocol import Bot
from liarsdice.bots.simple.bid_odds import BID_CREDIT
from liarsdice.bots.simple.simple_bots import Misjudgement, Misjudging, Threshold
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View

REGULAR_PARTS = (
    (0.7, Misjudging(Misjudgement.GUESSES)),
    (0.1, Misjudging(Misjudgement.FORGETS_WILDS)),
    (0.1, Misjudging(Misjudgement.TAKES_AVERAGE)),
    (0.1, Misjudging(Misjudgement.TRUSTS)),
)
"""The shares of a regular's decisions, and how it decides each."""

SHARP_CHAMPION_SHARE = 0.4
"""The share of a sharp bot's decisions in which it plays as a champion."""


class MixtureBot:
    """Plays each decision as one of its parts, bots with the share of the decisions that each makes (sum 1).

    The same seed picks the same bot for each decision.
    """

    def __init__(self, parts: Sequence[tuple[float, Bot]], seed: int | str | None) -> None:
        self.parts = tuple(parts)
        self._random = random.Random(seed)

    def act(self, view: View) -> PlayerAction | None:
        """Let one of the bots choose."""
        bots, shares = [bot for _, bot in self.parts], [share for share, _ in self.parts]
        return self._random.choices(bots, shares)[0].act(view)


def make_regular(seed: int | str | None = None) -> Bot:
    """Return the bot `regular`: it knows its own dice, and misjudges what the others hold."""
    return MixtureBot(REGULAR_PARTS, _derived_seed("regular", seed))


def make_sharp(champion: Bot, seed: int | str | None = None) -> Bot:
    """Return the bot `sharp`: it makes two of five decisions as a champion and the others as `inference`."""
    parts = ((SHARP_CHAMPION_SHARE, champion), (1 - SHARP_CHAMPION_SHARE, Threshold(credit=BID_CREDIT)))
    return MixtureBot(parts, _derived_seed("sharp", seed))


def _derived_seed(name: str, seed: int | str | None) -> str | None:
    """Return a seed of the mixture's own, independent of the bots' random choices; None stays None."""
    return None if seed is None else f"{name} {seed}"
