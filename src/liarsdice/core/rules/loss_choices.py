"""Rule choices about losses and gains: how many dice or lives, from whom and to whom."""

from __future__ import annotations

from liarsdice.core.rules.choice import Choice


class LossMode(Choice):
    """How many dice a lost challenge costs."""

    FIXED = "fixed"
    DIFFERENCE = "difference"


class OnExact(Choice):
    """Who pays when a challenged bid turns out exactly right."""

    CHALLENGER = "challenger"
    ALL_BUT_BIDDER = "all_but_bidder"


class Overflow(Choice):
    """What happens when a loss is larger than the dice held."""

    ALL_HELD = "all_held"


class LivesLimit(Choice):
    """A number of lives that nobody uses up."""

    UNLIMITED = "unlimited"


class Tally(Choice):
    """What a table counts of lives, apart from those that are left: those that are lost, from none upwards."""

    TAKEN = "taken"


class Destination(Choice):
    """Where lost dice go."""

    DISCARD = "discard"
    OPPONENT = "opponent"


class GainCap(Choice):
    """How many dice a player may hold after a gain."""

    STARTING_DICE = "starting_dice"


class AtCap(Choice):
    """Whether a player who can gain no more may still make the exact call."""

    ALLOWED_NO_GAIN = "allowed_no_gain"
    FORBIDDEN = "forbidden"


class MinDice(Choice):
    """How many of the dice at the start must still be in play for the exact call."""

    HALF = "half"
