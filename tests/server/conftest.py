"""A running server for whichever test asks for one."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.server.serving import Served, served


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path / "server.db") as running:
        yield running
