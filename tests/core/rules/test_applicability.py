"""A field that does not apply has no effect, and the rulebook and the rule form ask the same conditions."""

from __future__ import annotations

from enum import Enum

import pytest
from hypothesis import given, settings

from liarsdice.core.errors import RulesetError
from liarsdice.core.rules.choices import PenaltyTrigger, ToPure
from liarsdice.core.rules.meaning import CONDITIONS, field_applies
from liarsdice.core.rules.overlay import DEFAULTS, OPTIONAL_PARTS, flatten, patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import FULL, preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from tests.laws.random_matches import random_match
from tests.laws.random_rulesets import seeds, tables

PRESETS = [preset(name).ruleset for name in (*preset_names(), FULL)]


def other_value(value: object) -> object:
    """Another value of the same type, or the same if there is none."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case Enum():
            return next((member for member in type(value) if member is not value), value)
        case _:
            return value


def test_conditions_are_of_fields_in_their_order() -> None:
    assert list(CONDITIONS) == [path for path in DEFAULTS if path in CONDITIONS]


@pytest.mark.parametrize("path", CONDITIONS)
def test_every_condition_holds_for_some_preset_and_fails_for_another(path: str) -> None:
    variants = [*PRESETS, patched(Ruleset(), turn__starter_may_reverse=True, loss__lives=3)]
    variants += [preset(name).ruleset for name in ("chui-niu+drinks", "perudo+pass", "chui-niu+counter-pi")]
    variants.append(patched(Ruleset(), penalties=(Penalty(trigger=PenaltyTrigger.COMMITS_OFFENCE),)))
    variants.append(patched(preset("joker").ruleset, bidding__to_pure=ToPure.SAME_QUANTITY))
    assert {field_applies(rules, path) for rules in variants} == {True, False}


@pytest.mark.parametrize("path", [path for path in DEFAULTS if path not in CONDITIONS])
def test_every_other_field_always_applies(path: str) -> None:
    assert all(field_applies(rules, path) for rules in PRESETS)


@settings(max_examples=40)
@given(tables(), seeds)
def test_a_field_that_does_not_apply_changes_no_match(table: tuple[Ruleset, int], seed: int) -> None:
    rules, seats = table
    match = random_match(rules, seats, seed, 60)
    values = flatten(rules)
    for path in CONDITIONS:
        if path not in values or field_applies(rules, path):
            continue
        if path.partition(".")[0] in OPTIONAL_PARTS and getattr(rules, path.partition(".")[0]) is None:
            continue
        try:
            changed = patched(rules, **{path.replace(".", "__"): other_value(values[path])})
        except RulesetError:
            continue
        other = random_match(changed, seats, seed, 60)
        assert [step.events for step in other.steps] == [step.events for step in match.steps], path
