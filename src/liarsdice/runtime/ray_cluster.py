"""Ray, started where it is not yet and stopped where it was started: work spread over a cluster, or this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from liarsdice.runtime.optional_dependencies import import_optional


@contextmanager
def ray_running() -> Iterator[tuple[Any, int]]:
    """Ray's module (its functions are typed in part only), and how many processors it has.

    Raises `UnavailableError` where it isn't installed.
    """
    spread = import_optional("ray", "ray", "--ray needs Ray")
    started = not spread.is_initialized()
    spread.init(ignore_reinit_error=True, log_to_driver=False, include_dashboard=False, logging_level="ERROR")
    try:
        yield spread, max(1, int(spread.cluster_resources().get("CPU", 1)))
    finally:
        if started:
            spread.shutdown()
