"""Presets, house-rule files and patches lay changes over a ruleset by one implementation."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.errors import LiarsDiceError, MalformedError, RulesetError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.overlay import (
    DEFAULTS,
    FIELD_TYPES,
    OPTIONAL_PARTS,
    PARTS,
    apply_patch,
    field_errors,
    field_value,
    flatten,
    flatten_as_json,
    json_value,
    merged,
    minimal_patch,
    nest,
    patched,
    read_patch,
    unchecked_rules,
)
from liarsdice.core.rules.parts import Dice, ExactCall, Labels, Penalty, Players, RuleChoices
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset, checked
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
    assert "(choose: double, double_lost, faces, faces_by_seat, per_player, special_face, visibility)" in errors[0]
    assert "(choose: first_player_out, last_player_with_dice)" in errors[2]


def patched_preset(name: str, changes: Mapping[str, Any]) -> Ruleset:
    """The rules of a preset with changes from outside, checked."""
    return checked(apply_patch(preset(name).ruleset, read_patch(changes)))


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_without_changes_is_itself(name: str) -> None:
    rules = preset(name).ruleset
    assert patched_preset(name, {}) == rules
    neutral = patched_preset(name, {"dice.per_player": rules.dice.per_player})
    assert flatten(neutral) == flatten(rules), "fields without meaning have neutral values"
    assert patched_preset("basic", msgspec.to_builtins(rules)) == rules


def test_changes_are_plain_values_by_path() -> None:
    rules = patched_preset(
        "perudo",
        {
            "dice.per_player": 6,
            "exact_call": None,
            "wilds.suspended_by": ["any_bid_on_special"],
            "penalties": [{"trigger": "asks_dice_left", "dice": 2}],
            "players.max": "none",
            "bidding.raise": "no_decrease",
        },
    )
    assert rules.dice.per_player == 6
    assert rules.exact_call is None
    assert rules.wilds.suspended_by == (c.SuspendedBy.ANY_BID_ON_SPECIAL,)
    assert rules.penalties == (Penalty(trigger=c.PenaltyTrigger.ASKS_DICE_LEFT, dice=2),)
    assert rules.bidding.raise_ is c.Raise.NO_DECREASE


def test_a_change_inside_an_optional_part_brings_the_part() -> None:
    call = patched_preset("classic", {"exact_call.who": "anyone_but_bidder"}).exact_call
    assert call == ExactCall(who=c.WhoCallsExact.ANYONE_BUT_BIDDER)


@pytest.mark.parametrize("off", [None, False, "none"])
def test_a_part_that_is_taken_away_takes_its_fields_along(off: object) -> None:
    changes = {"exact_call": off, "exact_call.budget": 3}
    assert patched_preset("perudo", changes).exact_call is None
    assert patched_preset("classic", changes).exact_call is None


def test_an_exact_call_comes_with_the_last_round_that_it_needs() -> None:
    rules = patched_preset("classic", {"exact_call": True})
    assert rules == msgspec.structs.replace(
        patched_preset("classic+calza", {}), labels=preset("classic").ruleset.labels
    )
    with pytest.raises(RulesetError, match="match need not end"):
        patched_preset("classic", {"exact_call": True, "guards.max_rounds": None})


def test_what_means_nothing_beside_the_other_rules_is_dropped() -> None:
    plain = patched_preset("perudo", {"wilds.special_is_wild": False, "bidding.special_rank": "plain"})
    assert plain.wilds.suspended_by == ()
    assert (plain.bidding.to_special, plain.bidding.from_special) == (None, None)
    assert patched_preset("classic", {"bidding.to_special": "ceil_half"}) == preset("classic").ruleset


def test_choices_that_do_not_work_together_are_refused() -> None:
    with pytest.raises(RulesetError, match="loop"):
        patched_preset("perudo", {"bidding.raise": "product"})


def nested(depth: int) -> Any:  # noqa: ANN401  a list in a list, and so on
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "changes",
    [
        {"dice.sides": 6},
        {"dice": 6},
        {"dice": {"sides": 6}},
        {"dice": None},
        {"exact_call": 3},
        {"exact_call": {"who": {"who": "next_player"}}},
        {"": 1},
        {"__class__": 1},
        {"dice.per_player.x": 1},
        {"x" * 100_000: 1},
        {"dice.per_player": "six"},
        {"dice.per_player": True},
        {"dice.per_player": 5.5},
        {"dice.per_player": float("nan")},
        {"dice.per_player": None},
        {"dice.per_player": 10**5000},
        {"dice.per_player": nested(100_000)},
        {"dice": nested(100_000)},
        {"penalties": nested(100_000)},
        {"penalties": [{"trigger": "asks_dice_left", "dice": 10**5000}]},
        {"penalties": [{"trigger": "asks_dice_left"}] * 1000},
        {"dice.faces": 100},
        {"bidding.raise": "sideways"},
        {"bidding.special_may_open": 3},
        {"labels.game": "x" * 1000},
        {"labels.game": "\ud800"},
        {"labels.game": 3},
        {f"dice.x{number}": number for number in range(101)},
    ],
)
def test_what_cannot_be_read_is_refused_in_a_short_line(changes: dict[str, object]) -> None:
    with pytest.raises(MalformedError) as refusal:
        patched_preset("classic", changes)
    assert 0 < len(str(refusal.value)) < 400


def test_a_wrong_path_is_told_the_nearest() -> None:
    with pytest.raises(MalformedError, match=r"no rule is called 'dice.perplayer' \(did you mean dice.per_player\?\)"):
        patched_preset("classic", {"dice.perplayer": 6})


@pytest.mark.parametrize("label", ["", " ", "x" * 41, "a\nb"])
def test_a_label_is_one_to_forty_printable_characters(label: str) -> None:
    with pytest.raises(RulesetError, match=r"labels\.game"):
        patched_preset("classic", {"labels.game": label})


@given(
    st.dictionaries(st.sampled_from([*FIELD_TYPES, "exact_call", "special_round"]), st.from_type(object) | st.text())
)
def test_anything_is_rules_or_one_of_our_errors(changes: dict[str, object]) -> None:
    try:
        rules = patched_preset("perudo", changes)
    except LiarsDiceError:
        return
    assert apply_patch(rules, {}) is not None


@given(st.data())
def test_a_minimal_patch_leads_to_the_same_rules_and_has_no_superfluous_change(data: st.DataObject) -> None:
    base, other = (preset(data.draw(st.sampled_from(preset_names()))).ruleset for _ in range(2))
    patch = flatten_as_json(other)
    rules = apply_patch(base, patch)
    fewest = minimal_patch(base, patch)
    assert apply_patch(base, fewest) == rules
    for path in fewest:
        fewer = {key: value for key, value in fewest.items() if key != path}
        assert path in OPTIONAL_PARTS or apply_patch(base, fewer) != rules


@pytest.mark.parametrize("name", preset_names())
def test_the_value_of_one_field_is_that_among_all_fields(name: str) -> None:
    rules = preset(name).ruleset
    values = flatten_as_json(rules)
    for path in (*FIELD_TYPES, *OPTIONAL_PARTS):
        assert json_value(rules, path) == values.get(path), path


def test_every_field_has_a_type_and_a_default() -> None:
    assert list(FIELD_TYPES) == [path for path in DEFAULTS if path not in OPTIONAL_PARTS]
    assert {path.partition(".")[0] for path in FIELD_TYPES if "." in path} == PARTS
    for path, kind in FIELD_TYPES.items():
        assert msgspec.convert(msgspec.to_builtins(DEFAULTS[path]), kind) == DEFAULTS[path]


@given(rulesets())
def test_a_flattened_ruleset_holds_the_value_of_every_path(rules: Ruleset) -> None:
    for path, value in flatten(rules).items():
        result = field_value(rules, path)
        assert value is (result is not None or None) if path in OPTIONAL_PARTS else result == value
