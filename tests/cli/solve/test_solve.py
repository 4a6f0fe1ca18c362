"""`liarsdice solve`, as it is run."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from liarsdice.cli.app import main
from liarsdice.cli.progress import Pace
from liarsdice.solve.cfr.method import Bounds
from tests.cli.run_cli import status


def test_a_round_is_solved_to_the_usual_target(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(monkeypatch, "solve", "--rules", "openspiel", "--dice", "1v1") == 0
    game, value, quality = capsys.readouterr().out.splitlines()
    assert game == "Liar's Dice, one round, 1v1, 6 faces: 4,096 public nodes"
    assert value.startswith("value for the player who opens: -0.02")
    assert " iterations of dcfr, " in quality


def test_json_tells_everything_to_other_programs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--rules", "openspiel", "--faces", "4", "--method", "cfr+", "--iterations", "500", "--json")
    assert status(monkeypatch, "solve", *words) == 0
    told = json.loads(capsys.readouterr().out)
    low, high = told["value_bounds"]
    assert low <= 1 / 16 <= high
    assert told["exploitability"] == pytest.approx((high - low) / 2)
    assert (told["iterations"], told["method"], told["public_nodes"]) == (500, "cfr+", 256)
    assert {"value", "cpu_s", "wall_s", "compile_s", "rss_mb"} < set(told)


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("--dice", "2"), "--dice is the dice of the two players, such as 2v1, not '2'"),
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
    assert status(monkeypatch, "solve", *words) == 2
    assert sentence in capsys.readouterr().err


def ask(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str | Path
) -> tuple[int | str | None, str, str]:
    """Run any command: its exit status, what it printed, and what it complained of."""
    monkeypatch.setattr(sys, "argv", ["liarsdice", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr()
    return ended.value.code, told.out, told.err


def test_a_strategy_is_written_and_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "one.lds"
    solving = ("solve", "--rules", "perudo", "--dice", "2v1", "--faces", "3", "--iterations", "100", "-o", file)
    assert ask(monkeypatch, capsys, *solving)[0] == 0
    status, out, _ = ask(monkeypatch, capsys, "strategy", "show", file, "--hand", "2,3", "--history", "1x2,2x2")
    assert status == 0
    assert out.startswith("Perudo, 2v1, 3 faces, after 1x2, 2x2\nvalue for the player who opens: between ")
    assert out.splitlines()[-1].startswith("2,3   ")
    status, out, _ = ask(monkeypatch, capsys, "strategy", "show", file)
    assert status == 0
    assert "how often the player who opens calls a bid, by hand" in out
    assert "how often the other player calls a bid, by hand" in out
    told = json.loads(ask(monkeypatch, capsys, "strategy", "show", file, "--json")[1])
    assert [one["hand"] for one in told["hands"]] == [[1, 1], [1, 2], [1, 3], [2, 2], [2, 3], [3, 3]]
    assert all(sum(one["play"].values()) == pytest.approx(1) for one in told["hands"])
    assert told["calls"][0]["called"].keys() == {"1", "2", "3"}


def test_a_strategy_is_drawn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file, picture = tmp_path / "one.lds", tmp_path / "one.svg"
    assert ask(monkeypatch, capsys, "solve", "--faces", "3", "--iterations", "50", "-o", file)[0] == 0
    assert ask(monkeypatch, capsys, "strategy", "plot", file, picture)[:2] == (0, f"wrote {picture}\n")
    drawn = picture.read_text()
    assert drawn.startswith("<?xml")
    assert ask(monkeypatch, capsys, "strategy", "plot", file, picture)[0] == 0
    assert picture.read_text() == drawn
    status, _, err = ask(monkeypatch, capsys, "strategy", "plot", file, tmp_path / "one.txt")
    assert (status, "a picture's name ends in .svg, .png, .pdf, not 'one.txt'" in err) == (2, True)


def test_a_match_is_solved_from_its_end_and_gone_on_with(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "match.lds"
    solving = ("solve", "match", "--rules", "perudo", "--dice", "2v1", "--faces", "3", "-o", file)
    status, out, _ = ask(monkeypatch, capsys, *solving)
    assert status == 0
    title, *rounds = out.splitlines()
    assert title == "Perudo, 3 faces: bounds of the probability that the player who opens wins the match"
    assert [line.split()[0] for line in rounds] == ["1v1", "2v1"]
    monkeypatch.setattr("liarsdice.solve.match_solver.solve", None)  # everything is there already
    assert ask(monkeypatch, capsys, *solving)[:2] == (0, out)
    told = json.loads(ask(monkeypatch, capsys, *solving, "--json")[1])
    low, high = told["p_win_bounds"]
    assert f"{low:.5f} to {high:.5f}" in rounds[-1]
    assert [one["dice"] for one in told["rounds"]] == [[1, 1], [2, 1]]
    shown = ask(monkeypatch, capsys, "strategy", "show", file, "--dice", "1v1", "--hand", "2")[1]
    assert "the player who opens wins the match with a probability of " in shown


def test_a_round_that_is_always_special_is_shown_by_its_dice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "match.lds"
    solving = ("solve", "match", "--rules", "mustache", "--faces", "2", "--target", "0.1", "-o", file)
    assert ask(monkeypatch, capsys, *solving)[0] == 0
    status, out, _ = ask(monkeypatch, capsys, "strategy", "show", file, "--dice", "1v1")
    assert (status, out.startswith("Mustache house rules, 1v1, a special round of the first, ")) == (0, True), out


def test_ctrl_c_tells_what_is_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("liarsdice.solve.match_solver.solve", stop)
    file = tmp_path / "match.lds"
    status, _, err = ask(monkeypatch, capsys, "solve", "match", "--faces", "2", "-o", file)
    assert (status, err) == (130, "liarsdice: stopped with 0 of 2 rounds; the same command continues from there\n")
    monkeypatch.setattr("liarsdice.cli.solve.solve_table.solve_many", stop)
    status, _, err = ask(monkeypatch, capsys, "solve", "table", "--rules", "snyd", "-o", tmp_path)
    assert (status, err) == (130, "liarsdice: stopped with 0 of 3 games; the same command continues from there\n")


def test_a_target_that_is_never_reached_is_told_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("liarsdice.solve.cfr.solver.MAX_ITERATIONS", 100)
    status, out, err = ask(monkeypatch, capsys, "solve", "--faces", "3", "--target", "1e-30")
    assert (status, "exploitability" in out) == (0, True)
    assert "--target 1e-30 is beyond single precision" in err


def test_a_match_that_may_never_end_is_told_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "house.toml"
    file.write_text(
        'extends = "basic"\nguards.max_rounds = 100\nexact_call.success_gain = 0\nexact_call.failure_loss = 0\n'
    )
    solving = ("solve", "match", "--rules", file, "--dice", "1v1", "--faces", "2")
    status, out, err = ask(monkeypatch, capsys, *solving)
    assert (status, out.splitlines()[-1].split()) == (0, ["1v1", "0.00000", "to", "1.00000"])
    assert "the bounds do not get closer: single precision is not enough, or a match may never end" in err


def test_two_files_of_one_name_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ours, theirs = tmp_path / "ours" / "flo.toml", tmp_path / "theirs" / "flo.toml"
    for file in (ours, theirs):
        file.parent.mkdir()
        file.write_text('extends = "perudo"\n')
    status, _, err = ask(monkeypatch, capsys, "solve", "table", "--rules", f"{ours},{theirs}", "-o", tmp_path)
    assert (status, "flo.toml would both write flo-6-faces-1v1-round.lds; rename one" in err) == (2, True)


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("solve", "-o", "{folder}/none/one.lds"), "it is a folder, or is to stand in one that does not exist"),
        (("solve", "-o", os.devnull), "it is a device, and would be replaced by a file"),
        (("strategy", "show", "/dev/zero"), "/dev/zero is no strategy file"),
        (("solve", "match", "--dice", "5v5"), "more than any memory holds; 2v2 fits"),
        (("solve", "match", "--target", "-1"), "--target is a number above 0, not -1.0"),
        (("solve", "match", "--rules", "perudo", "--dice", "1v1", "-o", "{file}"), "choose another file"),
        (("strategy", "show", "{folder}/none.lds"), "cannot read "),
        (("strategy", "show", "{file}", "--hand", "2,x"), "--hand is dice separated by commas, such as 2,5"),
        (("strategy", "show", "{file}", "--hand", "2,5"), "the player on turn holds 1 die with faces 1 to 3, not 2,5"),
        (("strategy", "show", "{file}", "--history", "1x5"), "1x5 as the first bid is against the rules"),
        (("strategy", "show", "{file}", "--history", "five"), "cannot read 'five'"),
        (("strategy", "show", "{file}", "--dice", "2v2"), "there is no strategy for 2v2 (there is: 1v1)"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    words: tuple[str, ...],
    sentence: str,
) -> None:
    file = tmp_path / "one.lds"
    assert ask(monkeypatch, capsys, "solve", "--faces", "3", "--iterations", "10", "-o", file)[0] == 0
    told = [word.format(folder=tmp_path, file=file) for word in words]
    status, _, err = ask(monkeypatch, capsys, *told)
    assert (status, sentence in err) == (2, True), err


def test_how_long_it_takes_still_is_guessed_from_the_trend() -> None:
    pace = Pace(target=1e-3, iterations=None, seconds=None)
    seen = [Bounds(count, 1 / count, 0, 0) for count in (10, 20, 40, 100)]
    for bounds in seen:
        pace.tell(bounds)
    assert pace.left_s(2.0) == pytest.approx(18.0)
    until = Pace(target=1e-3, iterations=150, seconds=60)
    for bounds in seen:
        until.tell(bounds)
    assert until.left_s(2.0) == pytest.approx(1.0)


def test_a_table_of_games_is_solved_and_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    solving = ("solve", "table", "--rules", "snyd-joker,official", "--faces", "3", "--up-to", "2", "-o", tmp_path)
    status, out, _ = ask(monkeypatch, capsys, *solving, "--jobs", "1")
    assert status == 0
    title, solved, refused = out.splitlines()
    assert title.split() == ["rules", "dice", "value", "for", "the", "opener"]
    name, dice, low, _, high = solved.split()
    assert (name, dice) == ("snyd-joker", "1v1")
    assert float(low) - 1e-6 <= 1 / 3 <= float(high) + 1e-6
    assert "grows like a factorial" in refused
    told = json.loads(ask(monkeypatch, capsys, *solving[:-2], "-o", tmp_path, "--json")[1])
    assert [one["file"] for one in told] == ["snyd-joker-3-faces-1v1-round.lds", None]
    assert (tmp_path / told[0]["file"]).exists()
    status, _, err = ask(monkeypatch, capsys, "solve", "table", "--rules", "snyd", "-o", tmp_path, "--method", "x")
    assert (status, "--method is one of dcfr, cfr+, pcfr+, not 'x'" in err) == (2, True)


def test_last_rounds_are_solved_for_presets(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("liarsdice.cli.solve.solve_endgames.preset_names", lambda: ("snyd", "official", "openspiel"))
    status, out, _ = ask(monkeypatch, capsys, "solve", "endgames", "-o", tmp_path / "last", "--target", "0.001")
    assert status == 0
    assert "snyd: 1 rounds, exploitability at most " in out
    assert "official: under these rules bids may follow each other in any order" in out
    assert sorted(file.name for file in (tmp_path / "last").iterdir()) == ["endgame-openspiel.lds", "endgame-snyd.lds"]
