"""Odds in the kernels: the numbers of `core.bids.odds` for every bid, and rules whose odds are not compiled."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings

from liarsdice.core.bids.odds import p_true
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import array_schema as schema
from liarsdice.sim import rollouts
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.kernels import policies
from liarsdice.sim.policies import ThresholdPolicy, make_policy_arrays
from liarsdice.sim.vector_env import VectorEnv
from tests.laws.random_rulesets import seeds, tables


def compare_with_core(rules: Ruleset, seats: int, seed: int) -> None:
    """Compare the kernel's probability of every bid with the core's, for each seat of a freshly dealt match."""
    compiled = compile_rules(rules, seats)
    odds = make_policy_arrays(compiled, (ThresholdPolicy(),)).odds
    env = VectorEnv(compiled, 1, seed=seed)
    wilds_count = bool(env.match_field(schema.WILDS_COUNT)[0])
    places = len(compiled.arrays.faces)
    for seat in range(seats):
        hand = tuple(face + 1 for face, count in enumerate(env.hands[0, seat].tolist()) for _ in range(count))
        others = tuple(dice for other, dice in enumerate(env.dice[0].tolist()) if other != seat and dice)
        row = policies.odds_row(env.state, odds, 0, seat)
        for bid_id, bid in enumerate(compiled.bids):
            place = bid_id % places
            p = policies.p_true(compiled.arrays, env.state, odds, 0, seat, row, bid.quantity, place)
            assert p == pytest.approx(p_true(rules, bid, hand, others, wilds_count=wilds_count), abs=1e-12), bid


@pytest.mark.parametrize("name", simulated_preset_names())
def test_bids_are_as_likely_in_the_kernels_as_in_the_core_by_every_preset(name: str) -> None:
    compare_with_core(preset(name).ruleset, 3, seed=1)


@settings(max_examples=60)
@given(tables(most_dice=4, simulated=True), seeds)
def test_bids_are_as_likely_in_the_kernels_as_in_the_core_by_random_rules(
    table: tuple[Ruleset, int], seed: int
) -> None:
    try:
        compare_with_core(*table, seed)
    except UnavailableError:  # no tables for these rules
        assume(False)


def test_odds_that_are_not_compiled_are_refused_with_the_reason() -> None:
    rules = patched(preset("snyd-stairs").ruleset, wilds__needs_natural=True)
    assert rollouts.play_matches(rules, 3, 5).won.sum() == 5
    with pytest.raises(UnavailableError, match="hands with a bonus are not compiled where"):
        rollouts.play_matches(rules, 3, 5, policies=(ThresholdPolicy(0.4),))
    many = patched(preset("basic").ruleset, dice__per_player=60)
    with pytest.raises(UnavailableError, match="at most 100 dice, and here there may be 120"):
        rollouts.play_matches(many, 2, 1, policies=(ThresholdPolicy(0.4),))
