"""The deals of an arena played side by side: in this process, in several of this machine, or spread by Ray."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Any

from liarsdice.analysis.arena import Arena, Deal, play_deal
from liarsdice.bots.external.line_process import end_all
from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.ray_cluster import ray_running
from liarsdice.runtime.signals import ORDERS, TERMINATED

AHEAD = 3
"""So many deals are handed out for each process, so that none waits and an end is not far."""


LOST = (
    "a worker process was ended, by a bot in it or from outside, perhaps for want of memory; with -o what was played is"
    " kept, and the same command goes on"
)


def play_deals(contest: Arena, numbers: Iterable[int], *, jobs: int = 1, ray: bool = False) -> Iterator[Deal]:
    """Play deals and yield each as it is done, in any order. `jobs`: processes of this machine.

    With `ray` as many as Ray has processors. Raises `UnavailableError` where Ray isn't installed, and where a process
    was lost.
    """
    if ray:
        return _by_ray(contest, iter(numbers))
    if jobs > 1:
        return _by_processes(contest, iter(numbers), jobs)
    return (play_deal(contest, number) for number in numbers)


def _by_processes(contest: Arena, numbers: Iterator[int], jobs: int) -> Iterator[Deal]:
    fresh, others = multiprocessing.get_context("spawn"), set(multiprocessing.active_children())
    with ProcessPoolExecutor(jobs, mp_context=fresh, initializer=_let_parent_stop) as processes:
        running: set[Future[Deal]] = set()
        try:
            while True:
                free = islice(numbers, AHEAD * jobs - len(running))
                running |= {processes.submit(play_deal, contest, number) for number in free}
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for one in done:
                    yield one.result()
        except BrokenProcessPool as error:
            raise UnavailableError(LOST) from error
        except BaseException:  # nobody waits any more, and a bot of somebody's own may think for ever
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise


def _let_parent_stop() -> None:
    """Leave Ctrl-C to the process that asked; it keeps what is done and stops the others. End with it, in any case.

    A terminal that closes tells all of them, so that is left to it as well.
    """
    for one in (signal.SIGINT, *ORDERS):
        signal.signal(one, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: _leave())
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    _leave()


def _leave() -> None:
    """End at once, whatever a bot is doing, and leave nothing behind."""
    end_all()
    os._exit(TERMINATED)


def _by_ray(contest: Arena, numbers: Iterator[int]) -> Iterator[Deal]:
    with ray_running() as (ray, processors):
        remote, window = ray.remote(play_deal), AHEAD * processors
        running: list[Any] = []
        while True:
            running += [remote.remote(contest, number) for number in islice(numbers, window - len(running))]
            if not running:
                return
            done, running = ray.wait(running)
            yield from ray.get(done)
