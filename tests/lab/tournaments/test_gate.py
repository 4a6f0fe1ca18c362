"""The gate: a bot at every table, until each result is clear."""

from pathlib import Path

import pytest

from liarsdice.core.errors import MalformedError
from liarsdice_lab.tournaments.gate import Cell, CellResult, make_cells, play_gate, read_gate, rules_names
from tests.cli.run_cli import run_captured

COMMAND = ("arena", "gate", "--rules", "basic", "--seats", "2,3", "--opponents", "threshold:0.4", "--matches", "80")


def test_a_weak_bot_falls_short_and_a_stored_result_is_not_played_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "gate.json"
    status, first, _ = run_captured(*COMMAND, "--subject", "random", "-o", path)
    assert status == 1
    assert "random falls short at 2 of 2 tables" in first
    assert "basic, 2 seats, among threshold:0.4: " in first
    results = read_gate(path).results
    assert [result.cell.seats for result in results] == [2, 3]
    assert [result.cell.asked for result in results] == [0.62, 1 / 3]
    assert all(result.falls_short and result.matches <= 81 for result in results)
    monkeypatch.setattr("liarsdice_lab.tournaments.gate.measure", None)
    status, second, _ = run_captured(*COMMAND, "--subject", "random", "-o", path)
    assert (status, second) == (1, first)


def test_a_file_of_another_bot_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "gate.json"
    path.write_text('{"subject": "random", "engine": "1.0.0", "seed": 0}', encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(MalformedError, match=r"random 1\.0\.0"):
        list(play_gate([], "novice", path, "1.0.0"))
    assert path.read_bytes() == before
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(MalformedError, match="liarsdice arena gate"):
        read_gate(path)


def test_a_result_is_clear_far_from_what_is_asked() -> None:
    cell = Cell("basic", 4, "regular")
    near, far = CellResult(cell, 60, 0.27, 0.2, 0.34, 1.0, 0), CellResult(cell, 60, 0.1, 0.05, 0.15, 1.0, 0)
    assert (near.is_clear, near.falls_short) == (False, False)
    assert (far.is_clear, far.falls_short) == (True, True)
    assert [Cell(rules, 2, "inference").asked for rules in ("basic", "openspiel")] == [0.62, 0.5]  # one round is luck


def test_the_matrix_has_each_option_of_the_printed_sheets() -> None:
    names = rules_names()
    assert {"chart", "classic+aces", "classic+calza", "official-strict", "joker"} <= set(names)
    assert "basic+aetolia" not in names  # bids about own dice, which networks do not observe
    assert {cell.seats for cell in make_cells(names, (2, 6), ["regular"])} == {2, 6}
    assert len({"classic", "basic", "snyd"} & set(names)) == 1  # they are played alike
    assert len(make_cells(["basic"], (2, 2), ["regular"])) == 1
    with pytest.raises(MalformedError, match="no table has"):
        make_cells(["basic"], (1,), ["regular"])


def test_seats_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    status, _, err = run_captured("arena", "gate", "--seats", "two", "-o", tmp_path / "gate.json")
    assert status != 0
    assert "such as 2,4" in err
