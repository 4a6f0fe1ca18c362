"""The deals of an arena in parallel: in this process, in several processes of this machine, or on a Ray cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from liarsdice.analysis.arena import Arena, DealResult, play_deal
from liarsdice.bots.external.line_process import kill_all
from liarsdice.runtime.process_pool import map_unordered
from liarsdice.runtime.ray_cluster import ray_running

LOST_WORKER = (
    "a worker process was killed, by a bot or from outside, perhaps because memory ran out; with -o the finished deals"
    " are saved, and the same command continues"
)


def play_deals(arena: Arena, numbers: Iterable[int], *, jobs: int = 1, ray: bool = False) -> Iterator[DealResult]:
    """Play deals by number and yield each result as it is done, in any order.

    `jobs`: processes of this machine; with `ray` as many as the cluster has processors. Raises `UnavailableError` if
    Ray is not installed, or if a process was killed.
    """
    tasks = ((arena, number) for number in numbers)
    if ray:
        return _play_on_cluster(tasks)
    if jobs > 1:
        return map_unordered(play_deal, tasks, jobs, lost_worker=LOST_WORKER, cleanup=kill_all)
    return (play_deal(*task) for task in tasks)


def _play_on_cluster(tasks: Iterable[tuple[Arena, int]]) -> Iterator[DealResult]:
    with ray_running() as cluster:
        yield from cluster.map_unordered(play_deal, tasks)
