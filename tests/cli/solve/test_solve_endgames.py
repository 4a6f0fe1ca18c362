"""`liarsdice solve endgames`."""

from __future__ import annotations

from pathlib import Path

import pytest

from liarsdice.cli.solve.solve_endgames import solve_last_rounds
from liarsdice.core.rules.presets import preset
from liarsdice.solve.face_off_solver import read_face_off
from liarsdice.solve.game.round_game import RoundStart
from liarsdice.solve.strategy.strategy_file import read_strategies
from tests.cli.run_cli import run_captured


def test_last_rounds_are_solved_for_all_presets_that_can_be_solved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("liarsdice.cli.solve.solve_endgames.preset_names", lambda: ("snyd", "official", "pirates"))
    monkeypatch.setattr("liarsdice.cli.solve.solve_endgames.SOLVED_FACES", (2, 3))
    status, out, _ = run_captured(
        monkeypatch, capsys, "solve", "endgames", "-o", tmp_path / "last", "--target", "0.001", "--rounds", "1v1,2v1"
    )
    assert status == 0
    assert "snyd 1v1: 1 rounds, exploitability at most " in out
    assert "pirates 2v1: 1 rounds, exploitability at most " in out
    assert "official: under these rules bids may follow each other in any order" in out
    assert sorted(file.name for file in (tmp_path / "last").iterdir()) == [
        "endgame-pirates-2v1.lds",
        "endgame-pirates.lds",
        "endgame-snyd-2v1.lds",
        "endgame-snyd.lds",
        "face-off-6v6.npz",
    ]
    assert "face-off: exploitability " in out
    assert read_face_off(tmp_path / "last" / "face-off-6v6.npz").exploitability < 0.001


def test_presets_with_the_same_rules_of_two_players_share_a_file_of_pruned_strategies(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("liarsdice.cli.solve.solve_endgames.preset_names", lambda: ("basic", "snyd"))
    run_captured(monkeypatch, capsys, "solve", "endgames", "-o", tmp_path, "--target", "0.01", "--rounds", "1v2")
    (file,) = tmp_path.iterdir()
    assert file.name == "endgame-basic-1v2.lds"
    (strategy,) = read_strategies(file).strategies
    assert strategy.pruned
    assert strategy.bounds.exploitability <= 0.011


def test_a_special_round_is_solved_for_everybody_who_may_have_had_one() -> None:
    """Only a player with one die has a special round in the house rules with a moustache."""
    starts = {strategy.start for strategy in solve_last_rounds(preset("mustache").ruleset, (2, 1), 0.1).strategies}
    assert starts == {RoundStart((2, 1), 0, special, earlier) for special in (None, 1) for earlier in ((), (1,))}
