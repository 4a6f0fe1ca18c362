"""Table talk: what may be said, and the questions in English and Spanish that cost a die under house rules."""

from __future__ import annotations

import re
import unicodedata

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.play.player_names import BLANK_SYMBOLS, is_stacked

MAX_TALK_LENGTH = 280
"""The most characters of one line of table talk."""

INVISIBLE_JOINERS = dict.fromkeys(map(ord, "\u200c\u200d\ufe0e\ufe0f"))
"""Joiners and variation selectors: not printable on their own, but needed for emoji and some scripts. As a table for
`str.translate` that removes them."""

FILLERS = frozenset("\u115f\u1160\u3164\uffa0")
"""Letters of Hangul without ink, which Unicode counts as printable."""
MAX_TALK_MARKS = 3
"""The most combining marks on one character: a Hebrew letter can have three."""

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


def normalize_line(text: str) -> str:
    r"""Return a line of talk, trimmed and with marks composed (NFC).

    Raises `MalformedError` if it is empty or too long, or has unprintable or invisible characters or too many marks.

    >>> normalize_line(" e\u0301so ")
    'éso'
    """
    line = unicodedata.normalize("NFC", text.strip()) if len(text) <= 2 * MAX_TALK_LENGTH else ""
    visible = line.translate(INVISIBLE_JOINERS)
    if not visible.strip() or len(line) > MAX_TALK_LENGTH or not visible.isprintable():
        raise MalformedError(f"say 1 to {MAX_TALK_LENGTH} printable characters")
    if (BLANK_SYMBOLS | FILLERS) & {*visible} or is_stacked(visible, MAX_TALK_MARKS):
        raise MalformedError(f"say visible characters, with at most {MAX_TALK_MARKS} marks on each")
    return line


def penalty_triggers_in(text: str) -> tuple[PenaltyTrigger, ...]:
    """Return the penalty triggers whose question a line of talk contains.

    A match only opens an accusation; the host decides whether the question was asked.

    >>> penalty_triggers_in("wait, whose turn is it?")
    (PenaltyTrigger.ASKS_WHOSE_TURN,)
    >>> penalty_triggers_in("¿Cuántos dados quedan?")
    (PenaltyTrigger.ASKS_DICE_LEFT,)
    """
    return tuple(trigger for trigger, pattern in QUESTIONS.items() if pattern.search(text))
