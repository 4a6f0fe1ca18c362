"""Logs and metrics say what was done and with what result, but not by whom, and hold no dice, names or talk."""

from __future__ import annotations

import hashlib

from liarsdice.core.rules.presets import preset
from liarsdice.server.http.auth import hash_token
from liarsdice.server.table import log_entries as e
from tests.server.live_tables import make_config
from tests.server.random_script import TALK, RandomScript
from tests.server.twin_tables import NAMES, STRANGER, TwinDiceSource, TwinTable, captured_logs


async def test_logs_contain_no_names_talk_or_secrets() -> None:
    rules = preset("perudo").ruleset
    for seed in range(10):
        with captured_logs() as log:
            twin = TwinTable(TwinDiceSource(seed, 0, None, 1), log)
            await twin.open(make_config(rules), 3)
            await RandomScript(seed, 3, 2).play(twin)
            await twin.close()
            logged = log.getvalue() + twin.services.metrics.text().decode()
        server_seeds = [row.entry.server_seed for row in twin.rows() if isinstance(row.entry, e.SeedCommitted)]
        assert server_seeds
        secrets = [*server_seeds, *(hashlib.sha256(secret.encode()).hexdigest() for secret in server_seeds)]
        secrets += [hash_token(name)[:16] for name in (*NAMES, STRANGER)]
        secrets += [f'"{name}"' for name in (*NAMES, STRANGER)] + [line for line in TALK if line.strip()]
        assert [secret for secret in secrets if secret in logged] == []
