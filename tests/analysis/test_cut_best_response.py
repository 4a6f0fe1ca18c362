"""Lower bounds of exploitability by an opponent who calls where the bot seldom comes."""

from __future__ import annotations

from itertools import pairwise

import pytest

from liarsdice.analysis.exploitability import exploitability, exploitability_bound
from liarsdice.bots.registry import make_bot
from liarsdice.core.rules.presets import preset
from liarsdice.solve.game.round_game import with_faces


@pytest.mark.parametrize("name", ["champion@4", "regular", "random", "threshold"])
@pytest.mark.parametrize("rules_name, dice", [("perudo", (2, 1)), ("openspiel", (1, 2))])
def test_without_a_limit_it_is_the_best_response(name: str, rules_name: str, dice: tuple[int, int]) -> None:
    rules = with_faces(preset(rules_name).ruleset, 3)
    exact = exploitability(make_bot(name, 1), rules, dice)
    bound = exploitability_bound(make_bot(name, 1), rules, dice, 0.0)
    assert bound.as_first == pytest.approx(exact.as_first, abs=1e-9)
    assert bound.as_second == pytest.approx(exact.as_second, abs=1e-9)


def test_a_larger_limit_finds_no_more() -> None:
    rules = with_faces(preset("openspiel").ruleset, 3)
    found = [exploitability_bound(make_bot("champion@4", 1), rules, (2, 2), limit) for limit in (1.0, 0.2, 0.02, 0.0)]
    for smaller, larger in pairwise(found):
        assert smaller.as_first <= larger.as_first + 1e-12
        assert smaller.as_second <= larger.as_second + 1e-12
    assert found[0].exploitability < found[-1].exploitability


def test_rounds_with_many_dice_are_bounded() -> None:
    bound = exploitability_bound(make_bot("threshold", 1), preset("openspiel").ruleset, (3, 3), 0.5)
    assert 0 < bound.exploitability <= 1
