"""Tables have no more dice and faces than a game of people, so that no table slows the others down."""

from pathlib import Path

import pytest

from liarsdice.core.errors import CostlyRulesError
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.rule_costs import MAX_DICE_EACH
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.server.http.auth import hash_token
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_config import normalize_config
from tests.server.live_tables import make_config, make_table, open_registry


def perudo_with(per_player: int, faces: int = 6) -> Ruleset:
    return patched(preset("perudo").ruleset, dice__per_player=per_player, dice__faces=faces)


def test_no_table_is_opened_with_rules_that_cost_too_much() -> None:
    with pytest.raises(CostlyRulesError, match="may be at most"):
        normalize_config(make_config(perudo_with(MAX_DICE_EACH + 1)))


async def test_the_host_cannot_change_a_table_to_such_rules_either(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        with pytest.raises(CostlyRulesError, match="may be at most"):
            await registry.submit(live_table, hash_token("Ann"), "c", c.Change(make_config(perudo_with(100))))
