"""Calls run in worker processes: each has a deadline, their number is bounded, and a lost worker is replaced."""

import asyncio
import gc
import multiprocessing
import os
import signal
import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.runtime.processes import (
    TASKS_PER_WORKER,
    DeadlineError,
    PoolFullError,
    TerminatedError,
    WorkerLostError,
    WorkerPool,
    WorkerPoolError,
    defer_signals,
    map_unordered,
    stoppable,
)

SOON_S, PATIENCE_S = 0.05, 60.0


def refuse(text: str) -> None:
    raise MalformedError(text)


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    before = set(multiprocessing.active_children())
    pool = WorkerPool(1, max_calls=2, name="test")
    yield pool
    pool.close()
    assert not set(multiprocessing.active_children()) - before


async def test_a_call_runs_in_another_process_which_the_next_call_reuses(pool: WorkerPool) -> None:
    first, second = [await pool.run(os.getpid, deadline_s=PATIENCE_S) for _ in range(2)]
    assert first == second != os.getpid()


async def test_a_call_past_its_deadline_is_killed_and_its_worker_replaced(pool: WorkerPool) -> None:
    before = await pool.run(os.getpid, deadline_s=PATIENCE_S)
    with pytest.raises(DeadlineError):
        await pool.run(time.sleep, PATIENCE_S, deadline_s=SOON_S)
    assert await pool.run(os.getpid, deadline_s=PATIENCE_S) != before


async def test_a_worker_that_ends_is_replaced(pool: WorkerPool) -> None:
    with pytest.raises(WorkerLostError):
        await pool.run(os._exit, 1, deadline_s=PATIENCE_S)
    assert await pool.run(divmod, 7, 2, deadline_s=PATIENCE_S) == (3, 1)


async def test_what_a_call_raises_reaches_the_caller_and_the_worker_goes_on(pool: WorkerPool) -> None:
    worker = await pool.run(os.getpid, deadline_s=PATIENCE_S)
    with pytest.raises(MalformedError, match="no face 9"):
        await pool.run(refuse, "no face 9", deadline_s=PATIENCE_S)
    with pytest.raises(EOFError):
        await pool.run(end_of_file, deadline_s=PATIENCE_S)
    with pytest.raises(WorkerPoolError, match="cannot be sent"):
        await pool.run(make_lambda, deadline_s=PATIENCE_S)
    assert await pool.run(os.getpid, deadline_s=PATIENCE_S) == worker


@pytest.mark.parametrize(
    "function, argument, deadline_s",
    [(refuse, "no face 9", PATIENCE_S), (time.sleep, PATIENCE_S, SOON_S), (os._exit, 1, PATIENCE_S)],
    ids=["an error", "too late", "a lost worker"],
)
async def test_a_call_that_fails_leaves_nothing_for_the_garbage_collector(
    pool: WorkerPool, function: Callable[[object], object], argument: object, deadline_s: float
) -> None:
    await pool.run(os.getpid, deadline_s=PATIENCE_S)
    raised: weakref.ref[Exception] | None = None
    gc.collect()
    gc.disable()
    try:
        try:
            await pool.run(function, argument, deadline_s=deadline_s)
        except (WorkerPoolError, MalformedError) as error:
            raised = weakref.ref(error)
        await pool.run(os.getpid, deadline_s=PATIENCE_S)  # its thread has ended the failed call
        assert raised is not None
        assert raised() is None
    finally:
        gc.enable()


async def test_more_calls_than_may_wait_are_refused_at_once(pool: WorkerPool) -> None:
    calls = [asyncio.create_task(pool.run(divmod, number, 2, deadline_s=PATIENCE_S)) for number in range(5)]
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert results[:2] == [(0, 0), (0, 1)]
    assert all(isinstance(result, PoolFullError) for result in results[2:])
    assert await pool.run(divmod, 9, 2, deadline_s=PATIENCE_S) == (4, 1)


async def test_a_worker_is_prepared_before_its_first_call() -> None:
    pool = WorkerPool(1, max_calls=1, name="prepared", prepare=prepare)
    assert await pool.run(preparations, deadline_s=PATIENCE_S) == 1
    assert await pool.run(preparations, deadline_s=PATIENCE_S) == 1
    pool.close()


async def test_no_call_waits_for_a_process_that_starts_while_another_one_is_free(tmp_path: Path) -> None:
    """The second process does not become ready before the third call has its answer from the first one."""
    pool = WorkerPool(2, max_calls=3, name="slow", prepare=partial(prepare_second, tmp_path))
    first = await pool.run(os.getpid, deadline_s=PATIENCE_S)
    async with asyncio.timeout(PATIENCE_S / 2):
        sleeping = asyncio.create_task(pool.run(time.sleep, SOON_S, deadline_s=PATIENCE_S))
        assert await pool.run(os.getpid, deadline_s=PATIENCE_S) == first
        await sleeping
    assert not pool.starting
    (tmp_path / "go").touch()
    pool.close()


async def test_a_pool_whose_processes_cannot_start_says_so() -> None:
    pool = WorkerPool(2, max_calls=3, name="broken", prepare=partial(os._exit, 1))
    calls = [pool.run(os.getpid, deadline_s=PATIENCE_S) for _ in range(3)]
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(result) for result in results] == [WorkerLostError] * 3
    assert not pool.starting
    pool.close()


async def test_closing_ends_the_running_call_and_all_processes(pool: WorkerPool, tmp_path: Path) -> None:
    running = asyncio.create_task(pool.run(begin_and_sleep, tmp_path / "begun", deadline_s=PATIENCE_S))
    waiting = asyncio.create_task(pool.run(os.getpid, deadline_s=PATIENCE_S))
    while not (tmp_path / "begun").exists():  # noqa: ASYNC110  another process creates it
        await asyncio.sleep(0.01)
    pool.close()
    ended = await asyncio.gather(running, waiting, return_exceptions=True)
    assert [type(result) for result in ended] == [WorkerLostError, asyncio.CancelledError]
    with pytest.raises(WorkerLostError):
        await pool.run(os.getpid, deadline_s=PATIENCE_S)


def prepare_second(folder: Path) -> None:
    """Return at once in the process that comes first; another one waits for a file."""
    try:
        (folder / "first").touch(exist_ok=False)
    except FileExistsError:
        while not (folder / "go").exists():
            time.sleep(SOON_S)


prepared: list[str] = []


def prepare() -> None:
    prepared.append("once")


def preparations() -> int:
    return len(prepared)


def begin_and_sleep(begun: Path) -> None:
    begun.touch()
    time.sleep(PATIENCE_S)


def end_of_file() -> None:
    raise EOFError


def make_lambda() -> object:
    return lambda: None


LOST = "a worker was lost"
PROCESS_POOL_PATIENCE_S = 60


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
        deadline_s = time.monotonic() + PROCESS_POOL_PATIENCE_S
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
    results = map_unordered(time.sleep, [(0,), (PROCESS_POOL_PATIENCE_S,)], 1, lost_worker=LOST)
    next(results)
    for process in set(multiprocessing.active_children()) - other_children:
        process.kill()
    with pytest.raises(UnavailableError, match=LOST):
        next(results)


def test_workers_leave_interrupts_to_the_parent_and_end_when_it_stops_waiting() -> None:
    other_children = set(multiprocessing.active_children())
    results = cast(
        "Generator[None]", map_unordered(time.sleep, [(0,), (PROCESS_POOL_PATIENCE_S,)], 1, lost_worker=LOST)
    )
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
    tasks = [(0,), (PROCESS_POOL_PATIENCE_S,)]
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


def test_a_deferred_signal_is_handled_at_the_end_of_the_block() -> None:
    before, done = signal.getsignal(signal.SIGTERM), []

    @defer_signals()
    def run() -> None:
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)  # a signal that waits already is not counted again
        done.append(1)

    with stoppable():
        with pytest.raises(TerminatedError) as caught:
            run()
        assert done == [1]
        assert caught.value.status == 143
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL  # the next one ends the program at once
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_deferred_signal_is_handled_though_the_block_fails() -> None:
    @defer_signals()
    def fail() -> None:
        signal.raise_signal(signal.SIGINT)
        raise OSError

    with pytest.raises(KeyboardInterrupt):
        fail()


def test_no_signal_is_deferred_outside_the_main_thread() -> None:
    handlers = []

    def run() -> None:
        with defer_signals():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGINT)]
