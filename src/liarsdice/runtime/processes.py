"""A pool of worker processes that leave interrupts to their parent and never outlive it."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any, TypeVar, TypeVarTuple

from liarsdice.core.errors import UnavailableError

STOP_SIGNALS = tuple(signal.Signals[name] for name in ("SIGTERM", "SIGHUP") if name in signal.Signals.__members__)
"""The signals that stop a run; Windows has only the first."""

SIGTERM_STATUS = 128 + signal.SIGTERM
"""The exit status of a process that SIGTERM stopped, as shells report it."""

MAX_WAIT_S = 0.2
"""The longest single blocking call of a wait, in seconds.

Python runs a signal handler between two bytecode instructions of the main thread. A signal that arrives after the last
such check but before the system call begins does not interrupt the call, so its handler waits until the call ends.
"""


class TerminatedError(KeyboardInterrupt):
    """A stop signal arrived. `status` is the exit status: 128 + the number of the signal.

    Like Ctrl-C it does not count as a fault of a bot.
    """

    def __init__(self, signal_number: int) -> None:
        self.status = 128 + signal_number


@contextmanager
def handle_signals(signals: Iterable[signal.Signals], handler: Callable[[int], None]) -> Iterator[None]:
    """Call `handler` with the number of the first signal that arrives; a second one ends the program at once.

    Signals that the program was started to ignore, as `nohup` does, stay ignored. A closing terminal sends SIGHUP
    twice, so only the first SIGHUP counts. For the main thread only.
    """

    def handle_first(signal_number: int, _frame: FrameType | None) -> None:
        for number in previous:
            signal.signal(number, signal.SIG_IGN if number.name == "SIGHUP" else signal.SIG_DFL)
        handler(signal_number)

    previous = {number: known for number in signals if (known := signal.getsignal(number)) is not signal.SIG_IGN}
    try:
        for number in previous:
            signal.signal(number, handle_first)
        yield
    finally:
        for number, known in previous.items():
            signal.signal(number, signal.SIG_DFL if known is None else known)


@contextmanager
def defer_signals() -> Iterator[None]:
    """Run the handlers of SIGINT, SIGTERM and SIGHUP at the end of the block instead of within it.

    For code that must not be left half done by the exception that a handler raises. Signals without a handler in Python
    act at once. In a thread other than the main one, where no handler runs, the block changes nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending: list[int] = []
    handlers = {
        number: handler for number in (signal.SIGINT, *STOP_SIGNALS) if callable(handler := signal.getsignal(number))
    }
    try:
        for number in handlers:
            signal.signal(number, lambda number, _frame: pending.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for signal_number in dict.fromkeys(pending):
            signal.raise_signal(signal_number)


@contextmanager
def stoppable() -> Iterator[Callable[[], None]]:
    """Raise `TerminatedError` when a stop signal arrives; a second one ends the program. For the main thread only.

    Yields a function that raises `TerminatedError` again if a signal has arrived: a user's bot that catches every
    exception may have swallowed the first one, and Python swallows what is raised in a destructor.
    """
    received: list[int] = []

    def stop(signal_number: int) -> None:
        received.append(signal_number)
        raise TerminatedError(signal_number)

    def raise_if_stopped() -> None:
        if received:
            raise TerminatedError(received[0])

    with handle_signals(STOP_SIGNALS, stop):
        yield raise_if_stopped


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


START_TIMEOUT_S = 60.0
"""A worker that takes longer to start counts as lost."""


class WorkerPoolError(Exception):
    """A call of a worker pool that has no result."""


class PoolFullError(WorkerPoolError):
    """Too many calls are waiting already; this one was not begun."""


class DeadlineError(WorkerPoolError):
    """A call took longer than its deadline; its worker was killed."""


class WorkerLostError(WorkerPoolError):
    """The worker of a call ended before the call did."""


class WorkerPool:
    """Calls functions in at most `workers` processes, which start when they are first needed (`spawn`).

    `max_calls`: how many calls may run or wait at once. `niceness`: how much the processes yield to others, from 0 to
    19. `prepare`: called first in each process, so that what it loads counts for no call's deadline. A call's function,
    arguments and result must be picklable. No call waits for a process that starts if another one is free sooner.
    Calls may come from any event loop. The processes leave Ctrl-C to their parent and never outlive it.
    """

    def __init__(
        self,
        workers: int,
        *,
        max_calls: int,
        name: str,
        niceness: int = 0,
        prepare: Callable[[], object] | None = None,
    ) -> None:
        self._free_places = threading.BoundedSemaphore(max_calls)
        self._threads = ThreadPoolExecutor(workers, name)
        self._workers = tuple(_Worker(name, niceness, prepare) for _ in range(workers))
        self._changed = threading.Condition()  # guards what follows
        self._idle: list[_Worker] = []  # a stack, so that few calls keep few processes
        self._absent = list(self._workers)
        self._waiting_count = self._starting_count = self._failed_count = 0
        self._closed = False

    @property
    def starting(self) -> bool:
        """Whether calls have to wait until a process has started."""
        return 0 < self._starting_count == len(self._workers) - len(self._absent)

    @property
    def ready(self) -> bool:
        """Whether a process has started, so that a call waits for other calls at most."""
        return len(self._absent) + self._starting_count < len(self._workers)

    async def run(self, function: Callable[[*Arguments], Result], *arguments: *Arguments, deadline_s: float) -> Result:
        """Return `function(*arguments)`, called in a worker.

        `deadline_s`: the seconds that the call may take once a worker begins it. Raises `PoolFullError`,
        `DeadlineError`, `WorkerLostError`, and whatever the function raises.
        """
        if not self._free_places.acquire(blocking=False):
            raise PoolFullError("too many calls are waiting")
        try:
            future = self._threads.submit(self._call, function, arguments, deadline_s)
        except RuntimeError as error:  # the pool is closed
            self._free_places.release()
            raise WorkerLostError(str(error)) from error
        future.add_done_callback(lambda _: self._free_places.release())
        try:
            return await asyncio.wrap_future(future)
        finally:
            del future  # its error refers to this frame

    def close(self) -> None:
        """Kill the workers; running calls raise `WorkerLostError`, and waiting ones are cancelled."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for worker in self._workers:
            worker.close()

    def _call(
        self, function: Callable[[*Arguments], Result], arguments: tuple[*Arguments], deadline_s: float
    ) -> Result:
        worker = self._take_worker()
        try:
            result: Result = worker.call(function, arguments, deadline_s)
        finally:
            with self._changed:
                (self._idle if worker.running else self._absent).append(worker)
                self._changed.notify_all()
        return result

    def _take_worker(self) -> _Worker:
        """Wait for a worker with a process, and have one started for each call that waits.

        Raises `WorkerLostError` if the pool is closed, or no process is left and none could be started.
        """
        with self._changed:
            failed_before = self._failed_count
            self._waiting_count += 1
            try:
                while not self._idle:
                    failed = self._failed_count > failed_before
                    if self._closed or (failed and len(self._absent) == len(self._workers)):
                        raise WorkerLostError("no worker could be started")
                    if self._absent and self._starting_count < self._waiting_count and not failed:
                        self._starting_count += 1
                        threading.Thread(target=self._start, args=(self._absent.pop(),), daemon=True).start()
                    self._changed.wait()
                return self._idle.pop()
            finally:
                self._waiting_count -= 1

    def _start(self, worker: _Worker) -> None:
        """Start the process of a worker (in a thread of its own)."""
        try:
            worker.start()
        except Exception:  # noqa: BLE001  the calls that wait raise an error of their own
            worker.stop()
        with self._changed:
            self._starting_count -= 1
            self._failed_count += not worker.running
            (self._idle if worker.running else self._absent).append(worker)
            self._changed.notify_all()


class _Worker:
    """One process at a time, which one thread at a time uses."""

    def __init__(self, name: str, niceness: int, prepare: Callable[[], object] | None) -> None:
        self._name, self._niceness, self._prepare = name, niceness, prepare
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._lock = threading.Lock()
        self._closed = False

    @property
    def running(self) -> bool:
        """Whether there is a process, which has started."""
        return self._connection is not None

    def call(self, function: Callable[..., Any], arguments: tuple[Any, ...], deadline_s: float) -> Any:  # noqa: ANN401  any function's
        """Return `function(*arguments)` as `WorkerPool.run` does; the process is running."""
        connection = self._connection
        if connection is None:
            raise WorkerLostError("the pool is closed")
        try:
            connection.send((function, arguments))
            in_time = connection.poll(deadline_s)
            answer: tuple[bool, Any] | None = connection.recv() if in_time else None
        except (EOFError, OSError) as error:
            self.stop()
            raise WorkerLostError("the worker ended during the call") from error
        if answer is None:
            self.stop()
            raise DeadlineError(f"no result came within {deadline_s} s")
        succeeded, result = answer
        try:
            if not succeeded:
                raise result
            return result
        finally:
            del answer, result  # an error refers to this frame

    def close(self) -> None:
        """Kill the process, if there is one, for good."""
        self._closed = True
        self.stop()

    def start(self) -> None:
        """Start a process and wait until it is ready. Raises `EOFError` and `OSError` if that fails."""
        spawn = multiprocessing.get_context("spawn")
        connection, other_end = spawn.Pipe()
        with self._lock:
            if self._closed:
                raise EOFError
            arguments = (other_end, self._niceness, self._prepare)
            process = spawn.Process(target=_serve_calls, args=arguments, name=self._name, daemon=True)
            process.start()
            self._process = process
        other_end.close()
        if not connection.poll(START_TIMEOUT_S):
            raise EOFError
        connection.recv()
        with self._lock:
            if self._process is not process:
                raise EOFError
            self._connection = connection

    def stop(self) -> None:
        """Kill the process, if there is one."""
        with self._lock:
            process, connection = self._process, self._connection
            self._process = self._connection = None
        if process is not None:
            process.kill()
            process.join()
        if connection is not None and not self._closed:  # on closing, a thread may still wait for it
            connection.close()


def _serve_calls(connection: Connection, niceness: int, prepare: Callable[[], object] | None) -> None:
    """Answer calls until the other end of the connection is closed (in a worker)."""
    start_worker(None)
    os.nice(niceness)
    if prepare is not None:
        prepare()
    try:
        connection.send(None)
    except OSError:  # the parent has ended
        return
    while True:
        try:
            call = connection.recv_bytes()
        except (EOFError, OSError):  # a reset if the parent ended before it read everything
            return
        try:
            function, arguments = pickle.loads(call)  # noqa: S301  from the parent process
            answer = (True, function(*arguments))
        except Exception as error:  # noqa: BLE001  the caller handles it
            answer = (False, error)
        try:
            connection.send(answer)
        except Exception as error:  # noqa: BLE001  a result that cannot be pickled
            connection.send((False, WorkerPoolError(f"the answer cannot be sent: {type(error).__name__}")))
