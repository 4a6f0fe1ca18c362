"""Every field of a ruleset has one path, one type and one value."""

from __future__ import annotations

import msgspec
from hypothesis import given

from liarsdice.core.rules.overlay import DEFAULTS, FIELD_TYPES, OPTIONAL_PARTS, PARTS, field_value, flatten
from liarsdice.core.rules.ruleset import Ruleset
from tests.laws.random_rulesets import rulesets


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
