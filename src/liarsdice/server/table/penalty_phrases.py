"""Hearing in table talk the questions that cost a die where the house says so."""

from __future__ import annotations

import re

from liarsdice.core.rules.choices import PenaltyTrigger

LONGEST_LINE = 280
JOINERS = dict.fromkeys(map(ord, "\u200c\u200d\ufe0e\ufe0f"))
"""Signs without a look of their own that pictures and some scripts are joined with; they may be said."""

ASKED: dict[PenaltyTrigger, re.Pattern[str]] = {
    PenaltyTrigger.ASKS_WHOSE_TURN: re.compile(
        r"\bwho(['’`]?s|se| is| has)( the)? (turn|go|move|up|next)\b"
        r"|\b(is it|am i|are you|is it your|is it my) (my |your |his |her |their )?(turn|next|up|go)\b"
        r"|\b(a|de) qui[eé]n(es)? (le |les )?(toca|es)\b|\bqui[eé]n(es)? (va|sigue|juega|apuesta)\b|\bme toca\b.*\?"
        r"|\bde qui[eé]n es el turno\b|\bes mi turno\b",
        re.IGNORECASE,
    ),
    PenaltyTrigger.ASKS_DICE_LEFT: re.compile(
        r"\bhow many (dice|die)\b|\bhow many (does|do|has|have) \w+ (have|got|left)\b"
        r"|\bcu[aá]ntos dados\b|\bcu[aá]ntos (te|le|les|nos|me) quedan\b",
        re.IGNORECASE,
    ),
}


def accused_of(said: str) -> tuple[PenaltyTrigger, ...]:
    """What somebody has just asked, as far as words tell; people decide what it was.

    >>> accused_of("wait, whose turn is it?")
    (PenaltyTrigger.ASKS_WHOSE_TURN,)
    >>> accused_of("¿Cuántos dados quedan?")
    (PenaltyTrigger.ASKS_DICE_LEFT,)
    """
    return tuple(trigger for trigger, asked in ASKED.items() if asked.search(said))
