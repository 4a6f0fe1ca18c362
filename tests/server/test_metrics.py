"""Metrics are counted under the names that dashboards know."""

import asyncio
import hashlib
import io
import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import structlog

from liarsdice.core.rules.presets import preset
from liarsdice.server import metrics as server_metrics
from liarsdice.server.http.auth import hash_token
from liarsdice.server.metrics import INTERVAL_S, LoopStalls, Metrics
from liarsdice.server.run import configure_logging
from liarsdice.server.table import log_entries as e
from tests.server.http.fake_transport import FakeClock
from tests.server.live_tables import make_config
from tests.server.random_script import TALK, RandomScript
from tests.server.twin_tables import NAMES, STRANGER, TwinDiceSource, TwinTable, captured_logs


def test_all_metrics_are_in_the_text() -> None:
    metrics = Metrics()
    metrics.commits.inc()
    metrics.conflicts.inc(2)
    metrics.dropped.inc()
    metrics.refused.labels("full").inc()
    metrics.connections.set(3)
    metrics.tables.set(4)
    metrics.bot_turns.inc(7)
    metrics.bot_failures.labels("late").inc()
    metrics.unreadable_tables.set(5)
    metrics.deleted_tables.inc(6)
    metrics.nodes.set(7)
    metrics.bus_works.set(1)
    metrics.commands.labels("Say", "done").inc()
    lines = set(metrics.text().decode().splitlines())
    assert {
        "liarsdice_commits_total 1.0",
        "liarsdice_conflicts_total 2.0",
        "liarsdice_dropped_total 1.0",
        'liarsdice_refused_total{reason="full"} 1.0',
        "liarsdice_connections 3.0",
        "liarsdice_tables 4.0",
        "liarsdice_bot_turns_total 7.0",
        'liarsdice_bot_failures_total{failure="late"} 1.0',
        "liarsdice_unreadable_tables 5.0",
        "liarsdice_deleted_tables_total 6.0",
        "liarsdice_nodes 7.0",
        "liarsdice_bus_works 1.0",
        'liarsdice_commands_total{kind="Say",outcome="done"} 1.0',
    } <= lines


def test_frames_are_added_up_between_two_texts() -> None:
    metrics = Metrics()
    metrics.frame_count = 5
    assert b"liarsdice_frames_total 5.0" in metrics.text()
    metrics.frame_count += 2
    assert b"liarsdice_frames_total 7.0" in metrics.text()


def test_every_metric_of_a_node_has_its_id() -> None:
    metrics = Metrics("a1b2c3d4")
    metrics.commands.labels("Say", "done").inc()
    samples = [line for line in metrics.text().decode().splitlines() if not line.startswith("#")]
    assert 'liarsdice_commands_total{kind="Say",node="a1b2c3d4",outcome="done"} 1.0' in samples
    assert len(samples) > 10
    assert all('node="a1b2c3d4"' in sample for sample in samples)


def test_the_text_for_monitors_is_made_once_a_second() -> None:
    metrics = Metrics()
    first = metrics.recent_text(10.0)
    metrics.commits.inc()
    assert metrics.recent_text(10.9) is first
    assert b"liarsdice_commits_total 1.0" in metrics.recent_text(11.0)


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
    logging.getLogger("uvicorn.error").error("GET /t/SECRET\n{}")
    logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")  # as many as a stranger sends
    structlog.get_logger().debug("hidden")
    ours, library = (json.loads(line) for line in stream.getvalue().splitlines())
    assert (ours["event"], ours["level"]) == ("bot_failed", "warning")
    assert datetime.fromisoformat(ours["timestamp"]).tzinfo == UTC
    assert (library["event"], library["logger"]) == ("library", "uvicorn.error")
    assert datetime.fromisoformat(library["timestamp"]).tzinfo == UTC
    assert "SECRET" not in stream.getvalue()


def shown(metrics: Metrics) -> float:
    (line,) = (
        line for line in metrics.text().decode().splitlines() if line.startswith("liarsdice_loop_stall_seconds ")
    )
    return float(line.split()[1])


def test_the_longest_stall_is_shown_until_the_end_of_the_next_interval() -> None:
    metrics, clock = Metrics(), FakeClock()
    stalls = LoopStalls(metrics.loop_stall, clock)
    for stall_s in (0.1, 0.4, 0.2):
        stalls.record(stall_s)
    assert shown(metrics) == 0.4
    clock.now_s += INTERVAL_S
    stalls.record(0.3)
    assert shown(metrics) == 0.4
    clock.now_s += INTERVAL_S
    stalls.record(0.0)
    assert shown(metrics) == 0.3


async def test_what_keeps_the_loop_busy_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_metrics, "CHECK_EVERY_S", 0)
    metrics, clock = Metrics(), FakeClock()
    measuring = asyncio.create_task(LoopStalls(metrics.loop_stall, clock).run())
    await asyncio.sleep(0)  # it waits for its first timer
    clock.now_s += 0.25  # as if something had kept the loop busy meanwhile
    await asyncio.sleep(0)
    assert shown(metrics) == 0.25
    measuring.cancel()
