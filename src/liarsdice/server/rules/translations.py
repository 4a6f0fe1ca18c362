"""What a page calls rule choices and their values, and how it tells players what does not go, in each language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from liarsdice.core.rules.ruleset_problems import Misfit
from liarsdice.core.text.rulebook import find_language

GAP = re.compile(r"\{([a-z_.]+)\}")


class Words(msgspec.Struct, frozen=True):
    """A language's short words.

    Titles of choices by section and path, words for values, a sentence for each reason why rules do not go, and a line
    for each preset.
    """

    sections: Mapping[str, str]
    titles: Mapping[str, Mapping[str, str]]
    words: Mapping[str, str]
    misfits: Mapping[str, str]
    lines: Mapping[str, str]

    def title(self, path: str) -> str:
        """What a choice is called where its section is not said: with its rule, if another has the same title.

        >>> words_of("en").title("exact_call.budget"), words_of("en").title("exact_call.min_players")
        ('Exact calls in a match', 'Exact call: Players that it needs')
        """
        titles = {known: title for section in self.titles.values() for known, title in section.items()}
        part = path.partition(".")[0]
        title = titles[path] if path in titles else titles[part]
        is_shared = list(titles.values()).count(title) > 1
        return f"{titles[part]}: {title}" if is_shared and part in titles else title


@cache
def words_of(language: str) -> Words:
    """The short words of a language. Raises `UnavailableError` for one that the rulebook is not written in."""
    file = files("liarsdice.server.rules").joinpath("words", find_language(language).catalogue)
    return msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), Words)


def told(misfit: Misfit, language: str) -> str:
    """A misfit as players read of it: choices by their titles, and what to do.

    >>> from liarsdice.core.rules.ruleset_problems import Reason
    >>> told(Misfit(Reason.TOO_LOW, {"path": "dice.per_player", "value": 1, "least": 2}), "en")
    '“Dice for each player” cannot go below 2.'
    """
    words = words_of(language)
    return GAP.sub(lambda gap: _filled(gap[1], misfit, words), words.misfits[misfit.reason.name.lower()])


def _filled(gap: str, misfit: Misfit, words: Words) -> str:
    match misfit.values.get(gap):
        case int(number):
            return str(number)
        case tuple(bids):
            return " → ".join(f"{bid.quantity}×{bid.face}" for bid in bids)
        case str(path):
            return words.title(path)
        case None:
            return words.title(gap)
