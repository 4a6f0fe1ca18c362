"""Work is spread over processes, and none of them is left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Generator
from pathlib import Path
from typing import cast

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.process_pool import TASKS_PER_WORKER, map_unordered

LOST = "a worker was lost"
PATIENCE_S = 60


def test_results_come_from_several_processes_in_any_order() -> None:
    results = list(map_unordered(divmod, ((number, 7) for number in range(20)), 2, lost_worker=LOST))
    assert sorted(results) == sorted(divmod(number, 7) for number in range(20))


def test_results_of_one_worker_come_in_the_order_of_the_tasks(tmp_path: Path) -> None:
    handed_out: list[Path] = []

    def tasks() -> Generator[tuple[Path]]:
        for number in range(10 * TASKS_PER_WORKER):
            handed_out.append(tmp_path / str(number))
            yield (handed_out[-1],)

    received = []
    for folder in map_unordered(make_folder, tasks(), 1, lost_worker=LOST):
        received.append(folder)
        deadline_s = time.monotonic() + PATIENCE_S
        while not all(folder.is_dir() for folder in handed_out) and time.monotonic() < deadline_s:
            time.sleep(0.001)  # so that several results are ready at the same time
    assert received == handed_out


def test_tasks_are_handed_out_a_few_at_a_time() -> None:
    handed_out = 0

    def tasks() -> Generator[tuple[int]]:
        nonlocal handed_out
        for number in range(100):
            handed_out += 1
            yield (number,)

    results = map_unordered(abs, tasks(), 1, lost_worker=LOST)
    next(results)
    assert handed_out == TASKS_PER_WORKER
    assert len(list(results)) == 99


def test_the_error_of_a_task_is_passed_on() -> None:
    with pytest.raises(ZeroDivisionError):
        list(map_unordered(divmod, [(1, 0)], 1, lost_worker=LOST))


def test_a_worker_that_is_killed_is_reported() -> None:
    other_children = set(multiprocessing.active_children())
    results = map_unordered(time.sleep, [(0,), (PATIENCE_S,)], 1, lost_worker=LOST)
    next(results)
    for process in set(multiprocessing.active_children()) - other_children:
        process.kill()
    with pytest.raises(UnavailableError, match=LOST):
        next(results)


def test_workers_leave_interrupts_to_the_parent_and_end_when_it_stops_waiting() -> None:
    other_children = set(multiprocessing.active_children())
    results = cast("Generator[None]", map_unordered(time.sleep, [(0,), (PATIENCE_S,)], 1, lost_worker=LOST))
    next(results)
    workers = set(multiprocessing.active_children()) - other_children
    for process in workers:
        assert process.pid is not None
        os.kill(process.pid, signal.SIGINT)
        os.kill(process.pid, signal.SIGHUP)
    time.sleep(0.1)
    assert all(process.is_alive() for process in workers)
    with pytest.raises(KeyboardInterrupt):
        results.throw(KeyboardInterrupt)
    assert set(multiprocessing.active_children()) <= other_children


def test_a_worker_cleans_up_before_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tasks = [(0,), (PATIENCE_S,)]
    results = map_unordered(time.sleep, tasks, 1, lost_worker=LOST, cleanup=leave_a_note)
    next(results)
    with pytest.raises(KeyboardInterrupt):
        cast("Generator[None]", results).throw(KeyboardInterrupt)
    assert (tmp_path / "note").is_file()


def leave_a_note() -> None:
    Path("note").touch()


def make_folder(folder: Path) -> Path:
    folder.mkdir()
    return folder
