"""Many jobs solved in parallel by processes, and again after a kill."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import cast

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.presets import preset
from liarsdice.solve.cfr.solver import Method
from liarsdice.solve.game.round_game import RoundStart, with_faces
from liarsdice.solve.match_solver import SolveJob, SolveResult, solve_many

TARGET = 2e-3
PATIENCE_S = 120


def make_job(
    name: str, dice: tuple[int, int], *, faces: int = 3, match: bool = False, target: float = TARGET
) -> SolveJob:
    rules = with_faces(preset(name).ruleset, faces)
    return SolveJob(f"{name}-{dice[0]}-{dice[1]}", rules, RoundStart(dice), match, Method.DCFR, target)


JOBS = (make_job("perudo", (1, 1)), make_job("official", (1, 1)), make_job("snyd", (2, 1), match=True))


def results_by_name(results: Iterator[SolveResult]) -> dict[str, SolveResult]:
    return {result.job.name: result for result in results}


def test_games_are_solved_by_processes_and_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = results_by_name(solve_many(JOBS, tmp_path, "0", workers=2))
    assert found.keys() == {job.name for job in JOBS}
    assert "grows like a factorial" in found["official-1-1"].refusal
    for name in ("perudo-1-1", "snyd-2-1"):
        strategy = found[name].strategy
        assert strategy is not None
        assert strategy.bounds.exploitability <= 1.01 * TARGET
    strategies = found["snyd-2-1"].strategies
    assert strategies is not None
    assert [str(one.start) for one in strategies.strategies] == ["1v1", "2v1"]
    monkeypatch.setattr("liarsdice.solve.match_solver.run_job", None)  # nothing is left to do
    again = results_by_name(solve_many((JOBS[0], JOBS[2]), tmp_path, "0"))
    assert {name: result.strategy and result.strategy.bounds for name, result in again.items()} == {
        name: result.strategy and result.strategy.bounds for name, result in found.items() if not result.refusal
    }


def test_a_damaged_or_inexact_file_is_solved_again(tmp_path: Path) -> None:
    first = JOBS[0]
    file = tmp_path / "perudo-1-1.lds"
    assert results_by_name(solve_many([first], tmp_path, "0"))["perudo-1-1"].strategies
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    assert results_by_name(solve_many([first], tmp_path, "0"))["perudo-1-1"].strategies
    assert file.read_bytes() == whole
    nearer = results_by_name(solve_many([make_job("perudo", (1, 1), target=1e-4)], tmp_path, "0"))[
        "perudo-1-1"
    ].strategy
    assert nearer is not None
    assert nearer.bounds.exploitability <= 1.01e-4


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnavailableError, match="cannot write to"):
        list(solve_many(JOBS, tmp_path / "file", "0"))


QUICK_AND_ENDLESS = (make_job("perudo", (1, 1)), make_job("perudo", (2, 1), faces=6, target=1e-12))


def test_workers_end_when_results_are_no_longer_awaited(tmp_path: Path) -> None:
    other_children = set(multiprocessing.active_children())
    results = solve_many(QUICK_AND_ENDLESS, tmp_path, "0", workers=2)
    assert next(results).strategies
    assert set(multiprocessing.active_children()) > other_children
    with pytest.raises(KeyboardInterrupt):
        cast("Generator[SolveResult]", results).throw(KeyboardInterrupt)
    assert set(multiprocessing.active_children()) <= other_children


def test_a_process_that_is_killed_is_reported(tmp_path: Path) -> None:
    other_children = set(multiprocessing.active_children())
    results = solve_many(QUICK_AND_ENDLESS, tmp_path, "0", workers=2)
    assert next(results).strategies
    for process in set(multiprocessing.active_children()) - other_children:
        process.kill()
    with pytest.raises(UnavailableError, match="was killed, perhaps because memory ran out"):
        next(results)


def test_a_killed_run_goes_on_from_the_last_finished_game(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "liarsdice", "solve", "table", "--rules", "perudo", "--up-to", "4", "--faces", "4"]
    words += ["--jobs", "1", "--target", "0.001", "-o", str(tmp_path)]
    running = subprocess.Popen(words, start_new_session=True)
    until_s = time.monotonic() + PATIENCE_S
    while not _finished_files(tmp_path):
        assert running.poll() is None
        assert time.monotonic() < until_s
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    finished = _finished_files(tmp_path)
    assert 1 <= len(finished) < 6
    lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
    assert [line.split()[1] for line in lines[1:]] == ["1v1", "2v1", "1v2", "3v1", "2v2", "1v3"]
    assert all("to" in line for line in lines[1:])
    after = _finished_files(tmp_path)
    assert len(after) == 6
    assert finished.items() <= after.items()


def _finished_files(folder: Path) -> dict[str, int]:
    """The strategy files and when they were written, in ns; a killed process may leave a part of one beside them."""
    return {file.name: file.stat().st_mtime_ns for file in folder.glob("*.lds") if ".part." not in file.name}
