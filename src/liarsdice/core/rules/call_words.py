"""The words that players write for calls, bids and commands, and the labels that would be read as something else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from liarsdice.core.rules.choices import Answer, Direction, PenaltyTrigger, RoundKind
from liarsdice.core.rules.meaning import kind_is_chosen
from liarsdice.core.rules.parts import RuleChoices
from liarsdice.core.rules.ruleset_problems import ProblemCode, RulesetProblem

PUNCTUATION = " *_`\"'“”’«».!¡?¿,:;()"
NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
FACES = ("ones", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines", "tens")

ACES = ("ace", "aces")

SHEET_CHALLENGES = ("liar", "that's a lie", "j'accuse", "open")
"""Words of the rule sheets for a challenge. Where openers choose the kind of a round, "open" is a kind instead."""
CHALLENGES = ("liar", "challenge", "call", "bluff", "call liar", "call bluff", "i challenge", "i call", "dudo")
EXACT_CALLS = ("exact", "exactly", "exact call", "call exact", "spot on", "calza")
DECLARATIONS = ("special", "special round", "declare", "declare special", "declare a special round", "palifico")
DOUBLES = ("double", "i double", "pi", "double challenge", "challenge for double", "liar for double stakes")
PASSES = ("pass", "i pass")
DOUBTS = ("doubt", "doubt the pass", "i doubt the pass", "challenge the pass", "doubt pass", "challenge pass")
SILENCES = ("silent", "silence", "be silent", "stay silent")
ANSWERS = {
    "i accept": Answer.ACCEPT,
    "i redouble": Answer.REDOUBLE,
    "double again": Answer.REDOUBLE,
    "counter pi": Answer.REDOUBLE,
    "i fold": Answer.FOLD,
    "surrender": Answer.FOLD,
    **{answer.value: answer for answer in Answer},
}
DIRECTIONS = {
    "clockwise": Direction.CLOCKWISE,
    **dict.fromkeys(
        ("anticlockwise", "counterclockwise", "counter-clockwise", "anti-clockwise"), Direction.ANTICLOCKWISE
    ),
}
KINDS = {phrase: kind for kind in RoundKind for phrase in (kind.value, f"obligo {kind}", f"{kind} round")}

SHORT_CALLS = {"l": "liar", "x": "exact"}
QUIT, HELP_WORDS, TABLE = ("quit", "q", "exit"), ("help", "h"), ("dice", "table")
RULES, CHART, PENALTY = "rules", "chart", "penalty"
PENALTY_WORDS = dict(zip(PenaltyTrigger, ("turn", "left", "offence"), strict=True))
"""The word for each penalty after `penalty`."""

_COMMANDS = dict.fromkeys((*QUIT, *HELP_WORDS, *TABLE, RULES, CHART, PENALTY), "a command")
_OTHER_CALLS = {
    **dict.fromkeys(DOUBLES, "a challenge for twice the stake"),
    **dict.fromkeys((*PASSES, *DOUBTS), "a pass or a doubt"),
    **dict.fromkeys(SILENCES, "silence"),
    **dict.fromkeys(ANSWERS, "an answer to a challenge"),
    **dict.fromkeys(DIRECTIONS, "a direction"),
}
_CALLS = {
    "a challenge": {*CHALLENGES, *SHEET_CHALLENGES, "l"},
    "an exact call": {*EXACT_CALLS, "x"},
    "a special round": set(DECLARATIONS),
}


def plain_words(phrase: str) -> str:
    """Return a phrase in lower case, with plain apostrophes and single spaces, without the punctuation around it."""
    return " ".join(phrase.casefold().replace("’", "'").split()).strip(PUNCTUATION)


def label_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the labels that read as a bid, a command or another call, and the labels of two calls that are alike."""
    meant: dict[str, str] = {}
    for call, path, label in _call_labels(rules):
        words = plain_words(label)
        values = {"path": path, "label": f"{label!r:.60}"}
        meaning = _other_meaning(rules, call, label)
        if meaning is not None:
            yield RulesetProblem(ProblemCode.LABEL_MISREAD, values | {"value": meaning})
        elif meant.setdefault(words, call) != call:
            yield RulesetProblem(ProblemCode.LABELS_ALIKE, values | {"value": meant[words]})
    special = rules.labels.special_face
    others = {*_face_words(rules)} - {*_forms(rules.dice.special_face), *ACES}  # any face may be called ace
    if special is not None and plain_words(special) in others:
        yield RulesetProblem(
            ProblemCode.LABEL_MISREAD,
            {"path": "labels.special_face", "label": f"{special!r:.60}", "value": "another face"},
        )
    offences = [("penalties.offence", penalty.offence) for penalty in rules.penalties if penalty.offence]
    offences += [("labels.offences", offence) for offence in rules.labels.offences or ()]
    for path, offence in offences:
        if plain_words(offence) in {*PENALTY_WORDS.values(), *PenaltyTrigger}:
            values = {"path": path, "label": f"{offence!r:.60}", "value": "another penalty"}
            yield RulesetProblem(ProblemCode.LABEL_MISREAD, values)


def _call_labels(rules: RuleChoices) -> Iterator[tuple[str, str, str]]:
    """Yield the labels of calls: what each calls, its field and its text."""
    labels = rules.labels
    yield "a challenge", "labels.challenge", labels.challenge
    yield from (("a challenge", "labels.challenge_also", label) for label in labels.other_challenges)
    yield "an exact call", "labels.exact", labels.exact
    yield "a special round", "labels.special_round", labels.special_round


def _other_meaning(rules: RuleChoices, call: str, label: str) -> str | None:
    """Return what else a label of a call would be read as; None if nothing."""
    words = plain_words(label)
    if not words:
        return "nothing"
    if "?" in label:
        return "a question"
    if words.startswith(PENALTY) or words in _COMMANDS:
        return "a command"
    if words in KINDS and (kind_is_chosen(rules) or words not in SHEET_CHALLENGES):
        return "a kind of round"
    other = next((other for other, known in _CALLS.items() if other != call and words in known), None)
    if other is not None:
        return other
    return _OTHER_CALLS.get(words) or ("a bid" if _has_bid(rules, words) else None)


def _has_bid(rules: RuleChoices, words: str) -> bool:
    """Return whether a phrase holds a bid, in notation or in words."""
    number = rf"(?:[0-9]+|{'|'.join(('an', 'a', *NUMBERS))})"
    face = "|".join(["[0-9]+'?s", *map(re.escape, sorted(_face_words(rules), key=len, reverse=True))])
    written = rf"[0-9]\s*[x×*]\s*[0-9]|[0-9]+\s*,\s*[0-9]|\bsuma?\s*(?:of\s+)?{number}\b"
    return re.search(rf"{written}|\b{number}\s+(?:dice\s+(?:of|showing)\s+)?(?:{face})\b", words) is not None


def _face_words(rules: RuleChoices) -> Iterator[str]:
    yield from ACES
    for face in range(1, min(len(FACES), rules.dice.faces) + 1):
        yield from _forms(face)


def _forms(face: int) -> tuple[str, ...]:
    """Return the plural and the singular of the name of a face."""
    if not 1 <= face <= len(FACES):
        return ()
    plural = FACES[face - 1]
    return (plural, "six" if plural == "sixes" else plural.removesuffix("s"))
