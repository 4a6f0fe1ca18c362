"""Every rule choice is interpreted by the engine, described in the rulebook and covered by a golden scenario."""

import ast
import inspect
import re
from collections.abc import Iterator
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

import liarsdice.core
from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.rules import choices
from liarsdice.core.rules.choices import Choice, DoubleAnswers
from liarsdice.core.rules.overlay import NONE
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.rulebook import LANGUAGES, rulebook
from liarsdice.core.text.rulebook.build import Sentence
from liarsdice.testing.scenarios import Case, read_cases, ruleset_of, run_case
from tests.laws.random_rulesets import rule_axes

GOLDEN = Path(__file__).parent.parent / "golden"
GIVEN = read_cases(GOLDEN / "scenarios.jsonl")
CHOSEN = read_cases(GOLDEN / "choices.jsonl")
CORE = Path(liarsdice.core.__file__).parent
ENGINE = (
    "rules/bids",
    "rules/bid_space",
    "rules/tally",
    "rules/meaning",
    "rules/parts",
    "engine/legal",
    "engine/player_actions",
    "engine/settle",
    "engine/engine",
    "engine/evolve",
)
"""The modules whose functions interpret the rules; others store, validate or describe them."""

AXES = dict(rule_axes())
MEMBERS = [(path, value) for path, values in AXES.items() for value in values if isinstance(value, Choice)]
MEMBER_IDS = [f"{path}={value}" for path, value in MEMBERS]


def leaves(plain: object, prefix: str = "") -> Iterator[tuple[str, object]]:
    match plain:
        case dict():
            for key, value in plain.items():
                yield from leaves(value, f"{prefix}.{key}" if prefix else str(key))
        case list() | tuple():
            for value in plain:
                yield from leaves(value, prefix)
        case _:
            yield prefix, plain


@cache
def given() -> frozenset[str]:
    """Every `path=value` of the rulesets of the golden scenarios of the rule sheets."""
    rules = {ruleset_of(case, case["preset"]) for case in GIVEN}
    return frozenset(f"{path}={value}" for rule in rules for path, value in leaves(msgspec.to_builtins(rule)))


@cache
def shown() -> frozenset[str]:
    return frozenset(choice for case in CHOSEN for choice in case["choices"])


def written(value: object) -> object:
    return value.value if isinstance(value, Enum) else value


def test_every_enum_of_choices_is_an_axis_of_the_ruleset() -> None:
    members = inspect.getmembers(choices, inspect.isclass)
    chosen_in_play = {choices.Answer, choices.RoundKind}
    kinds = {DoubleAnswers, *(kind for _, kind in members if issubclass(kind, Choice))} - {Choice} - chosen_in_play
    assert kinds == {type(value) for values in AXES.values() for value in values if isinstance(value, Choice)}


@pytest.mark.parametrize("case", CHOSEN, ids=lambda case: str(case["id"]))
def test_the_engine_plays_a_choice_as_its_golden_game_says(case: Case) -> None:
    assert [str(failure) for failure in run_case(case)] == []


def test_golden_games_of_choices_are_told_apart_and_explained() -> None:
    ids = [case["id"] for case in CHOSEN]
    assert len(set(ids)) == len(ids)
    assert not {case["id"] for case in GIVEN} & set(ids)
    for case in CHOSEN:
        assert case["certainty"] in {"derived", "resolved"}
        assert case["note"]
        assert case["choices"]


def test_a_golden_game_is_played_by_the_choices_that_it_names() -> None:
    for case in CHOSEN:
        played_by = {f"{path}={NONE if value is None else str(value).lower()}" for path, value in leaves_of(case)}
        assert set(case["choices"]) <= played_by, case["id"]


def leaves_of(case: Case) -> Iterator[tuple[str, object]]:
    yield from leaves(msgspec.to_builtins(ruleset_of(case, case["preset"])))


def test_every_choice_has_a_golden_game() -> None:
    assert set(MEMBER_IDS) - given() - shown() == set()


@cache
def interpreted() -> frozenset[str]:
    """Every `Enum.MEMBER` that a function of the engine names, in its code or docstring."""
    result: set[str] = set()
    for module in ENGINE:
        tree = ast.parse((CORE / f"{module}.py").read_text(encoding="utf-8"))
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            result.update(re.findall(r"`(\w+\.[A-Z_0-9]+)`", ast.get_docstring(function) or ""))
            for node in ast.walk(function):
                if isinstance(node, ast.Attribute):
                    owner = node.value
                    name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
                    result.add(f"{name}.{node.attr}")
    return frozenset(result)


def default(path: str) -> object:
    """The default of a field; None if its part is missing by default."""
    return dict(leaves(msgspec.to_builtins(Ruleset()))).get(path)


def others(path: str, value: object) -> list[object]:
    """The other values that the field could have."""
    values = (*AXES.get(path, ()), default(path))
    return list(
        {str(other).lower(): other for other in values if str(other).lower() not in {str(value), "none"}}.values()
    )


def exchanged(case: Case, path: str, other: object) -> dict[str, Any]:
    """A golden scenario with another choice in its rules; a list gets the other choice alone, or becomes empty."""
    change: dict[str, object] = {path: written(other)}
    match path:
        case "wilds.suspended_by" | "bidding.pass_with":
            change = {path: []}
        case "penalties.trigger":
            change = {"penalties": [{"trigger": written(other)}]}
        case _:
            pass
    return {**case, "patch": {**case.get("patch", {}), **change}}


def tells_apart(case: Case, path: str, other: object) -> bool | None:
    """Whether a golden scenario fails with another choice; None if no valid rules have it."""
    changed = exchanged(case, path, other)
    try:
        ruleset_of(changed, changed["preset"])
    except LiarsDiceError:
        return None
    return bool(run_case(changed))


def alike(cases: list[Case], path: str, value: object) -> list[object]:
    """The other choices that are valid for some of these golden scenarios and make none of them fail."""
    verdicts = {str(other): {tells_apart(case, path, other) for case in cases} for other in others(path, value)}
    return [other for other, result in verdicts.items() if True not in result and result != {None}]


@pytest.mark.parametrize("choice", sorted(choice for choice in shown() if choice.partition("=")[0] in AXES))
def test_a_golden_game_would_go_otherwise_by_any_other_choice(choice: str) -> None:
    path, _, value = choice.partition("=")
    assert alike([case for case in CHOSEN if choice in case["choices"]], path, value) == []


@pytest.mark.parametrize("path, value", MEMBERS, ids=MEMBER_IDS)
def test_every_choice_is_played_by_the_engine(path: str, value: Choice) -> None:
    """A function names it, or a golden scenario fails with each other choice.

    A choice that has no other is shown by no game, so a function must name it.
    """
    if f"{type(value).__name__}.{value.name}" not in interpreted():
        cases = [case for case in [*CHOSEN, *GIVEN] if (path, value.value) in set(leaves_of(case))]
        assert others(path, value)
        assert alike(cases, path, value) == []


@cache
def golden_rules() -> frozenset[Ruleset]:
    return frozenset(ruleset_of(case, case["preset"]) for case in [*CHOSEN, *GIVEN])


@cache
def sentences_of(rules: Ruleset, language: str) -> tuple[Sentence, ...]:
    return rulebook(rules, language).sentences()


@cache
def told(rules: Ruleset, path: str, language: str) -> frozenset[str]:
    """The texts of a rulebook's sentences that depend on a field."""
    top = path.removesuffix(".trigger")
    return frozenset(sentence.text for sentence in sentences_of(rules, language) if top in sentence.reads)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path, value", MEMBERS, ids=MEMBER_IDS)
def test_the_rulebook_has_a_sentence_for_every_choice_that_no_other_has(
    path: str, value: Choice, language: str
) -> None:
    with_it, without = set[str](), set[str]()
    for rules in golden_rules():
        has = (path, value.value) in set(leaves(msgspec.to_builtins(rules)))
        (with_it if has else without).update(told(rules, path, language))
    assert with_it
    assert with_it - without or not others(path, value)
