"""`liarsdice solve` for one round."""

from __future__ import annotations

import json

import pytest

from tests.cli.run_cli import run_captured, run_cli


def test_a_round_is_solved_to_the_usual_target(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, "solve", "--rules", "openspiel", "--dice", "1v1") == 0
    game, value, quality = capsys.readouterr().out.splitlines()
    assert game == "Liar's Dice, one round, 1v1, 6 faces: 4,096 public nodes"
    assert value.startswith("value for the player who opens: -0.02")
    assert " iterations of dcfr, " in quality


def test_the_json_holds_all_results(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--rules", "openspiel", "--faces", "4", "--method", "cfr+", "--iterations", "500", "--json")
    assert run_cli(monkeypatch, "solve", *words) == 0
    output = json.loads(capsys.readouterr().out)
    low, high = output["value_bounds"]
    assert low <= 1 / 16 <= high
    assert output["exploitability"] == pytest.approx((high - low) / 2)
    assert (output["iterations"], output["method"], output["public_nodes"]) == (500, "cfr+", 256)
    assert {"value", "cpu_s", "wall_s", "compile_s", "rss_mb"} < set(output)


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("--dice", "2"), "named by the dice of the two players, such as 2v1, not '2'"),
        (("--method", "cfr"), "--method is one of dcfr, cfr+, pcfr+, not 'cfr'"),
        (("--target", "0"), "--target is a number above 0, not 0.0"),
        (("--iterations", "-1"), "--iterations is a number above 0, not -1"),
        (("--rules", "official"), "grows like a factorial"),
        (("--dice", "5v5"), "more than any memory holds"),
        (("--dice", "1v999"), "999 dice with 6 faces make 8,416,958,750,200 hands; at most 2,000 are solved"),
        (("--dice", "1v999", "--faces", "2"), "far too large to be solved; take fewer dice or faces"),
        (("--dice", "60v60", "--faces", "2"), "far too large to be solved; take fewer dice"),
    ],
)
def test_what_cannot_be_solved_is_refused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    assert run_cli(monkeypatch, "solve", *words) == 2
    assert sentence in capsys.readouterr().err


def test_a_target_that_is_never_reached_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("liarsdice.solve.cfr.solver.MAX_ITERATIONS", 100)
    status, out, err = run_captured(monkeypatch, capsys, "solve", "--faces", "3", "--target", "1e-30")
    assert (status, "exploitability" in out) == (0, True)
    assert "--target 1e-30 is beyond single precision" in err
