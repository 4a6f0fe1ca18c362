"""A few worker processes for calls from an event loop. Each call has a deadline; a late worker is killed."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar, TypeVarTuple

from liarsdice.runtime.process_pool import start_worker

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")

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
