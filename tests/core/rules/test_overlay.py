"""Presets, house-rule files and patches lay changes over a ruleset by one implementation."""

from __future__ import annotations

from hashlib import sha256

import msgspec
import pytest
from hypothesis import given

from liarsdice.core.errors import MalformedError, RulesetError
from liarsdice.core.rules.overlay import field_errors, flatten_as_json, merged, nest, patched, unchecked_rules
from liarsdice.core.rules.parts import Dice, ExactCall, Labels, Players, RuleChoices
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from tests.laws.random_rulesets import rulesets


@given(rulesets(), rulesets())
def test_all_fields_of_one_ruleset_over_another_are_that_ruleset(rules: Ruleset, base: Ruleset) -> None:
    fields = {name: getattr(rules, name) for name in rules.__struct_fields__}
    assert patched(base, **fields) == rules


def test_rules_without_a_later_field_are_written_as_before_to_the_byte() -> None:
    written = msgspec.json.encode(Ruleset())
    assert sha256(written).hexdigest() == "de64652f39ebf12a0ab3f06edd35eac859bbbca4dc6f7d3b630f68d1a6d47e69"
    dice = Dice(faces_by_seat=(6, 6))  # as all others
    unset = Ruleset(players=Players(per_set=None), dice=dice, labels=Labels(challenge_also=()))
    assert unset == Ruleset()
    assert msgspec.json.encode(unset) == written


@given(rulesets())
def test_fields_by_path_and_nested_fields_are_the_same_changes(rules: Ruleset) -> None:
    by_path = {path: value for path, value in flatten_as_json(rules).items() if value is not True or "." in path}
    assert unchecked_rules(nest(by_path)) == RuleChoices(
        **{name: getattr(rules, name) for name in rules.__struct_fields__}
    )


def test_a_part_is_replaced_as_a_whole_or_field_by_field() -> None:
    rules = patched(Ruleset(), dice=Dice(per_player=3, faces=8), dice__special_face=8)
    assert rules.dice == Dice(per_player=3, faces=8, special_face=8)
    aces = patched(rules, labels__special_face="aces")
    assert patched(aces, labels=Labels(game="Dudo")).labels == Labels(game="Dudo")


def test_a_field_of_a_missing_part_brings_the_part() -> None:
    rules = patched(preset("basic").ruleset, exact_call__budget=2, guards__max_rounds=9)
    assert rules.exact_call == ExactCall(budget=2)
    assert patched(rules, exact_call=None).exact_call is None


def test_none_in_a_file_is_no_value_where_a_field_may_lack_one() -> None:
    assert merged({}, {"exact_call": "none", "labels": {"game": "none", "special_face": "none"}}) == {
        "exact_call": None,
        "labels": {"game": "none", "special_face": None},
    }


@pytest.mark.parametrize("changes", [{"dice__sides": 6}, {"sides": 6}, {"dice__faces": "six"}, {"dice__faces__x": 1}])
def test_unknown_fields_and_impossible_values_are_malformed(changes: dict[str, object]) -> None:
    with pytest.raises(MalformedError):
        patched(Ruleset(), **changes)


def test_choices_that_do_not_work_together_make_no_ruleset() -> None:
    with pytest.raises(RulesetError, match=r"dice\.faces is 1"):
        patched(Ruleset(), dice__faces=1)
    assert unchecked_rules({"dice": {"faces": 1}}).dice.faces == 1


def test_every_wrong_field_is_listed_with_what_would_be_right() -> None:
    errors = list(field_errors({"dice": {"sides": 6, "faces": "six"}, "end": "never"}))
    assert len(errors) == 3
    assert "(choose: faces, faces_by_seat, per_player, special_face)" in errors[0]
    assert "(choose: first_player_out, last_player_with_dice)" in errors[2]
