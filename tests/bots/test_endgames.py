"""The solved last rounds that come with the package: how far from unbeatable they are, worked out anew."""

from __future__ import annotations

from importlib.resources import as_file, files

import pytest

from liarsdice.core.rules.presets import names
from liarsdice.solve.strategy.best_response import Response
from liarsdice.solve.strategy.strategy_file import read_solved

MODELS = files("liarsdice.bots") / "models"
UNSOLVED = {"official"}
"""Presets under which bids may follow each other in any order, so that no round can be solved."""
MOST = 0.005


def test_every_other_preset_has_one() -> None:
    kept = {name for name in names() if (MODELS / f"endgame-{name}.lds").is_file()}
    assert kept == set(names()) - UNSOLVED


@pytest.mark.parametrize("name", sorted(set(names()) - UNSOLVED))
def test_nobody_gains_much_against_them(name: str) -> None:
    with as_file(MODELS / f"endgame-{name}.lds") as path:
        solved = read_solved(path)
    for strategy in solved.strategies:
        tree = strategy.tree
        assert max(tree.round.opening.dice) == 1
        high = Response(tree, strategy.chances, 0, tree.high).value()
        low = -Response(tree, strategy.chances, 1, tree.low).value()
        assert (high - low) / 2 == pytest.approx(strategy.bounds.exploitability, abs=1e-7)
        assert (high - low) / 2 <= MOST
