"""Rulesets as features."""

from __future__ import annotations

import pytest

from liarsdice.core.rules.presets import preset
from liarsdice.values.features import rule_features

PERUDO = preset("perudo").ruleset


def test_rules_are_read_only_numbers() -> None:
    features = rule_features(PERUDO)
    assert ((features >= 0) & (features <= 1)).mean() > 0.9
    with pytest.raises(ValueError, match="read-only"):
        features[0] = 2
