"""What a table may cost is bounded by its bids and dice, and the error says how to get below the limit."""

from typing import Any

import pytest

from liarsdice.core.errors import CostlyRulesError
from liarsdice.core.rules.overlay import apply_patch, patched, read_patch
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.rule_costs import check_costs
from liarsdice.core.rules.ruleset import Ruleset, checked


def rules_with(changes: dict[str, Any]) -> Ruleset:
    return checked(apply_patch(preset("perudo").ruleset, read_patch(changes)))


ZHAI = {"bidding.to_pure": "one_less", "bidding.special_rank": "top_face", "wilds.suspended_by": []}
ANY_GAIN = {"exact_call.gain_cap": None, "exact_call.success_gain": 100}


@pytest.mark.parametrize(
    "rules, remedy",
    [
        (rules_with({"dice.per_player": 21}), "dice.per_player is 21, but may be at most 20"),
        (patched(preset("perudo").ruleset, dice__faces=21), "dice.faces is 21, but may be at most 20"),
        (rules_with({"bidding.cap": 1_000, "dice.faces": 20, **ZHAI}), "set bidding.cap to 307 or less"),
        (rules_with({"bidding.cap": None, "dice.faces": 20}), "set bidding.cap to 600 or less"),
        (rules_with({"bidding.cap": 1_000}), "set guards.max_bids_per_round to 2000 or less"),
        (rules_with({**ANY_GAIN, "guards.max_rounds": 1_000}), "set exact_call.gain_cap to starting_dice"),
        (rules_with({**ANY_GAIN, "exact_call.budget": 1}), "lower exact_call.success_gain"),
    ],
)
def test_rules_that_cost_more_than_a_table_may_are_refused_with_the_limit_and_what_lowers_the_cost(
    rules: Ruleset, remedy: str
) -> None:
    with pytest.raises(CostlyRulesError, match=remedy):
        check_costs(rules, 6)


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_is_within_the_limits_with_as_many_players_as_there_can_be(name: str) -> None:
    rules = preset(name).ruleset
    check_costs(rules, min(rules.players.max or 10, 10))


def test_house_rules_without_a_limit_on_quantities_or_on_gains_find_a_table() -> None:
    for changes in ({"bidding.cap": None, **ZHAI}, {"exact_call.gain_cap": None}):
        check_costs(rules_with(changes), 6)
