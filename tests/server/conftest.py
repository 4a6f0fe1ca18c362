"""A running server, and tables without one, for every test that asks for them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from liarsdice.server import services
from liarsdice.server.live.table_registry import TableRegistry
from tests.server.live_tables import open_registry
from tests.server.running_server import RunningServer, run_server


@pytest.fixture(autouse=True)
def remembered_bans(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server forgets no ban or token that a test gave to it and not to the database, however long the test takes."""
    monkeypatch.setattr(services, "BAN_REFRESH_S", 3600.0)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RunningServer]:
    async with run_server(tmp_path / "server.db") as running:
        yield running


@pytest.fixture
async def registry(tmp_path: Path) -> AsyncIterator[TableRegistry]:
    async with open_registry(tmp_path / "db") as registry:
        yield registry
