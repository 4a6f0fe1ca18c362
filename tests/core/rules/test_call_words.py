"""A label of the rules means one thing: it reads as no bid, no command and no other call, and no two calls share it."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from liarsdice.cli.play.line_mode import call_words
from liarsdice.core.actions import Challenge, DeclareSpecial, Exact
from liarsdice.core.bids.notation import WORDS, parse
from liarsdice.core.rules.overlay import nest, patched, unchecked_rules
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.validate import ProblemCode, find_problems
from liarsdice.core.text.answer import _call_words, read_move


def codes(changes: dict[str, Any]) -> list[ProblemCode]:
    return [problem.code for problem in find_problems(unchecked_rules(nest(changes)))]


LABELS = ("labels.challenge", "labels.challenge_also", "labels.exact", "labels.special_round")


def labelled(path: str, label: str) -> dict[str, Any]:
    return {path: (label,) if path == "labels.challenge_also" else label}


@pytest.mark.parametrize(
    "first, second", [(one, other) for one, other in combinations(LABELS, 2) if other != "labels.challenge_also"]
)
def test_two_calls_have_labels_that_differ_in_more_than_case_and_punctuation(first: str, second: str) -> None:
    changes = labelled(first, "Cheers!") | labelled(second, " cheers")
    assert codes(changes) == [ProblemCode.LABELS_ALIKE]
    assert codes(labelled(first, "Cheers!") | labelled(second, "Health!")) == []


def test_a_challenge_may_have_the_same_word_twice() -> None:
    assert codes({"labels.challenge": "Cheers!", "labels.challenge_also": ("cheers",)}) == []


@pytest.mark.parametrize("path", LABELS)
@pytest.mark.parametrize(
    "label",
    [
        *(
            "5x4",
            "5 × 4",
            "Five fours!",
            "a six",
            "I bid 5x4",
            "bid 5, 4",
            "sum 7",
            "three aces",
            "2 dice of fours",
            "4 5s",
        ),
        *("quit", "Q", "help", "?", "why?", "dice", "chart", "rules", "penalty", "exit", "table", "!"),
        *("pass", "double", "doubt", "fold", "I accept", "clockwise", "closed", "silence"),
    ],
)
def test_no_label_of_a_call_reads_as_a_bid_a_command_or_another_move(path: str, label: str) -> None:
    assert codes(labelled(path, label)) == [ProblemCode.LABEL_MISREAD]


@pytest.mark.parametrize("path", LABELS)
def test_every_word_of_the_parsers_has_one_meaning_whatever_the_label(path: str) -> None:
    """A label means its own call or is refused, whichever word of the terminal, of games and of answers it is."""
    own = {"labels.exact": Exact(), "labels.special_round": DeclareSpecial()}.get(path, Challenge())
    for word, move in {**_call_words(Ruleset()), **WORDS}.items():
        problems = codes(labelled(path, word))
        is_sheet_word = own == Challenge() and word == "open"  # a kind of round where openers choose one
        assert problems == ([] if move == own or is_sheet_word else [ProblemCode.LABEL_MISREAD]), word
        if problems == [] and path != "labels.special_round":
            rules = patched(Ruleset(), **{path.replace(".", "__"): labelled(path, word)[path]})
            assert read_move(word, rules) == parse(call_words(rules).get(word, word)) == own


def test_the_special_face_and_offences_have_names_of_their_own() -> None:
    assert (
        codes({"labels.special_face": "fours"}) == codes({"labels.offences": ("left",)}) == [ProblemCode.LABEL_MISREAD]
    )
    assert codes({"labels.special_face": "aces", "dice.special_face": 6}) == []
    assert codes({"labels.special_face": "ones"}) == codes({"labels.special_face": "stars"}) == []
