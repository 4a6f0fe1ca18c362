"""The deals of an arena played side by side: in this process, in several of this machine, or spread by Ray."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from typing import Any

from liarsdice.analysis.arena import Arena, Deal, play_deal
from liarsdice.core.errors import UnavailableError

AHEAD = 3
"""So many deals are handed out for each process, so that none waits and an end is not far."""


def play_deals(contest: Arena, numbers: Iterable[int], *, jobs: int = 1, ray: bool = False) -> Iterator[Deal]:
    """Play deals and yield each as it is done, in any order. `jobs`: processes of this machine.

    With `ray` as many as Ray has processors; raises `UnavailableError` where Ray isn't installed.
    """
    if ray:
        return _by_ray(contest, iter(numbers))
    if jobs > 1:
        return _by_processes(contest, iter(numbers), jobs)
    return (play_deal(contest, number) for number in numbers)


def _by_processes(contest: Arena, numbers: Iterator[int], jobs: int) -> Iterator[Deal]:
    fresh = multiprocessing.get_context("spawn")
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
        finally:
            for one in running:
                one.cancel()


def _let_parent_stop() -> None:
    """Leave Ctrl-C to the process that asked; it keeps what is done and stops the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _by_ray(contest: Arena, numbers: Iterator[int]) -> Iterator[Deal]:
    try:
        import ray  # noqa: PLC0415  the extra `ray` brings it, and it takes seconds to load
    except ImportError as error:
        raise UnavailableError("--ray needs Ray: pip install 'liarsdice[ray]'") from error
    spread: Any = ray  # its functions are typed in part only
    started = not spread.is_initialized()
    spread.init(ignore_reinit_error=True, log_to_driver=False, include_dashboard=False, logging_level="ERROR")
    remote = spread.remote(play_deal)
    window = AHEAD * max(1, int(spread.cluster_resources().get("CPU", 1)))
    running: list[Any] = []
    try:
        while True:
            running += [remote.remote(contest, number) for number in islice(numbers, window - len(running))]
            if not running:
                return
            done, running = spread.wait(running)
            yield from spread.get(done)
    finally:
        if started:
            spread.shutdown()
