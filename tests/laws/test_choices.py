"""One axis, one home: every rule choice is played by the engine, told in the rulebook and shown in a golden game."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

import liarsdice.core
from liarsdice.core import choices
from liarsdice.core.actions import ChooseStarter, RollForStart
from liarsdice.core.choices import Choice, StarterMethod
from liarsdice.core.engine import decide, start
from liarsdice.core.errors import IllegalActionError, LiarsDiceError
from liarsdice.core.files import NONE
from liarsdice.core.rulebook import rulebook
from liarsdice.core.ruleset import FirstStarter, Ruleset
from liarsdice.core.scenarios import Case, read_cases, ruleset_of, run_case
from tests.laws.axes import axes

GOLDEN = Path(__file__).parent.parent / "golden"
GIVEN = read_cases((GOLDEN / "scenarios.jsonl").read_text())
CHOSEN = read_cases((GOLDEN / "choices.jsonl").read_text())
CORE = Path(liarsdice.core.__file__).parent
# The presets choose, and the rulebook tells: neither plays.
NO_ENGINE = {"choices.py", "presets.py"}


AXES = dict(axes())
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
    """Every `path=value` of the rules that the golden games of the rule sheets are played by."""
    rules = {ruleset_of(case, case["preset"]) for case in GIVEN}
    return frozenset(f"{path}={value}" for rule in rules for path, value in leaves(msgspec.to_builtins(rule)))


@cache
def shown() -> frozenset[str]:
    return frozenset(choice for case in CHOSEN for choice in case["choices"])


def written(value: object) -> object:
    return value.value if isinstance(value, Enum) else value


def test_every_enum_of_choices_is_an_axis_of_the_ruleset() -> None:
    kinds = {kind for _, kind in inspect.getmembers(choices, inspect.isclass) if issubclass(kind, Choice)} - {Choice}
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


@pytest.mark.parametrize("case", CHOSEN, ids=lambda case: str(case["id"]))
def test_a_golden_game_is_played_by_the_choices_that_it_names(case: Case) -> None:
    played_by = {f"{path}={NONE if value is None else str(value).lower()}" for path, value in leaves_of(case)}
    assert set(case["choices"]) <= played_by


def leaves_of(case: Case) -> Iterator[tuple[str, object]]:
    yield from leaves(msgspec.to_builtins(ruleset_of(case, case["preset"])))


@pytest.mark.parametrize("path, value", MEMBERS, ids=MEMBER_IDS)
def test_every_choice_has_a_golden_game(path: str, value: Choice) -> None:
    assert f"{path}={value}" in given() | shown()


@cache
def played_by_the_engine() -> frozenset[str]:
    """Every `Enum.MEMBER` that some module of the engine names."""
    found: set[str] = set()
    for module in CORE.glob("*.py"):
        if module.name not in NO_ENGINE:
            nodes = ast.walk(ast.parse(module.read_text(encoding="utf-8")))
            attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
            for node in attributes:
                owner = node.value
                name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
                found.add(f"{name}.{node.attr}")
    text = "".join(module.read_text(encoding="utf-8") for module in CORE.glob("*.py") if module.name not in NO_ENGINE)
    return frozenset(found | {f"{kind}.{name}" for kind, name in _named_in_words(text)})


def _named_in_words(text: str) -> Iterator[tuple[str, str]]:
    """An enum of one member has nothing to compare with: a docstring names the place that stands for it."""
    for kind in {type(value) for values in AXES.values() for value in values if isinstance(value, Choice)}:
        for name in kind.__members__:
            if f"`{kind.__name__}.{name}`" in text:
                yield kind.__name__, name


def others(path: str, value: object) -> list[object]:
    """What else could stand in this field."""
    return [other for other in AXES.get(path, ()) if other is not value and str(other).lower() != str(value)]


def exchanged(case: Case, path: str, value: object) -> dict[str, Any]:
    return {**case, "patch": {**case.get("patch", {}), path: written(value)}}


def tells_apart(case: Case, path: str, other: object) -> bool:
    """Whether a golden game fails when it is played by another choice (rules that can't be are no answer)."""
    changed = exchanged(case, path, [] if path == "wilds.suspended_by" else other)
    try:
        ruleset_of(changed, changed["preset"])
    except LiarsDiceError:
        return True
    return bool(run_case(changed))


SHOWN = sorted(choice for choice in shown() if choice.partition("=")[0] in AXES)
# How the first starter is found shows before the round that a golden game tells; see the test of it below.
BEFORE_THE_ROUND = "first_starter.method=random"


@pytest.mark.parametrize("choice", [choice for choice in SHOWN if choice != BEFORE_THE_ROUND])
def test_a_golden_game_would_go_otherwise_by_any_other_choice(choice: str) -> None:
    path, _, value = choice.partition("=")
    cases = [case for case in CHOSEN if choice in case["choices"]]
    for other in others(path, value):
        assert any(tells_apart(case, path, other) for case in cases), other


@pytest.mark.parametrize("path, value", MEMBERS, ids=MEMBER_IDS)
def test_every_choice_is_played_by_the_engine(path: str, value: Choice) -> None:
    """The engine names it, or a golden game shows that it goes otherwise by it."""
    named = f"{type(value).__name__}.{value.name}" in played_by_the_engine()
    kept = f"{path}={value}" in shown()
    alone = len(type(value)) == 1
    assert named or kept or alone or value in {StarterMethod.CHOSEN, StarterMethod.RANDOM}


@pytest.mark.parametrize("method", StarterMethod)
def test_the_first_starter_is_rolled_for_or_named_as_the_rules_say(method: StarterMethod) -> None:
    state = start(Ruleset(first_starter=FirstStarter(method=method)), ("Ann", "Bo"))
    rolled, named = RollForStart(((6,), (1,))), ChooseStarter(1)
    right, wrong = (rolled, named) if method is StarterMethod.HIGH_ROLL else (named, rolled)
    assert decide(state, None, right)
    with pytest.raises(IllegalActionError, match="first_starter"):
        decide(state, None, wrong)


@cache
def golden_rules() -> frozenset[Ruleset]:
    return frozenset(ruleset_of(case, case["preset"]) for case in [*CHOSEN, *GIVEN])


@cache
def told(rules: Ruleset, path: str) -> frozenset[str]:
    """The sentences of a rulebook that depend on a field."""
    top = path.removesuffix(".trigger")
    return frozenset(sentence.text for sentence in rulebook(rules).sentences() if top in sentence.reads)


@pytest.mark.parametrize("path, value", MEMBERS, ids=MEMBER_IDS)
def test_the_rulebook_has_a_sentence_for_every_choice_that_no_other_has(path: str, value: Choice) -> None:
    with_it, without = set[str](), set[str]()
    for rules in golden_rules():
        has = (path, value.value) in set(leaves(msgspec.to_builtins(rules)))
        (with_it if has else without).update(told(rules, path))
    assert with_it
    assert with_it - without or len(type(value)) == 1
