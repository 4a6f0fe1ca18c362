"""Players read about conflicts in their language, by the titles of fields; field paths are for files only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.overlay import DEFAULTS, FIELD_TYPES, OPTIONAL_PARTS, unchecked_rules
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.rule_costs import find_costs
from liarsdice.core.rules.ruleset import checked
from liarsdice.core.rules.validate import ProblemCode, RulesetProblem, find_problems, find_warnings
from liarsdice.core.text.rulebook import LANGUAGES
from liarsdice.server.rules.rules_api import (
    PLACEHOLDER,
    RuleFieldKind,
    RulesForm,
    RulesResponse,
    field_kind,
    listed_values,
    problem_text,
    rules_response,
    translations_for,
)

NOT_FOR_PLAYERS = {"to_pure", "from_pure", "value", "label", "formula", "raise_rule", "to_special", "from_special"}
"""Placeholders that only the messages for writers of files have."""

FILE_SYNTAX = re.compile(r"_|=|\b[a-z]+\.[a-z]|\b(true|false)\b")
RAW = {str(member) for kind in c.Choice.__subclasses__() for member in kind}

PROBLEM_EXAMPLES: dict[ProblemCode, tuple[str, dict[str, Any]]] = {
    ProblemCode.TOO_LOW: ("classic", {"special_round": {}, "special_round.min_players": 1}),
    ProblemCode.TOO_HIGH: ("classic", {"dice.per_player": 500}),
    ProblemCode.TOO_MANY_DICE: ("perudo", {"exact_call.gain_cap": None, "guards.max_rounds": 1_000}),
    ProblemCode.TOO_MANY_BIDS: ("perudo", {"bidding.cap": 1_000, "dice.faces": 20}),
    ProblemCode.TOO_LONG_ROUNDS: ("perudo", {"bidding.cap": 1_000}),
    ProblemCode.NO_LABEL: ("classic", {"labels.game": "dice.faces\n"}),
    ProblemCode.LABEL_MISREAD: ("classic", {"labels.challenge": "quit"}),
    ProblemCode.LABELS_ALIKE: ("classic", {"labels.challenge": "Cheers!", "labels.exact": "cheers"}),
    ProblemCode.NO_SUCH_FACE: ("classic", {"dice.special_face": 7}),
    ProblemCode.FACES_OF_NO_SEAT: ("classic", {"players.max": 2, "dice.faces_by_seat": [4, 4, 4]}),
    ProblemCode.FACES_ABOVE_HIGHEST: ("classic", {"dice.faces_by_seat": [4, 8]}),
    ProblemCode.NO_OPENING: ("classic", {"bidding.min_open": 5, "bidding.max_open": 4}),
    ProblemCode.ENDLESS_ROUND: ("classic", {"bidding.cap": None}),
    ProblemCode.PENALTY_TWICE: ("classic", {"penalties": [{"trigger": "asks_dice_left"}] * 2}),
    ProblemCode.OFFENCE_TWICE: (
        "classic",
        {"penalties": [{"trigger": "commits_offence", "offence": "a die off the table"}] * 2},
    ),
    ProblemCode.OFFENCE_OF_QUESTION: (
        "classic",
        {"penalties": [{"trigger": "asks_dice_left", "offence": "a die off the table"}]},
    ),
    ProblemCode.NO_CONVERSION: ("perudo", {"bidding.to_special": None}),
    ProblemCode.IDLE_CONVERSION: ("classic", {"bidding.from_special": "never"}),
    ProblemCode.OPENING_UNBIDDABLE: ("classic", {"bidding.special_rank": "not_biddable"}),
    ProblemCode.RAISE_LOOP: ("classic", {"bidding.raise": "either_increases"}),
    ProblemCode.CONVERSION_LOOP: ("perudo", {"bidding.to_special": "ceil_half", "bidding.from_special": "double"}),
    ProblemCode.PURE_UNWILD: ("classic", {"bidding.to_pure": "same_quantity"}),
    ProblemCode.PURE_CONVERT: ("perudo", {"bidding.to_pure": "same_quantity", "wilds.suspended_by": []}),
    ProblemCode.PURE_SUSPENDED: ("chui-niu", {"bidding.to_pure": "same_quantity"}),
    ProblemCode.PURE_LOOP: (
        "chui-niu",
        {"bidding.to_pure": "one_less", "bidding.from_pure": "plus_1", "wilds.suspended_by": []},
    ),
    ProblemCode.SHOWN_HANDS: ("snyd-stairs", {"bidding.show_dice": "counting"}),
    ProblemCode.SHOWN_TAKEN: ("chart", {"bidding.show_dice": "counting", "penalty_timing": "immediate"}),
    ProblemCode.SUMS_OF_OWN_DICE: ("basic+aetolia", {"bidding.face_off": "sum", "loss.out_below": None}),
    ProblemCode.SUMS_NEVER: ("basic", {"bidding.face_off": "sum", "loss.lives": 3}),
    ProblemCode.SUSPENDED_UNWILD: ("chui-niu", {"wilds.special_is_wild": False}),
    ProblemCode.SUSPENDED_TWICE: ("chui-niu", {"wilds.suspended_by": ["any_bid_on_special"] * 2}),
    ProblemCode.SUSPENDED_BY_NO_ROUND: ("perudo", {"special_round": None}),
    ProblemCode.SUSPENDED_BY_NO_OPENING: (
        "chui-niu",
        {"wilds.suspended_by": ["opening_bid_on_special"], "bidding.special_may_open": False},
    ),
    ProblemCode.SUSPENDED_BY_NO_BID: ("chui-niu", {"bidding.special_rank": "not_biddable"}),
    ProblemCode.NEVER_OUT_OF_TURN: ("official", {"challenge.who": "next_player"}),
    ProblemCode.DICE_STAY: ("classic", {"loss.destination": "opponent"}),
    ProblemCode.LIVES_UNLIMITED: ("classic", {"loss.lives": "unlimited"}),
    ProblemCode.TAKEN_FROM_NOBODY: ("perudo", {"loss.lives": 5, "loss.tally": "taken", "exact_call.gain_cap": None}),
    ProblemCode.FOLD_DIFFERENCE: (
        "chui-niu+pi",
        {"challenge.answers": "redouble_or_fold", "loss.mode": "difference"},
    ),
    ProblemCode.SEVERAL_LOSERS: ("classic", {"loss.on_exact": "all_but_bidder"}),
    ProblemCode.OWN_DICE_BONUS: ("snyd-stairs", {"count.scope": "bidder"}),
    ProblemCode.DIFFERENT_DICE: ("basic", {"count.all_different": "worthless", "dice.per_player": 7}),
    ProblemCode.DIFFERENT_STAIRS: ("snyd-stairs", {"count.all_different": "rolled_again"}),
    ProblemCode.EXACT_KEEPS_DICE: ("classic", {"exact_call": {}}),
    ProblemCode.EXACT_IS_FREE: ("red-dead", {"exact_call.failure_loss": 0}),
    ProblemCode.EXACT_SEVERAL_LOSERS: ("red-dead", {"exact_call.next_starter": "loser"}),
    ProblemCode.NEVER_LAST_LIFE: ("perudo", {"loss.lives": "unlimited"}),
    ProblemCode.NEVER_LAST_DIE: ("perudo", {"loss.out_below": 3}),
    ProblemCode.PASSING_TWICE: ("perudo", {"bidding.pass_with": ["alike", "alike"]}),
    ProblemCode.PASSING_IMPOSSIBLE: ("perudo", {"bidding.pass_with": ["full_house"], "dice.per_player": 4}),
    ProblemCode.PASSING_TAKEN: ("chart", {"bidding.pass_with": ["alike"], "penalty_timing": "immediate"}),
    ProblemCode.PASSING_MIXED: ("basic+mixed-dice", {"bidding.pass_with": ["alike"]}),
    ProblemCode.PASSING_COVERED: ("perudo+obligo-open", {"bidding.pass_with": ["alike"]}),
    ProblemCode.COVERED_SHOW: ("perudo+obligo-open", {"bidding.show_dice": "counting"}),
    ProblemCode.DECLARED_BLIND: ("perudo+obligo-open", {"special_round.trigger": "declared"}),
    ProblemCode.OPEN_HANDS: ("perudo+obligo-open", {"count.hand_bonus": "alike"}),
    ProblemCode.NEVER_DOWN_TO_ONE: ("perudo", {"dice.per_player": 1}),
    ProblemCode.CONVERT_UNWILD: ("perudo", {"wilds.special_is_wild": False}),
    ProblemCode.CONVERT_SUSPENDED: ("perudo", {"wilds.suspended_by": ["any_bid_on_special"]}),
    ProblemCode.NEVER_OPENS: ("perudo", {"special_round": None}),
    ProblemCode.NATURAL_UNWILD: ("classic", {"wilds.needs_natural": True}),
    ProblemCode.UNLIMITED_GAIN: ("perudo", {"exact_call.gain_cap": None}),
    ProblemCode.EXEMPT_UNLOCKED: ("perudo", {"special_round.face_locked": False}),
}
"""Rules with every problem, as a file can have them: a preset, and changes of it."""


def problems_of(name: str, changes: Mapping[str, Any]) -> list[RulesetProblem]:
    """All that is wrong or odd about a preset with these changes, and nothing done to make up for them."""
    plain: dict[str, Any] = msgspec.to_builtins(preset(name).ruleset)
    for path, value in changes.items():
        part, _, field = path.rpartition(".")
        (plain[part] if part else plain)[field] = value
    rules = unchecked_rules(plain)
    problems = list(find_problems(rules))
    return [*(problems or find_costs(checked(rules), rules.players.min)), *find_warnings(rules)]


def placeholders(code: ProblemCode) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(code.value) if name}


def is_for_players(text: str, language: str) -> bool:
    """Whether a text has no field path and no value as files write it; of those, English shares words with players."""
    is_sentence = (text[0] in "“«" or text[0].isupper()) and text.endswith(".")
    has_no_foreign_words = language == "en" or not RAW & set(re.findall(r"\w+", text))
    return is_sentence and has_no_foreign_words and not FILE_SYNTAX.search(text)


@pytest.mark.parametrize("code", ProblemCode, ids=lambda code: code.name.lower())
def test_every_problem_can_occur_and_has_a_sentence_in_each_language(code: ProblemCode) -> None:
    (problem,) = [problem for problem in problems_of(*PROBLEM_EXAMPLES[code]) if problem.code is code]
    assert problem.values.keys() == placeholders(code)
    sentences = {problem_text(problem, language) for language in LANGUAGES}
    assert len(sentences) == len(LANGUAGES)
    assert all(is_for_players(problem_text(problem, language), language) for language in LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_have_the_placeholders_of_their_problem(language: str) -> None:
    sentences, english = translations_for(language).problems, translations_for("en").problems
    assert list(sentences) == [code.name.lower() for code in ProblemCode]
    for code in ProblemCode:
        named = PLACEHOLDER.findall(sentences[code.name.lower()])
        assert (
            placeholders(code) - NOT_FOR_PLAYERS <= set(named) <= (placeholders(code) - NOT_FOR_PLAYERS) | set(DEFAULTS)
        ), code
        assert sorted(named) == sorted(PLACEHOLDER.findall(english[code.name.lower()])), code


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_field_has_a_title_of_its_own(language: str) -> None:
    titles = [translations_for(language).title(path) for path in DEFAULTS]
    assert len(titles) == len(set(titles)) == len([*FIELD_TYPES, *OPTIONAL_PARTS])


def test_a_loop_is_explained_with_its_remedies() -> None:
    (problem,) = problems_of("classic", {"bidding.raise": "either_increases"})
    assert str(problem).startswith("bidding.raise either_increases lets bids go round in a loop: 1x2 -> ")
    assert problem_text(problem, "en") == (
        "Bids could go round in a loop: 1×2 → 2×1 → 1×2. "
        "Choose another option at “What beats a bid”, or switch on “No repeated bids in a round”."
    )
    assert problem_text(problem, "es") == (
        "Las apuestas podrían dar vueltas sin fin: 1×2 → 2×1 → 1×2. "
        "Elige otra opción en «Qué supera a una apuesta» o activa «Sin repetir apuestas en una ronda»."
    )


def test_a_loop_of_conversions_names_the_conversions() -> None:
    (problem,) = problems_of("perudo", {"bidding.to_special": "ceil_half", "bidding.from_special": "double"})
    assert str(problem) == (
        "bidding.to_special ceil_half and bidding.from_special double let bids go round in a loop: 1x1 -> 2x2 -> 1x1 "
        "(choose another of the two or set bidding.no_repeat)"
    )
    assert "“Changing to the special face” or “Changing from the special face”" in problem_text(problem, "en")


def test_a_number_outside_its_limits_is_named_by_its_title() -> None:
    (penalty,) = problems_of("classic", {"penalties": [{"trigger": "asks_dice_left", "dice": 0}]})
    assert problem_text(penalty, "en") == "“Penalties” must be at least 1."
    (players,) = problems_of("perudo", {"special_round.min_players": 500})
    assert problem_text(players, "es") == "«Ronda especial: Mínimo de personas» puede ser como mucho 100."


ODD_NUMBERS = st.sampled_from([-1, 0, 1, 2, 3, 7, 13, 50, 101, 1001, 10**7])
ODD_LISTS: dict[str, list[Any]] = {
    "penalties": [[{"trigger": "asks_dice_left", "dice": 0}], [{"trigger": "asks_dice_left"}] * 2],
    "wilds.suspended_by": [["special_round"] * 2],
    "dice.faces_by_seat": [[4, 6], [1, 99]],
}


def values(path: str) -> st.SearchStrategy[Any]:
    """Values that the page offers for a field, and others that only an address can contain."""
    kind, listed = field_kind(path), list(listed_values(path))
    if kind is RuleFieldKind.NUMBER:
        return st.sampled_from(listed) | ODD_NUMBERS if listed else ODD_NUMBERS
    if kind is RuleFieldKind.TEXT and path not in ODD_LISTS:
        return st.sampled_from(["", "x" * 41, "bidding.raise", "a\nb"])
    return st.sampled_from([*listed, *ODD_LISTS.get(path, [])])


changes_of_all_kinds = st.lists(
    st.sampled_from([*FIELD_TYPES, *OPTIONAL_PARTS]).flatmap(lambda path: st.tuples(st.just(path), values(path))),
    max_size=6,
).map(dict)


def texts_on_the_page(response: RulesResponse) -> list[str]:
    """Everything that the page says about conflicts."""
    options = [option for field in response.fields for option in field.options]
    return [*response.problems, *response.warnings, *(option.problem for option in options if option.problem)]


@given(st.sampled_from(preset_names()), st.sampled_from(list(LANGUAGES)), changes_of_all_kinds)
def test_no_page_shows_field_paths(name: str, language: str, changes: dict[str, Any]) -> None:
    if changes.get("dice.faces", 0) > 20:  # more than the page takes
        changes["dice.faces"] = 20
    response = rules_response(RulesForm(rules=name, changes=changes, language=language))
    for text in texts_on_the_page(response):
        assert is_for_players(text, language), text
