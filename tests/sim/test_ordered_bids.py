"""Random rounds with totally ordered bids: the fast path plays the rounds of the general one."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings

from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import rollouts
from liarsdice.sim.compile import compile_rules, ordered_bids
from tests.laws.random_rulesets import seeds, tables


def same(one: msgspec.Struct, other: msgspec.Struct) -> bool:
    return all((getattr(one, name) == getattr(other, name)).all() for name in one.__struct_fields__)


@pytest.mark.parametrize("name", simulated_preset_names())
@pytest.mark.parametrize("dice", [(5, 5), (2, 1, 3), (0, 1, 4, 2)])
def test_the_fast_path_plays_the_rounds_of_the_general_one_by_every_preset(
    name: str, dice: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    last = len(dice) - 1
    quick = rollouts.play_rounds(preset(name).ruleset, dice, 300, seed=3, starter=last)
    monkeypatch.setattr(rollouts, "ordered_bids", lambda *_: None)
    assert same(quick, rollouts.play_rounds(preset(name).ruleset, dice, 300, seed=3, starter=last))


@pytest.mark.parametrize("dice", [(5, 5), (1, 3, 0)])
def test_the_usual_rules_have_totally_ordered_bids(dice: tuple[int, ...]) -> None:
    for name in ("openspiel", "classic", "basic", "snyd", "snyd-joker", "joker"):
        assert ordered_bids(compile_rules(preset(name).ruleset, len(dice), dice), 0, -1) is not None


@settings(max_examples=60)
@given(tables(simulated=True), seeds)
def test_the_fast_path_plays_the_rounds_of_the_general_one_by_random_rules(
    table: tuple[Ruleset, int], seed: int
) -> None:
    rules, seats = table
    dice = tuple(1 + (seed >> seat) % rules.dice.per_player for seat in range(seats))
    quick = rollouts.play_rounds(rules, dice, 20, seed=seed, starter=seed % seats)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rollouts, "ordered_bids", lambda *_: None)
        assert same(quick, rollouts.play_rounds(rules, dice, 20, seed=seed, starter=seed % seats))
