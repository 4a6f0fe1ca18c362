"""Logs and metrics tell what was done and how it ended, and nothing of who said or held what."""

from __future__ import annotations

import hashlib

from liarsdice.core.rules.presets import preset
from liarsdice.server.http.auth import holder_of
from liarsdice.server.table import log_entries as e
from tests.server.houses import options
from tests.server.script import TALK, Script
from tests.server.worlds import NAMES, STRANGER, World, WorldChances, logs


async def test_logs_name_nobody_and_repeat_nothing() -> None:
    rules = preset("perudo").ruleset
    for seed in range(10):
        with logs() as log:
            world = World(WorldChances(seed, 0, None, 1), log)
            await world.open(options(rules), 3)
            await Script(seed, 3, 2).play(world)
            await world.close()
            told = log.getvalue() + world.house.meters.text().decode()
        sealed = [row.entry.server_seed for row in world.rows() if isinstance(row.entry, e.Sealed)]
        assert sealed
        secrets = [*sealed, *(hashlib.sha256(seed.encode()).hexdigest() for seed in sealed)]
        secrets += [holder_of(name)[:16] for name in (*NAMES, STRANGER)]
        secrets += [f'"{name}"' for name in (*NAMES, STRANGER)] + [line for line in TALK if line.strip()]
        assert [secret for secret in secrets if secret in told] == []
