"""`liarsdice solve`, as it is run."""

from __future__ import annotations

import json
import sys

import pytest

from liarsdice.cli.app import main


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    """Run the command; its exit status."""
    monkeypatch.setattr(sys, "argv", ["liarsdice", "solve", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


def test_a_round_is_solved_to_the_usual_target(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "--rules", "openspiel", "--dice", "1v1") == 0
    game, value, quality = capsys.readouterr().out.splitlines()
    assert game == "Liar's Dice, one round, 1 dice against 1, 6 faces: 4,096 public nodes"
    assert value.startswith("value for who opens: -0.02")
    assert " iterations of dcfr, " in quality


def test_json_tells_everything_to_other_programs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--rules", "openspiel", "--faces", "4", "--method", "cfr+", "--iterations", "500", "--json")
    assert run(monkeypatch, *words) == 0
    told = json.loads(capsys.readouterr().out)
    low, high = told["value_bounds"]
    assert low <= 1 / 16 <= high
    assert told["exploitability"] == pytest.approx((high - low) / 2)
    assert (told["iterations"], told["method"], told["public_nodes"]) == (500, "cfr+", 256)
    assert {"value", "cpu_s", "wall_s", "compile_s", "rss_mb"} < set(told)


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("--dice", "2"), "--dice is the dice of the two players, as in 2v1, not '2'"),
        (("--method", "cfr"), "--method is one of dcfr, cfr+, pcfr+, not 'cfr'"),
        (("--target", "0"), "--target is a number above 0, not 0.0"),
        (("--iterations", "-1"), "--iterations is a number above 0, not -1"),
        (("--rules", "official"), "grows like a factorial"),
        (("--dice", "5v5"), "more than any memory holds"),
    ],
)
def test_what_cannot_be_solved_is_refused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    assert run(monkeypatch, *words) == 2
    assert sentence in capsys.readouterr().err
