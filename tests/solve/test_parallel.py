"""Many games solved side by side: by processes, by Ray, and again after a kill."""

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
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.game.round_game import with_faces
from liarsdice.solve.game.round_start import Opening
from liarsdice.solve.parallel import Answer, Game, solve_many

TARGET = 2e-3
PATIENCE_S = 120


def game(name: str, dice: tuple[int, int], *, faces: int = 3, match: bool = False, target: float = TARGET) -> Game:
    rules = with_faces(preset(name).ruleset, faces)
    return Game(f"{name}-{dice[0]}-{dice[1]}", rules, Opening(dice), match, Method.DCFR, target)


GAMES = (game("perudo", (1, 1)), game("official", (1, 1)), game("snyd", (2, 1), match=True))


def answered(answers: Iterator[Answer]) -> dict[str, Answer]:
    return {answer.game.name: answer for answer in answers}


def test_games_are_solved_by_processes_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = answered(solve_many(GAMES, tmp_path, "0", jobs=2))
    assert found.keys() == {game.name for game in GAMES}
    assert "grows like a factorial" in found["official-1-1"].refused
    for name in ("perudo-1-1", "snyd-2-1"):
        strategy = found[name].strategy
        assert strategy is not None
        assert strategy.bounds.exploitability <= 1.01 * TARGET
    solved = found["snyd-2-1"].solved
    assert solved is not None
    assert [str(one.opening) for one in solved.strategies] == ["1v1", "2v1"]
    monkeypatch.setattr("liarsdice.solve.parallel.solved_alone", None)  # nothing is left to do
    again = answered(solve_many((GAMES[0], GAMES[2]), tmp_path, "0"))
    assert {name: answer.strategy and answer.strategy.bounds for name, answer in again.items()} == {
        name: answer.strategy and answer.strategy.bounds for name, answer in found.items() if not answer.refused
    }


def test_what_is_damaged_or_not_near_enough_is_solved_again(tmp_path: Path) -> None:
    first = GAMES[0]
    file = tmp_path / "perudo-1-1.lds"
    assert answered(solve_many([first], tmp_path, "0"))["perudo-1-1"].solved
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    assert answered(solve_many([first], tmp_path, "0"))["perudo-1-1"].solved
    assert file.read_bytes() == whole
    nearer = answered(solve_many([game("perudo", (1, 1), target=1e-4)], tmp_path, "0"))["perudo-1-1"].strategy
    assert nearer is not None
    assert nearer.bounds.exploitability <= 1.01e-4


def test_ray_solves_the_same(tmp_path: Path) -> None:
    local = answered(solve_many(GAMES, tmp_path / "local", "0"))
    spread = answered(solve_many(GAMES, tmp_path / "spread", "0", ray=True))
    for name, answer in local.items():
        assert spread[name].refused == answer.refused
        if answer.strategy:
            assert (tmp_path / "spread" / f"{name}.lds").read_bytes() == (
                tmp_path / "local" / f"{name}.lds"
            ).read_bytes()


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnavailableError, match="cannot write to"):
        list(solve_many(GAMES, tmp_path / "file", "0"))


QUICK_AND_ENDLESS = (game("perudo", (1, 1)), game("perudo", (2, 1), faces=6, target=1e-12))


def test_nothing_is_solved_any_more_when_nobody_waits(tmp_path: Path) -> None:
    answers = solve_many(QUICK_AND_ENDLESS, tmp_path, "0", jobs=2)
    assert next(answers).solved
    assert multiprocessing.active_children()
    with pytest.raises(KeyboardInterrupt):
        cast("Generator[Answer]", answers).throw(KeyboardInterrupt)
    assert not multiprocessing.active_children()


def test_a_process_that_is_ended_from_outside_is_told_of(tmp_path: Path) -> None:
    answers = solve_many(QUICK_AND_ENDLESS, tmp_path, "0", jobs=2)
    assert next(answers).solved
    for process in multiprocessing.active_children():
        process.kill()
    with pytest.raises(UnavailableError, match="ended from outside, perhaps for want of memory"):
        next(answers)


def test_a_killed_run_goes_on_from_the_last_finished_game(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "liarsdice", "solve", "table", "--rules", "perudo", "--up-to", "4", "--faces", "4"]
    words += ["--jobs", "1", "--target", "0.0002", "-o", str(tmp_path)]
    running = subprocess.Popen(words, start_new_session=True)
    until_s = time.monotonic() + PATIENCE_S
    while not list(tmp_path.glob("*.lds")):
        assert running.poll() is None
        assert time.monotonic() < until_s
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    finished = {file.name: file.stat().st_mtime_ns for file in tmp_path.glob("*.lds")}
    assert 1 <= len(finished) < 6
    told = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
    assert [line.split()[1] for line in told[1:]] == ["1v1", "2v1", "1v2", "3v1", "2v2", "1v3"]
    assert all("to" in line for line in told[1:])
    after = {file.name: file.stat().st_mtime_ns for file in tmp_path.glob("*.lds")}
    assert len(after) == 6
    assert finished.items() <= after.items()
