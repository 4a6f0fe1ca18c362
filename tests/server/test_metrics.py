"""Metrics are counted under the names that dashboards know."""

from liarsdice.server.metrics import Metrics


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
