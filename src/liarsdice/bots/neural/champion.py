"""The strongest bot: a network that was trained under all rules by playing itself and simple bots."""

from __future__ import annotations

import random
from functools import cache
from typing import NamedTuple

import numpy as np

from liarsdice.bots.endgames import endgame
from liarsdice.bots.neural.features import BIDS, CHALLENGE, EXACT, SILENT, STEPS, Reading, read
from liarsdice.bots.neural.network import Network, shipped
from liarsdice.bots.neural.observation import Reals, hand_places, is_readable, scene_of
from liarsdice.bots.simple.bid_odds import CREDIT, Outlook
from liarsdice.bots.simple.call_policy import out_of_turn
from liarsdice.bots.simple.threshold import Threshold
from liarsdice.core.actions import Challenge, Exact, PlayerAction, SetDirection
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Choice

LATEST = 5
"""The newest model. Older ones stay, so that a name with `@1` behind it means the same bot for ever."""
OUT_OF_TURN_T = 0.4
INSTEAD = Threshold(OUT_OF_TURN_T, CREDIT)
"""Plays where dice have too many faces for the network."""


@cache
def model(number: int) -> Network:
    """The network of that number, as it came with the package."""
    return shipped(f"champion-{number}")


class Temper(Choice):
    """A leaning on top of the network's play: style, and little of its strength."""

    CAUTIOUS = "cautious"
    BOLD = "bold"
    TRUSTING = "trusting"
    SUSPICIOUS = "suspicious"


class Leaning(NamedTuple):
    """How much bold and cautious ones care whether a bid is true, and how much likelier suspicious ones doubt one."""

    daring: float
    doubt: float


LEANINGS = {1: Leaning(2.0, 3.0), 2: Leaning(5.0, 20.0), **dict.fromkeys((3, 4, 5), Leaning(3.0, 5.0))}
"""By model: a network that is surer of its play takes more to lean."""


class Champion:
    """Answers by a network's chances, and as solved once both players hold their last die.

    The same seed and the same views give the same answers. With a temper it leans to its side in all that the network
    decides, the last dice too.
    """

    def __init__(
        self,
        network: Network,
        seed: int | str | None = None,
        temper: Temper | None = None,
        leaning: Leaning = LEANINGS[LATEST],
    ) -> None:
        self._network = network
        self._random = random.Random(seed)
        self._temper = temper
        self._leaning = leaning

    def act(self, view: View) -> PlayerAction | None:
        """Choose a move. A network that never learned to call out of turn calls as the simple bots do there."""
        if not is_readable(view.ruleset):
            return INSTEAD.act(view)
        if not (view.on_turn or self._network.answers_out_of_turn):
            return out_of_turn(view, Outlook(view, CREDIT), OUT_OF_TURN_T)
        weighed = self.weighed(view)
        return self._random.choices(list(weighed), list(weighed.values()))[0]

    def weighed(self, view: View) -> dict[PlayerAction | None, float]:
        """How likely it is to make each move under rules that make a scene; None out of turn is silence.

        Out of turn it speaks for networks only that answer there.
        """
        exact = endgame(view) if view.on_turn and not self._temper else None
        if exact is not None:
            return dict(exact.items())
        reading = read(scene_of(view), knows_stairs=self._network.knows_stairs)
        chances = self._network.chances(reading.numbers, reading.legal)
        if self._temper:
            chances *= leans(self._temper, self._leaning, reading)
        kept = self._network.purified(chances)[0]
        return {move_of(view, reading, answer): float(kept[answer]) for answer in np.flatnonzero(kept).tolist()}


def leans(temper: Temper, leaning: Leaning, reading: Reading) -> Reals:
    """By how much more likely a temper makes each answer: [row, answer]."""
    found = np.ones_like(reading.p_true)
    match temper:
        case Temper.BOLD:
            found[:, :BIDS] = np.exp(leaning.daring * (1 - reading.p_true[:, :BIDS]))
        case Temper.CAUTIOUS:
            found[:, :BIDS] = np.exp(leaning.daring * reading.p_true[:, :BIDS])
        case Temper.SUSPICIOUS:
            found[:, CHALLENGE] = leaning.doubt
        case Temper.TRUSTING:
            found[:, CHALLENGE] = 1 / leaning.doubt
    return found


def move_of(view: View, reading: Reading, answer: int) -> PlayerAction | None:
    """The move that an answer is; None for silence."""
    if answer < BIDS:
        place, step = divmod(answer, STEPS)
        return Bid(int(reading.quantities[0, place, step]), hand_places(view.ruleset)[place])
    if answer == CHALLENGE:
        return Challenge()
    if answer == EXACT:
        return Exact()
    if answer == SILENT:
        return None
    return SetDirection(next(one for one in view.may_set_direction if one is not view.direction))
