"""The kinds of players whose matches the state values were learned from."""

from __future__ import annotations

from liarsdice.core.rules.choices import Choice


class PlayerKind(Choice):
    """A kind of player, with the name of its bot."""

    CHAMPION = "champion"
    SHARP = "sharp"
    REGULAR = "regular"
    NOVICE = "novice"
    RANDOM = "random"
    GREEDY = "greedy"
    THRESHOLD = "threshold"
    DOUBTER = "threshold:0.55"
    BELIEVER = "threshold:0.25"
    INFERENCE = "inference"


PLAYER_KINDS = tuple(PlayerKind)
UNKNOWN_KIND = -1
"""Stands for a kind in arrays where it is not known who plays."""


def kind_number(bot: str) -> int:
    """Return the place of a bot's kind in `PLAYER_KINDS`, or `UNKNOWN_KIND`.

    Parameters other than those of the kinds, and the number of a network, do not count.

    >>> kind_number("champion@5"), kind_number("threshold:0.55"), kind_number("threshold:0.4"), kind_number("mine.py")
    (0, 7, 6, -1)
    """
    names = [kind.value for kind in PLAYER_KINDS]
    spec = bot.strip().lower()
    for name in (spec, spec.partition(":")[0].partition("@")[0]):
        if name in names:
            return names.index(name)
    return UNKNOWN_KIND
