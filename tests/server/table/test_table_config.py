"""Tables have no more dice and faces than a game of people, so that no table slows the others down."""

from pathlib import Path

import pytest

from liarsdice.core.errors import CostlyRulesError
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.rule_costs import MAX_DICE_EACH
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.server.http.auth import hash_token
from liarsdice.server.rules.rules_api import ruleset_of
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_config import normalize_config
from tests.server.live_tables import make_config, make_table, open_registry


def perudo_with(per_player: int, faces: int = 6) -> Ruleset:
    return patched(preset("perudo").ruleset, dice__per_player=per_player, dice__faces=faces)


ZHAI = {"bidding.to_pure": "one_less", "bidding.special_rank": "top_face", "wilds.suspended_by": []}
ANY_GAIN = {"exact_call.gain_cap": None, "exact_call.success_gain": 100}


@pytest.mark.parametrize(
    "rules, remedy",
    [
        (perudo_with(MAX_DICE_EACH + 1), "dice.per_player is 21, but may be at most 20"),
        (perudo_with(5, faces=21), "dice.faces is 21, but may be at most 20"),
        (ruleset_of("perudo", {"bidding.cap": 1_000, "dice.faces": 20, **ZHAI}), "set bidding.cap to 307 or less"),
        (ruleset_of("perudo", {"bidding.cap": None, "dice.faces": 20}), "set bidding.cap to 600 or less"),
        (ruleset_of("perudo", {**ANY_GAIN, "guards.max_rounds": 1_000}), "set exact_call.gain_cap to starting_dice"),
        (ruleset_of("perudo", {**ANY_GAIN, "exact_call.budget": 1}), "lower exact_call.success_gain"),
    ],
)
def test_rules_that_cost_more_than_a_table_may_are_refused_with_the_limit_and_what_lowers_the_cost(
    rules: Ruleset, remedy: str
) -> None:
    with pytest.raises(CostlyRulesError, match=remedy):
        normalize_config(make_config(rules))


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_is_far_from_the_limits_with_as_many_players_as_there_can_be(name: str) -> None:
    rules = preset(name).ruleset
    normalize_config(make_config(rules, seats=min(rules.players.max or 10, 10)))


def test_house_rules_without_a_limit_on_quantities_or_on_gains_find_a_table() -> None:
    for changes in ({"bidding.cap": None, **ZHAI}, {"exact_call.gain_cap": None}):
        normalize_config(make_config(ruleset_of("perudo", changes)))


async def test_the_host_cannot_change_a_table_to_such_rules_either(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        with pytest.raises(CostlyRulesError, match="may be at most"):
            await registry.submit(live_table, hash_token("Ann"), "c", c.Change(make_config(perudo_with(100))))
