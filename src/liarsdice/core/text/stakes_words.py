"""Words for what is at stake beyond one die: the factor on the loss of a wrong call, and what a penalty is for."""

from __future__ import annotations

from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.core.text.catalogue import fill_text
from liarsdice.core.text.rulebook.locales import find_language
from liarsdice.core.text.rulebook.placeholders import printable


def stakes_sentence(factor: int, language: str = "en") -> str:
    """The sentence about a factor on the loss of a wrong call.

    >>> stakes_sentence(2), stakes_sentence(3)
    ('The stakes are doubled.', 'The stakes are three times as high.')
    """
    known = find_language(language)
    return fill_text(known, f"event.stakes.{stakes_key(factor)}", n=known.number(factor))


def stakes_key(factor: int) -> str:
    """The last part of the key of a sentence about a factor on all losses."""
    return "double" if factor == 2 else "times"


def penalty_reason(trigger: PenaltyTrigger, offence: str = "", language: str = "en") -> str:
    """What a penalty is for: "asking whose turn it is", or the words that it names the offence by, in quotes."""
    known = find_language(language)
    if offence:
        return fill_text(known, "event.reason.own", offence=printable(offence))
    return fill_text(known, f"event.reason.{trigger}")
