"""The dashboard and the alert rules use metrics that the server exposes, with labels that they have."""

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

import promql_parser
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from liarsdice.server.http import connections
from liarsdice.server.metrics import Metrics
from liarsdice.server.protocol.messages import ErrorCode
from tests.deploy.deployment import DEPLOY, is_command

ALERTS = yaml.safe_load((DEPLOY / "prometheus-alerts.yaml").read_text(encoding="utf-8"))
DASHBOARD = json.loads((DEPLOY / "grafana-dashboard.json").read_text(encoding="utf-8"))
RULES: list[dict[str, Any]] = [rule for group in ALERTS["groups"] for rule in group["rules"]]
METRIC = re.compile(r"\b((?:liarsdice|process)_[a-z_]+)(?:\{([^}]*)\})?")
MATCHER = re.compile(r'(\w+)=~?"([^"]*)"')
OF_PROMETHEUS = {"job", "instance"}
"""The labels that Prometheus adds to what it scrapes."""

VALUES = {
    "outcome": {"done", *(code.value for code in ErrorCode)},
    "reason": {
        connections.FULL,
        connections.ADDRESS,
        connections.TIMEOUT,
        connections.TOO_LARGE,
        connections.FRAMES,
    },
}
"""The values of labels that an expression may select."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the metrics of a process need Linux")


def exposed() -> dict[str, set[str]]:
    """The metrics in the text that the server answers with, as Prometheus stores them, and their labels."""
    metrics = Metrics("a1b2c3d4")
    metrics.commands.labels("Say", "done").inc()
    metrics.refused.labels("full").inc()
    metrics.bot_failures.labels("late").inc()
    families = text_string_to_metric_families(metrics.text().decode())
    return {sample.name: set(sample.labels) for family in families for sample in family.samples}


def panel_queries() -> list[str]:
    return [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


def expressions() -> Iterator[str]:
    yield from (rule["expr"] for rule in RULES)
    yield from panel_queries()
    for variable in DASHBOARD["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["query"]["query"]


@pytest.mark.parametrize("expression", [*expressions()])
def test_an_expression_uses_metrics_that_the_server_exposes(expression: str) -> None:
    names = [match[1] for match in METRIC.finditer(expression)]
    assert names or expression.startswith("up{")
    assert set(names) <= set(exposed())


@pytest.mark.parametrize("expression", [*(rule["expr"] for rule in RULES), *panel_queries()])
def test_prometheus_can_read_an_expression(expression: str) -> None:
    """Grafana replaces the names of intervals before it asks Prometheus."""
    promql_parser.parse(re.sub(r"\$__(rate_interval|range)", "5m", expression))


@pytest.mark.parametrize("expression", ["rate(liarsdice_frames_total)", "sum by (instance (up)", "up{job=liarsdice}"])
def test_an_expression_that_prometheus_cannot_read_would_be_noticed(expression: str) -> None:
    with pytest.raises(ValueError, match=r"expected|unclosed"):
        promql_parser.parse(expression)


@pytest.mark.parametrize("expression", [*expressions()])
def test_an_expression_selects_labels_and_values_that_exist(expression: str) -> None:
    for name, matchers in METRIC.findall(expression):
        for label, value in MATCHER.findall(matchers):
            assert label in exposed()[name] | OF_PROMETHEUS
            assert label not in VALUES or set(value.split("|")) <= VALUES[label]
    for group in re.findall(r"\bby \(([^)]*)\)", expression):
        (name, *_) = [match[1] for match in METRIC.finditer(expression)]
        assert set(group.split(", ")) <= exposed()[name] | OF_PROMETHEUS


def test_a_metric_that_the_server_does_not_expose_would_be_noticed() -> None:
    assert "liarsdice_players" not in exposed()
    assert METRIC.findall('rate(liarsdice_players{reason="full"}[5m])') == [("liarsdice_players", 'reason="full"')]


def test_the_dashboard_shows_every_metric_of_the_server() -> None:
    shown = {match[1] for query in panel_queries() for match in METRIC.finditer(query)}
    own = {name for name in exposed() if name.startswith("liarsdice_") and not name.endswith("_created")}
    assert own - shown == set()


def test_panels_have_ids_and_places_of_their_own() -> None:
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in panels)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(set(cells)) == len(cells), "two panels overlap"
    assert max(x for x, _ in cells) < 24


def test_the_runbook_has_an_entry_for_every_alert_with_commands_that_exist() -> None:
    text = (DEPLOY.parent / "docs" / "runbook.md").read_text(encoding="utf-8")
    assert re.findall(r"^### (Liarsdice\w+)$", text, re.MULTILINE) == [rule["alert"] for rule in RULES]
    assert all(
        len(entry.split()) > 20 for entry in re.split(r"^##+ .*$", text, flags=re.MULTILINE)[1:] if entry.strip()
    )
    commands = re.findall(r"liarsdice admin ((?:ban |promise-key )?\w+)", text)
    assert {"tables", "prune", "backup", "remove", "ban add"} <= {*commands}
    assert [command for command in commands if not is_command("admin", *command.split())] == []
    named = {match[1] for match in METRIC.finditer(text)}
    assert named <= exposed().keys()


def test_an_alert_says_what_is_wrong_and_what_to_do() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule["labels"]["severity"] in {"warning", "critical"}
        assert set(rule["annotations"]) == {"summary", "description"}
