"""`liarsdice explain`, as it is run."""

from __future__ import annotations

import json

import pytest

from tests.cli.ended import status

ASKED = ("--hand", "2,2,3,6,6", "--dice", "5,5,5", "--bids", "3x6")


def test_it_tells_odds_and_moves_in_sentences(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(monkeypatch, "explain", *ASKED) == 0
    first, *others = capsys.readouterr().out.splitlines()
    assert first.startswith("Three sixes are there ")
    assert others[-1].startswith("The champion would ")


def test_it_tells_programs_everything(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(monkeypatch, "explain", *ASKED, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"standing", "heard", "options", "beliefs"}
    assert set(told["beliefs"]) == {"0", "2"}
    assert sum(told["beliefs"]["0"]["chances"]) == pytest.approx(1, abs=1e-5)


def test_a_special_round_is_played_as_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        status(monkeypatch, "explain", "--hand", "2,2,3,6,6", "--dice", "1,5,5", "--bids", "1x6", "--special", "--json")
        == 0
    )
    told = json.loads(capsys.readouterr().out)
    bids = [one["move"] for one in told["options"] if one["move"]["type"] == "bid"]
    assert {bid["face"] for bid in bids} == {6}  # the face is locked


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (("--hand", "2,2", "--dice", "5,5"), "--dice gives you, player 1 in turn, 5 dice, but --hand has 2"),
        (("--hand", "2,2,9", "--dice", "3,3"), "9 is no face"),
        (("--hand", "2,2,3", "--dice", "3,0"), "1 to 20 dice"),
        (("--hand", "2,2,3", "--dice", "3"), "seats"),
        (("--hand", "2,2,3", "--dice", "3,3,3", "--bids", "3x3,2x2"), "2x2"),
        (("--hand", "2,2,3", "--dice", "3,3", "--bids", "many"), "many"),
        (("--hand", "2,x,3", "--dice", "3,3"), "cannot read --hand"),
        (("--hand", "2,2,3", "--dice", "3,3", "--rules", "basic", "--special"), "has no special round"),
    ],
)
def test_what_makes_no_sense_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], complaint: str
) -> None:
    assert status(monkeypatch, "explain", *arguments) == 2
    assert complaint in capsys.readouterr().err
