"""The face-off: two players with one die each bid on the sum of both dice, each sum higher than the one before.

Nothing is wild in it, and each die counts what it shows.
"""

from __future__ import annotations

from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import FaceOff
from liarsdice.core.rules.ruleset import Ruleset

FACE_OFF_PLAYERS = 2
"""The number of players of a face-off; each has one die."""


def is_face_off(rules: Ruleset, dice: tuple[int, ...]) -> bool:
    """Return whether a round that opens with these numbers of dice by seat is a face-off.

    >>> from liarsdice.core.rules.presets import preset
    >>> is_face_off(preset("perudo+face-off").ruleset, (1, 0, 1))
    True
    """
    return rules.bidding.face_off is FaceOff.SUM and sum(dice) == FACE_OFF_PLAYERS and max(dice) == 1


def highest_sum(rules: Ruleset, dice: tuple[int, ...]) -> int:
    """Return the highest sum that the dice in play can show, given the number of dice of each seat.

    >>> from liarsdice.core.rules.presets import preset
    >>> highest_sum(preset("perudo").ruleset, (1, 1))
    12
    """
    return sum(held * rules.dice.faces_at(seat) for seat, held in enumerate(dice))


def sum_bids(lowest: int, highest: int) -> tuple[Bid, ...]:
    """Return the bids on the sums from `lowest` to `highest`, lowest first."""
    return tuple(Bid(total, SUM_FACE) for total in range(lowest, highest + 1))
