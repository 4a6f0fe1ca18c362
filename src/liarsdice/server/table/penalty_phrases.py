"""Recognise in table talk, in English and Spanish, the questions that cost a die under house rules."""

from __future__ import annotations

import re

from liarsdice.core.rules.choices import PenaltyTrigger

MAX_TALK_LENGTH = 280
"""The most characters of one line of table talk."""

INVISIBLE_JOINERS = dict.fromkeys(map(ord, "\u200c\u200d\ufe0e\ufe0f"))
"""Joiners and variation selectors: not printable on their own, but needed for emoji and some scripts. As a table for
`str.translate` that removes them."""

QUESTIONS: dict[PenaltyTrigger, re.Pattern[str]] = {
    PenaltyTrigger.ASKS_WHOSE_TURN: re.compile(
        r"\bwho(['’`]?s|se| is| has)( the)? (turn|go|move|up(?! for)|next)\b"
        r"|\b(is it|am i|are you|is it your|is it my) (my |your |his |her |their )?(turn|next|up|go)\b"
        r"|\b(my|your) (turn|go)\s*\?|\bis it me\s*(\?|$)|\bwho (goes|plays)( now| next)?\s*(\?|$)"
        r"|\b(a|de) qui[eé]n(es)? (le |les )?(toca|es)\b|\bqui[eé]n(es)? (va|sigue|juega|apuesta)( ahora)?\s*(\?|$)"
        r"|¿\s*(ya )?me toca( a m[ií])?( jugar| apostar)?\s*(\?|$)|\b[mt]e toca( a \w+)?( ya| ahora)?\s*\?"
        r"|\b(le|les|nos|os) toca( a \w+)?\s*\?|\bahora qui[eé]n\s*(\?|$)"
        r"|\bde qui[eé]n es el turno\b|¿\s*es mi turno\b|\bes mi turno\s*\?",
        re.IGNORECASE,
    ),
    PenaltyTrigger.ASKS_DICE_LEFT: re.compile(
        r"\bhow many( dice| die)?( are| is|['’`]re| do| does| have| has)?( \w+)?( have| has| got)?( there)?( still)?"
        r" (left|remain(ing)?|in play|(on|around) the table)\b"
        r"|\bhow many( dice| die)? (does|do|has|have) \w+( still)? (have|hold|got)\b"
        r"|\bhow many (dice|die) ((has|have) \w+|\w+( have)? got)\s*(\?|$)"
        r"|\bhow many (dice|die)( are there)?( in total| altogether| now)?\s*(\?|$)|\bnumber of dice (left|in play)\b"
        r"|\bcu[aá]ntos dados( son)?( en total| ahora)?\s*(\?|$)"
        r"|\bcu[aá]ntos( dados)?( me| te| le| nos| os| les)? (hay|quedan?|tengo|tienes?|tenemos|ten[eé]is|tienen)\b",
        re.IGNORECASE,
    ),
}


def penalty_triggers_in(text: str) -> tuple[PenaltyTrigger, ...]:
    """Return the penalty triggers whose question a line of talk contains.

    A match only opens an accusation; the host decides whether the question was asked.

    >>> penalty_triggers_in("wait, whose turn is it?")
    (PenaltyTrigger.ASKS_WHOSE_TURN,)
    >>> penalty_triggers_in("¿Cuántos dados quedan?")
    (PenaltyTrigger.ASKS_DICE_LEFT,)
    """
    return tuple(trigger for trigger, pattern in QUESTIONS.items() if pattern.search(text))
