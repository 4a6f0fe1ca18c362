"""A pool of worker processes that leave interrupts to their parent and never outlive it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar, TypeVarTuple

from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.signals import MAX_WAIT_S, SIGTERM_STATUS, STOP_SIGNALS, defer_signals

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")

TASKS_PER_WORKER = 3
"""So many tasks are handed out for each worker: none waits for work, and few are lost when the run is stopped."""


def map_unordered(
    function: Callable[[*Arguments], Result],
    tasks: Iterable[tuple[*Arguments]],
    workers: int,
    *,
    lost_worker: str,
    cleanup: Callable[[], None] | None = None,
) -> Iterator[Result]:
    """Call `function(*task)` in processes of this machine and yield the results as they come, in any order.

    One worker's results come in the order of the tasks.

    Workers are started afresh (`spawn`), so `function` and `cleanup` must be importable. Ctrl-C is left to the parent;
    if the iterator is closed or fails, the workers are ended, whatever they do, after a call of `cleanup` in each.
    Raises `UnavailableError` with the message `lost_worker` if a worker is killed, and whatever `function` raises.
    """
    spawn, other_children = multiprocessing.get_context("spawn"), set(multiprocessing.active_children())
    waiting = iter(tasks)
    with ProcessPoolExecutor(workers, spawn, start_worker, (cleanup,)) as executor:
        running: list[Future[Result]] = []
        try:
            while True:
                with defer_signals():  # an exception inside these calls would leave locks held
                    next_tasks = islice(waiting, TASKS_PER_WORKER * workers - len(running))
                    running += [executor.submit(function, *task) for task in next_tasks]
                    if not running:
                        return
                    done = wait(running, timeout=MAX_WAIT_S, return_when=FIRST_COMPLETED).done
                finished = [future for future in running if future in done]
                running = [future for future in running if future not in done]
                for future in finished:
                    yield future.result()
        except BrokenProcessPool as error:
            raise UnavailableError(lost_worker) from error
        except BaseException:  # no result is awaited any more, and a task may take for ever
            for process in set(multiprocessing.active_children()) - other_children:
                process.terminate()
            raise


@contextmanager
def single_worker(
    initializer: Callable[[*Arguments], None], arguments: tuple[*Arguments]
) -> Iterator[ProcessPoolExecutor]:
    """Yield an executor with one process, which keeps its state between tasks and is ended with the block.

    `initializer(*arguments)` runs in the process first. Signals are handled as by the workers of `map_unordered`.
    """
    spawn, other_children = multiprocessing.get_context("spawn"), set(multiprocessing.active_children())
    with ProcessPoolExecutor(1, spawn, _start_single_worker, (initializer, arguments)) as executor:
        try:
            yield executor
        finally:
            for process in set(multiprocessing.active_children()) - other_children:
                process.terminate()


def _start_single_worker(initializer: Callable[[*Arguments], None], arguments: tuple[*Arguments]) -> None:
    start_worker(None)
    initializer(*arguments)


def start_worker(cleanup: Callable[[], None] | None) -> None:
    """Prepare a worker process; called first in it.

    The process then ignores Ctrl-C and a closing terminal, which the parent handles. It ends on SIGTERM and when the
    parent has ended, after a call of `cleanup`.
    """

    def leave() -> None:
        if cleanup is not None:
            cleanup()
        os._exit(SIGTERM_STATUS)

    def leave_with_parent() -> None:
        parent = multiprocessing.parent_process()
        assert parent is not None
        parent.join()
        leave()

    for number in {signal.SIGINT, *STOP_SIGNALS} - {signal.SIGTERM}:  # never ignore SIGTERM, not even for a moment
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: leave())
    threading.Thread(target=leave_with_parent, daemon=True).start()
