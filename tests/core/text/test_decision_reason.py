"""The reasons of decisions, in every language, are the golden ones, which the page says, too."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from liarsdice.core.rules.presets import preset
from liarsdice.core.text.narration import DecisionReason, Narrator, reason_sentences

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "reason_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", ["en", "es"])
def test_reasons_are_the_golden_ones(language: str) -> None:
    cases = [case for case in GOLDEN["cases"] if case["language"] == language]
    assert len(cases) >= 10
    for case in cases:
        narrator = Narrator(preset(case["rules"]).ruleset, tuple(GOLDEN["names"]), case["viewer"], language)
        reason = msgspec.convert(case["reason"], DecisionReason)
        assert list(reason_sentences(reason, narrator)) == case["sentences"]
