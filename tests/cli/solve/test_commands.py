"""The commands `solve` and `strategy` refuse what they cannot do."""

import json
import math
import os
from pathlib import Path

import pytest

from liarsdice.cli.solve.endgames import solve_last_rounds
from liarsdice.cli.solve.options import (
    read_dice,
    read_method,
    read_rules,
    require_positive,
    with_starting_dice,
)
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.presets import preset
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.face_off_solver import read_face_off
from liarsdice.solve.round_game import RoundStart
from liarsdice.solve.strategy.strategy_file import read_strategies
from tests.cli.run_cli import error_line, output_of, run_captured


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("solve", "-o", "{folder}/none/one.lds"), "it is a folder, or its folder does not exist"),
        (("solve", "-o", os.devnull), "it is a device, and would be replaced by a file"),
        (("strategy", "show", "/dev/zero"), "/dev/zero is no strategy file"),
        (("solve", "match", "--dice", "5v5"), "more than any memory holds; 2v2 fits"),
        (("solve", "match", "--target", "-1"), "--target is a number above 0, not -1.0"),
        (("solve", "match", "--rules", "perudo", "--dice", "1v1", "-o", "{file}"), "choose another file"),
        (("strategy", "show", "{folder}/none.lds"), "cannot read "),
        (("strategy", "show", "{file}", "--hand", "2,x"), "--hand is dice separated by commas, such as 2,5"),
        (("strategy", "show", "{file}", "--hand", "2,5"), "the player on turn holds 1 die with faces 1 to 3, not 2,5"),
        (("strategy", "show", "{file}", "--bids", "1x5"), "1x5 as the first bid is against the rules"),
        (("strategy", "show", "{file}", "--bids", "five"), "cannot read 'five'"),
        (("strategy", "show", "{file}", "--dice", "2v2"), "there is no strategy for 2v2 (there is: 1v1)"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(
    tmp_path: Path,
    words: tuple[str, ...],
    sentence: str,
) -> None:
    file = tmp_path / "one.lds"
    assert run_captured("solve", "--faces", "3", "--iterations", "10", "-o", file)[0] == 0
    output = [word.format(folder=tmp_path, file=file) for word in words]
    status, _, err = run_captured(*output)
    assert (status, sentence in err) == (2, True), err


@pytest.mark.parametrize("dice", ["", "2", "2v", "0v1", "2x1", "1v1000", "2v1v1"])
def test_dice_are_two_numbers_from_1_to_999(dice: str) -> None:
    with pytest.raises(MalformedError, match="such as 2v1, not"):
        read_dice(dice)


def test_an_unknown_method_is_refused_with_the_known_ones() -> None:
    with pytest.raises(MalformedError, match=r"--method is one of dcfr, cfr\+, pcfr\+, not 'cfr'"):
        read_method("cfr")
    assert read_method("CFR+") is Method("cfr+")


def test_a_match_starts_with_the_larger_hand_and_with_two_dice_before_a_special_round() -> None:
    assert with_starting_dice(read_rules("basic", None), RoundStart((1, 3))).dice.per_player == 3
    assert with_starting_dice(read_rules("basic", None), RoundStart((1, 1))).dice.per_player == 1
    assert with_starting_dice(read_rules("mustache", None), RoundStart((1, 1))).dice.per_player == 2


@pytest.mark.parametrize("number", [0, -1.0, math.inf, math.nan])
def test_limits_are_positive_and_finite(number: float) -> None:
    require_positive(target=None, seconds=0.5)
    with pytest.raises(MalformedError, match="--target is a number above 0"):
        require_positive(target=number)


def test_a_round_is_solved_to_the_usual_target() -> None:
    game, value, quality = output_of("solve", "--rules", "openspiel", "--dice", "1v1").splitlines()
    assert game == "Liar's Dice, one round, 1v1, 6 faces: 4,096 public nodes"
    assert value.startswith("value for the player who opens: -0.02")
    assert " iterations of dcfr, " in quality


def test_the_json_holds_all_results() -> None:
    words = ("--rules", "openspiel", "--faces", "4", "--method", "cfr+", "--iterations", "500", "--json")
    output = json.loads(output_of("solve", *words))
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
def test_what_cannot_be_solved_is_refused_with_the_reason(words: tuple[str, ...], sentence: str) -> None:
    assert sentence in error_line("solve", *words)


def test_a_target_that_is_never_reached_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("liarsdice.solve.cfr.solver.MAX_ITERATIONS", 100)
    status, out, err = run_captured("solve", "--faces", "3", "--target", "1e-30")
    assert (status, "exploitability" in out) == (0, True)
    assert "--target 1e-30 is beyond single precision" in err


@pytest.mark.parametrize("threads", ["1", "2"])
def test_seconds_bound_certifying_too(monkeypatch: pytest.MonkeyPatch, threads: str) -> None:
    monkeypatch.setattr("liarsdice.solve.strategy.average_strategy.CERTIFY_S_PER_ROW", 1.0)
    monkeypatch.setattr("liarsdice.cli.solve.games.average_strategy", None)
    status, out, err = run_captured("solve", "--faces", "3", "--seconds", "0.1", "--threads", threads)
    assert (status, out.count("estimated, not certified: ")) == (0, 2)
    assert "more than half of --seconds" in err


def test_ctrl_c_while_bounds_are_certified_keeps_the_estimates(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("liarsdice.solve.strategy.average_strategy.CERTIFY_S_PER_ROW", 1.0)
    monkeypatch.setattr("liarsdice.cli.solve.games.average_strategy", stop)
    status, out, err = run_captured("solve", "--faces", "3", "--iterations", "1")
    assert (status, "estimated, not certified: exploitability " in out, "after 1 iteration of" in out) == (
        0,
        True,
        True,
    )
    assert err.endswith("; Ctrl-C shows estimates instead\n")
    file = tmp_path / "one.lds"
    status, out, err = run_captured("solve", "--faces", "3", "--iterations", "1", "-o", file)
    assert (status, "estimated, not certified: exploitability " in out, file.exists()) == (130, True, False)
    assert "; Ctrl-C loses the strategy\n" in err
    assert f"stopped before {file} was written" in err


def test_ctrl_c_says_how_many_games_are_saved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("liarsdice.cli.solve.games.solve_many", stop)
    status, _, err = run_captured("solve", "table", "--rules", "snyd", "-o", tmp_path)
    assert (status, err) == (130, "liarsdice: stopped with 0 of 3 games; the same command continues from there\n")


def test_two_rules_files_of_one_name_are_refused(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours" / "flo.toml", tmp_path / "theirs" / "flo.toml"
    for file in (ours, theirs):
        file.parent.mkdir()
        file.write_text('extends = "perudo"\n')
    status, _, err = run_captured("solve", "table", "--rules", f"{ours},{theirs}", "-o", tmp_path)
    assert (status, "flo.toml would both write flo-6-faces-1v1-round.lds; rename one" in err) == (2, True)


def test_a_table_of_games_is_solved_and_printed(tmp_path: Path) -> None:
    command = ("solve", "table", "--rules", "snyd-joker,official", "--faces", "3", "--up-to", "2", "-o", tmp_path)
    out = output_of(*command, "--jobs", "1")
    title, solved, refused = out.splitlines()
    assert title.split() == ["rules", "dice", "value", "for", "the", "opener"]
    name, dice, low, _, high = solved.split()
    assert (name, dice) == ("snyd-joker", "1v1")
    assert float(low) - 1e-6 <= 1 / 3 <= float(high) + 1e-6
    assert "grows like a factorial" in refused
    output = json.loads(run_captured(*command[:-2], "-o", tmp_path, "--json")[1])
    assert [row["file"] for row in output] == ["snyd-joker-3-faces-1v1-round.lds", None]
    assert (tmp_path / output[0]["file"]).exists()
    status, _, err = run_captured("solve", "table", "--rules", "snyd", "-o", tmp_path, "--method", "x")
    assert (status, "--method is one of dcfr, cfr+, pcfr+, not 'x'" in err) == (2, True)


def test_a_match_is_solved_from_its_end_and_continued_from_its_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "match.lds"
    command = ("solve", "match", "--rules", "perudo", "--dice", "2v1", "--faces", "3", "-o", file)
    out = output_of(*command)
    title, *rounds = out.splitlines()
    assert title == "Perudo, 3 faces: bounds of the probability that the player who opens wins the match"
    assert [line.split()[0] for line in rounds] == ["1v1", "2v1"]
    monkeypatch.setattr("liarsdice.solve.match_solver.solve", None)  # everything is there already
    assert run_captured(*command)[:2] == (0, out)
    output = json.loads(run_captured(*command, "--json")[1])
    low, high = output["p_win_bounds"]
    assert f"{low:.5f} to {high:.5f}" in rounds[-1]
    assert [round_["dice"] for round_ in output["rounds"]] == [[1, 1], [2, 1]]
    shown = run_captured("strategy", "show", file, "--dice", "1v1", "--hand", "2")[1]
    assert "the player who opens wins the match with a probability of " in shown


def test_ctrl_c_says_how_many_rounds_are_saved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("liarsdice.solve.match_solver.solve", stop)
    file = tmp_path / "match.lds"
    status, _, err = run_captured("solve", "match", "--faces", "2", "-o", file)
    assert (status, err) == (130, "liarsdice: stopped with 0 of 2 rounds; the same command continues from there\n")


def test_a_match_that_may_never_end_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text(
        'extends = "basic"\nguards.max_rounds = 100\nexact_call.success_gain = 0\nexact_call.failure_loss = 0\n'
    )
    command = ("solve", "match", "--rules", file, "--dice", "1v1", "--faces", "2")
    status, out, err = run_captured(*command)
    assert (status, out.splitlines()[-1].split()) == (0, ["1v1", "0.00000", "to", "1.00000"])
    assert "the bounds do not get closer: single precision is not enough, or a match may never end" in err


def test_last_rounds_are_solved_for_all_presets_that_can_be_solved(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("liarsdice.cli.solve.endgames.preset_names", lambda: ("snyd", "official", "pirates"))
    monkeypatch.setattr("liarsdice.cli.solve.endgames.SOLVED_FACES", (2, 3))
    out = output_of("solve", "endgames", "-o", tmp_path / "last", "--target", "0.001", "--rounds", "1v1,2v1")
    assert "snyd 1v1: 1 round, exploitability at most " in out
    assert "pirates 2v1: 1 round, exploitability at most " in out
    assert "official: under these rules bids may follow each other in any order" in out
    assert sorted(file.name for file in (tmp_path / "last").iterdir()) == [
        "endgame-pirates.lds",
        "endgame-snyd.lds",
        "face-off-6v6.npz",
    ]
    assert "face-off: exploitability " in out
    pirates = read_strategies(tmp_path / "last" / "endgame-pirates.lds")
    assert [(one.start.dice, one.pruned) for one in pirates.strategies] == [((1, 1), False), ((2, 1), True)]
    assert read_face_off(tmp_path / "last" / "face-off-6v6.npz").exploitability < 0.001


def test_presets_with_the_same_rules_of_two_players_share_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("liarsdice.cli.solve.endgames.preset_names", lambda: ("basic", "snyd"))
    run_captured("solve", "endgames", "-o", tmp_path, "--target", "0.01", "--rounds", "1v2")
    (file,) = tmp_path.iterdir()
    assert file.name == "endgame-basic.lds"
    (strategy,) = read_strategies(file).strategies
    assert strategy.pruned
    assert strategy.bounds.exploitability <= 0.011


def test_a_special_round_is_solved_for_everybody_who_may_have_had_one() -> None:
    """Only a player with one die has a special round in the house rules with a moustache."""
    starts = {strategy.start for strategy in solve_last_rounds(preset("mustache").ruleset, (2, 1), 0.1)}
    assert starts == {RoundStart((2, 1), 0, special, earlier) for special in (None, 1) for earlier in ((), (1,))}
