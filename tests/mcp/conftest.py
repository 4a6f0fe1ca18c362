"""A real server for the agents of a test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server without pauses, for all tests of a module."""
    folder: Path = tmp_path_factory.mktemp("server")
    running = Server(folder / "db", "--pace", "0", "--tables-per-minute", "0", "--work-per-minute", "0")
    running.start()
    try:
        yield running
    finally:
        running.end()
