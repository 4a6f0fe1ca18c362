"""Logs and metrics say what was done and with what result, but not by whom, and hold no dice, names or talk."""

from __future__ import annotations

import hashlib
import io
import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import structlog

from liarsdice.core.rules.presets import preset
from liarsdice.server.http.auth import hash_token
from liarsdice.server.logging_setup import configure_logging
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


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """What a server logs, from now on."""
    loggers = [logging.getLogger(name) for name in ("uvicorn", "uvicorn.error", "litestar")]
    before = [(logger.handlers, logger.propagate, logger.level) for logger in loggers]
    stream = io.StringIO()
    configure_logging(logging.INFO, stream)
    yield stream
    structlog.reset_defaults()
    for logger, (handlers, propagate, level) in zip(loggers, before, strict=True):
        logger.handlers, logger.propagate = handlers, propagate
        logger.setLevel(level)


def test_logs_are_json_lines_with_times_in_utc(stream: io.StringIO) -> None:
    structlog.get_logger().warning("bot_failed", bot='forged"}\n{"event":"serving"')
    logging.getLogger("uvicorn.error").warning("GET /t/SECRET\n{}")
    structlog.get_logger().debug("hidden")
    ours, library = (json.loads(line) for line in stream.getvalue().splitlines())
    assert (ours["event"], ours["level"]) == ("bot_failed", "warning")
    assert datetime.fromisoformat(ours["timestamp"]).tzinfo == UTC
    assert (library["event"], library["logger"]) == ("library", "uvicorn.error")
    assert datetime.fromisoformat(library["timestamp"]).tzinfo == UTC
    assert "SECRET" not in stream.getvalue()
