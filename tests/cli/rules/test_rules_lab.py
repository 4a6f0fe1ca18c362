"""`liarsdice rules lab`, as it is run."""

from __future__ import annotations

import json

import pytest

from tests.cli.run_cli import error_line, run_captured

FEW = ("--seats", "2", "--matches", "50")


def test_rules_are_measured_beside_what_a_change_makes_of_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    change = ("--change", "dice.per_player=2", "--change", "exact_call=none")
    status, text, _ = run_captured(monkeypatch, capsys, "rules", "lab", "perudo", *FEW, *change)
    assert status == 0
    lines = text.splitlines()
    assert lines[0] == "Perudo, 2 players, champion@11 at every seat, 50 matches each, on the same seeds"
    assert "  dice.per_player: 5 -> 2" in lines
    rounds = next(line for line in lines if line.startswith("  rounds of a match"))
    assert rounds.endswith("less")
    assert rounds.count("±") == 2
    right = next(line for line in lines if "exact calls that are right" in line)
    assert right.split()[-1] == "-"


def test_without_a_change_the_rules_are_measured_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = json.loads(run_captured(monkeypatch, capsys, "rules", "lab", "basic", *FEW, "--json")[1])
    assert report["matches"] == 50
    assert report["new"] == {}
    assert report["old"]["rounds"]["value"] > 5
    assert report["old"]["exact_right"]["value"] is None


def test_a_change_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for change, message in (
        ("exact_call", "a change is written as key=value"),
        ("exact_cal=none", "no rule is called 'exact_cal' (did you mean exact_call?)"),
        ("dice.per_player=5", "changes nothing in perudo"),
    ):
        assert message in error_line(monkeypatch, capsys, "rules", "lab", "perudo", "--change", change)
