"""A Ray cluster: connected to or started on this machine, and stopped only if it was started here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple, TypeVar, TypeVarTuple

from liarsdice.runtime.public_api import import_optional

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")

TASKS_PER_PROCESSOR = 3
"""So many tasks are handed out for each processor, so that none waits for work."""


class RayCluster(NamedTuple):
    """A running cluster: Ray's module (`Any`, since its functions are typed in part only), and its processors."""

    ray: Any
    processors: int

    def map_unordered(
        self, function: Callable[[*Arguments], Result], tasks: Iterable[tuple[*Arguments]]
    ) -> Iterator[Result]:
        """Call `function(*task)` on the cluster and yield the results as they come, in any order."""
        remote, window = self.ray.remote(function), TASKS_PER_PROCESSOR * self.processors
        waiting, running = iter(tasks), list[Any]()
        while True:
            running += [remote.remote(*task) for task in islice(waiting, window - len(running))]
            if not running:
                return
            done, running = self.ray.wait(running)
            yield from self.ray.get(done)


@contextmanager
def ray_running() -> Iterator[RayCluster]:
    """Connect to a Ray cluster, or start one on this machine for the duration of the context.

    Raises `UnavailableError` if Ray is not installed.
    """
    ray = import_optional("ray", "ray", "--ray needs Ray")
    started_here = not ray.is_initialized()
    ray.init(ignore_reinit_error=True, log_to_driver=False, include_dashboard=False, logging_level="ERROR")
    try:
        yield RayCluster(ray, max(1, int(ray.cluster_resources().get("CPU", 1))))
    finally:
        if started_here:
            ray.shutdown()
