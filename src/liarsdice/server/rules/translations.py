"""The words of the rule form in each language: titles of fields, values, and why rules conflict."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from liarsdice.core.rules.ruleset_problems import RulesetProblem
from liarsdice.core.text.rulebook import find_language

PLACEHOLDER = re.compile(r"\{([a-z_.]+)\}")


class Translations(msgspec.Struct, frozen=True):
    """The words of one language, as its file in `words/` has them.

    `sections`: titles of sections that the rulebook does not have. `titles`: titles of fields by section and path.
    `values`: words for values, by `path=value`. `problems`: a sentence for each `ProblemCode`. `presets`: one sentence
    about each preset, the best known first.
    """

    sections: Mapping[str, str]
    titles: Mapping[str, Mapping[str, str]]
    values: Mapping[str, str]
    problems: Mapping[str, str]
    presets: Mapping[str, str]

    def title(self, path: str) -> str:
        """Return the title of a field outside its section: preceded by its part's title if another field has the same.

        >>> english = translations_for("en")
        >>> english.title("exact_call.budget"), english.title("exact_call.min_players")
        ('Exact calls per player', 'Exact call: Minimum players')
        """
        titles = {key: title for section in self.titles.values() for key, title in section.items()}
        part = path.partition(".")[0]
        title = titles[path] if path in titles else titles[part]
        is_shared = list(titles.values()).count(title) > 1
        return f"{titles[part]}: {title}" if is_shared and part in titles else title


@cache
def translations_for(language: str) -> Translations:
    """Return the words of a language. Raises `UnavailableError` if the rulebook is not written in it."""
    file = files("liarsdice.server.rules").joinpath("words", find_language(language).catalogue)
    return msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), Translations)


def problem_text(problem: RulesetProblem, language: str) -> str:
    """Return a problem of rules in the words of the form: which fields conflict, by their titles, and what to do.

    >>> from liarsdice.core.rules.ruleset_problems import ProblemCode
    >>> problem_text(RulesetProblem(ProblemCode.TOO_LOW, {"path": "dice.per_player", "value": 1, "least": 2}), "en")
    '“Dice for each player” must be at least 2.'
    """
    words = translations_for(language)
    sentence = words.problems[problem.code.name.lower()]
    return PLACEHOLDER.sub(lambda match: _fill(match[1], problem, words), sentence)


def _fill(placeholder: str, problem: RulesetProblem, words: Translations) -> str:
    match problem.values.get(placeholder):
        case int(number):
            return str(number)
        case tuple(bids):
            return " → ".join(f"{bid.quantity}×{bid.face}" for bid in bids)
        case str(path):
            return words.title(path)
        case None:
            return words.title(placeholder)
