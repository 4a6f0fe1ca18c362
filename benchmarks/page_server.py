"""A server with a new page and an empty database, for benchmarks that use a browser."""

import asyncio
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import hatch_build
from tests.processes import Server

Result = TypeVar("Result")


def run_with_server(measure: Callable[[Server], Coroutine[Any, Any, Result]]) -> Result:
    """Build the page if it is out of date, and return what a measurement with a running server returns."""
    hatch_build.build()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "tables.db")
        server.start()
        try:
            return asyncio.run(measure(server))
        finally:
            server.end()
