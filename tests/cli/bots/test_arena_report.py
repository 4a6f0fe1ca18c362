"""What `liarsdice arena` plays, saves and prints."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from liarsdice.analysis.arena import Arena, DealResult, play_deal
from tests.cli.run_cli import run_cli


def test_the_table_has_the_strength_of_each_bot(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        run_cli(
            monkeypatch, "arena", "--bots", "inference,random,greedy", "--matches", "10", "--seed", "4", "--duplicate"
        )
        == 0
    )
    printed = capsys.readouterr()
    head, means, _, columns, *rows = printed.out.splitlines()
    assert head == "Perudo, 3 seats, 12 matches, 4 deals, each played from every seat, seed 4"
    assert "rounds per match" in means
    assert columns.split() == ["bot", "win", "share", "(95%)", "fair", "place", "median", "p99", "faults", "rating"]
    assert [row.split()[0] for row in rows[:3]] == ["inference", "random", "greedy"]
    assert all("33.3%" in row and " ms" in row and "±" in row for row in rows[:3])
    assert rows[4].split() == ["place", "1", "2", "3"]
    assert printed.err == ""


def test_a_subject_is_measured_against_a_field(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--subject", "inference", "--opponents", "threshold:0.4", "--seats", "4", "--matches", "8", "--json")
    assert run_cli(monkeypatch, "arena", *asked) == 0
    output = json.loads(capsys.readouterr().out)
    assert (output["subject"], output["matches"], output["deals"], output["ratings"]) == ("inference", 8, 8, [])
    subject, field = output["standings"]
    assert (subject["seats"], field["seats"]) == (8, 24)
    assert subject["wins"] + field["wins"] == 8
    assert sum(subject["place_shares"]) == pytest.approx(1)
    low, high = subject["win_share_95"]
    assert 0 <= low <= subject["win_share"] <= high <= 1


def test_adjusted_results_vary_less_with_more_playouts_of_each_round(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--bots", "regular,threshold:0.55", "--rules", "basic", "--matches", "60", "--json")
    ratios = {}
    for more in ((), ("--adjusted", "--playouts", "0"), ("--adjusted",)):
        assert run_cli(monkeypatch, "arena", *asked, *more) == 0
        output = json.loads(capsys.readouterr().out)
        adjusted = output["standings"][0]["adjusted"]
        ratios[output["adjusted"], output["playouts"]] = adjusted and adjusted["variance_ratio"]
    assert ratios[False, 0] is None
    assert ratios[True, 8] > 2 * ratios[True, 0] > 1


def test_a_run_continues_from_its_file_and_may_have_more_matches(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = ("--bots", "threshold,random", "--seed", "3", "-o", str(tmp_path / "kept.jsonl"), "--json")
    assert run_cli(monkeypatch, "arena", *asked, "--matches", "6") == 0
    six = capsys.readouterr().out
    assert run_cli(monkeypatch, "arena", *asked, "--matches", "9") == 0
    capsys.readouterr()
    assert len((tmp_path / "kept.jsonl").read_bytes().splitlines()) == 10
    monkeypatch.setattr("liarsdice.analysis.arena.play_deal", None)  # nothing is left to do
    assert run_cli(monkeypatch, "arena", *asked, "--matches", "6") == 0
    assert capsys.readouterr().out == six


def test_ctrl_c_prints_and_saves_the_deals_so_far(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def interrupted(arena: Arena, numbers: Iterable[int], **_: Any) -> Iterator[DealResult]:  # noqa: ANN401  as it is asked
        for number in numbers:
            if number == 3:
                raise KeyboardInterrupt
            yield play_deal(arena, number)

    monkeypatch.setattr("liarsdice.cli.bots.arena_report.play_deals", interrupted)
    assert run_cli(monkeypatch, "arena", "--bots", "threshold,random", "-o", str(tmp_path / "kept.jsonl")) == 130
    printed = capsys.readouterr()
    assert printed.out.startswith("Perudo, 2 seats, 3 matches, seed 0\n")
    assert "stopped after 3 of 1000 deals" in printed.err
    assert len((tmp_path / "kept.jsonl").read_bytes().splitlines()) == 4
