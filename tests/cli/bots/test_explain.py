"""`liarsdice explain`, as it is run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.run_cli import run_cli

ASKED = ("--hand", "2,2,3,6,6", "--dice", "5,5,5", "--bids", "3x6")


def test_it_tells_odds_and_moves_in_sentences(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, "explain", *ASKED) == 0
    first, *others = capsys.readouterr().out.splitlines()
    assert first.startswith("A bid of three sixes is true ")
    assert others[-2].startswith("The champion would ")


def test_it_tells_programs_everything(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(monkeypatch, "explain", *ASKED, "--json") == 0
    output = json.loads(capsys.readouterr().out)
    assert output["names"] == ["Player 1", "Player 2", "Player 3"]
    assert set(output) == {"names", "standing", "heard", "options", "beliefs"}
    assert set(output["beliefs"]) == {"0", "2"}
    assert sum(output["beliefs"]["0"]["chances"]) == pytest.approx(1, abs=1e-5)


def test_a_special_round_is_played_as_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run_cli(
            monkeypatch, "explain", "--hand", "2,2,3,6,6", "--dice", "1,5,5", "--bids", "1x6", "--special", "--json"
        )
        == 0
    )
    output = json.loads(capsys.readouterr().out)
    bids = [one["move"] for one in output["options"] if one["move"]["type"] == "bid"]
    assert {bid["face"] for bid in bids} == {6}  # the face is locked


def test_players_are_counted_in_the_order_of_play(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rules = tmp_path / "other-way.toml"
    rules.write_text('extends = "perudo"\n[turn]\ndirection = "anticlockwise"\n')
    output = []
    for name in ("perudo", str(rules)):
        asked = ("--hand", "2,2,6", "--dice", "5,3,4", "--bids", "3x6", "--rules", name)
        assert run_cli(monkeypatch, "explain", *asked) == 0
        output.append(capsys.readouterr().out)
    assert output[0] == output[1]
    assert "Player 1 bids" in output[0] or "The champion would" in output[0]


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (("--hand", "2,2", "--dice", "5,5"), "--dice gives you, player 1 in turn, 5 dice, but --hand has 2"),
        (("--hand", "2,2,9", "--dice", "3,3"), "9 is no face"),
        (("--hand", "2,2,3", "--dice", "3,0"), "1 to 20 dice"),
        (("--hand", "2,2,3", "--dice", "3"), "seats"),
        (("--hand", "2,2,3", "--dice", "3,3,3", "--bids", "3x3,2x2"), "2x2"),
        (("--hand", "2,2,3", "--dice", "3,3", "--bids", "many"), "cannot read --bids 'many' (bids separated by commas"),
        (("--hand", "2,2,3", "--dice", "3,3", "--bids", "2x3,liar"), "cannot read --bids '2x3,liar'"),
        (("--hand", "2,x,3", "--dice", "3,3"), "cannot read --hand"),
        (("--hand", "2,2,3", "--dice", "3,3", "--rules", "basic", "--special"), "has no special round"),
        (("--hand", "2", "--dice", "1,2", "--special"), "no special round of fewer than 3 players"),
        (("--hand", "2,2", "--dice", "2,2,2", "--special"), "has one die, but --dice gives the first player 2"),
    ],
)
def test_what_makes_no_sense_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], complaint: str
) -> None:
    assert run_cli(monkeypatch, "explain", *arguments) == 2
    assert complaint in capsys.readouterr().err
