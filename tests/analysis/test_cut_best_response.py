"""Bounds of exploitability by opponents who call, or see the bot's hand, where the bot seldom comes."""

from __future__ import annotations

from itertools import pairwise

import pytest

from liarsdice.analysis.exploitability import exploitability, exploitability_bounds
from liarsdice.bots.registry import make_bot
from liarsdice.core.rules.presets import preset
from liarsdice.solve.game.round_game import with_faces

SINGLE_PRECISION = 1e-6
"""A network computes in float32: some processors round a row otherwise in a batch of another size."""


@pytest.mark.parametrize(
    "name, within", [("champion@5", SINGLE_PRECISION), ("regular", 1e-9), ("random", 1e-9), ("threshold", 1e-9)]
)
@pytest.mark.parametrize("rules_name, dice", [("perudo", (2, 1)), ("openspiel", (1, 2))])
def test_without_a_limit_it_is_the_best_response(
    name: str, within: float, rules_name: str, dice: tuple[int, int]
) -> None:
    rules = with_faces(preset(rules_name).ruleset, 3)
    exact = exploitability(make_bot(name, 1), rules, dice)
    bounds = exploitability_bounds(make_bot(name, 1), rules, dice, 0.0)
    for bound in (bounds.low, bounds.high):
        assert bound.as_first == pytest.approx(exact.as_first, abs=within)
        assert bound.as_second == pytest.approx(exact.as_second, abs=within)


@pytest.mark.parametrize("name", ["champion@5", "threshold"])
def test_a_larger_limit_leaves_wider_bounds(name: str) -> None:
    rules = with_faces(preset("openspiel").ruleset, 3)
    found = [exploitability_bounds(make_bot(name, 1), rules, (2, 2), limit) for limit in (1.0, 0.2, 0.02, 0.0)]
    for wider, closer in pairwise(found):
        assert wider.low.as_first <= closer.low.as_first + 1e-12
        assert wider.low.as_second <= closer.low.as_second + 1e-12
        assert wider.high.as_first >= closer.high.as_first - 1e-12
        assert wider.high.as_second >= closer.high.as_second - 1e-12
    assert found[0].low.exploitability < found[-1].low.exploitability
    assert found[0].high.exploitability > found[-1].high.exploitability


def test_rounds_with_many_dice_are_bounded() -> None:
    bounds = exploitability_bounds(make_bot("threshold", 1), preset("openspiel").ruleset, (3, 3), 0.5)
    assert 0 < bounds.low.exploitability < bounds.high.exploitability <= 1 + 1e-12


def test_where_too_much_memory_would_be_needed_the_opponent_wins_all(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = with_faces(preset("openspiel").ruleset, 3)
    close = exploitability_bounds(make_bot("threshold", 1), rules, (2, 2), 0.2)
    monkeypatch.setattr("liarsdice.analysis.exploitability.MAX_BYTES", 0)
    rough = exploitability_bounds(make_bot("threshold", 1), rules, (2, 2), 0.2)
    assert rough.low == close.low
    assert close.high.exploitability < rough.high.exploitability <= 1 + 1e-12
