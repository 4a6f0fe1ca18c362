"""A running server for every test that asks for one."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.server.running_server import RunningServer, run_server


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RunningServer]:
    async with run_server(tmp_path / "server.db") as running:
        yield running
