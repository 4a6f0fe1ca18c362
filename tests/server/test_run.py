"""Settings choose the store and the bus."""

import sys
from pathlib import Path

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.server.bus.event_bus import LocalEventBus
from liarsdice.server.bus.remote_event_bus import RemoteEventBus
from liarsdice.server.database_url import PostgresUrl
from liarsdice.server.run import make_bus, make_store
from liarsdice.server.storage.postgres import PostgresStore
from liarsdice.server.storage.sqlite import SqliteStore


def test_the_database_chooses_the_store(tmp_path: Path) -> None:
    assert isinstance(make_store(tmp_path / "db"), SqliteStore)
    assert isinstance(make_store(PostgresUrl("postgresql://db.example/dice")), PostgresStore)


def test_a_missing_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "liarsdice.server.storage.postgres")
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(UnavailableError, match=r"pip install 'liarsdice-engine\[postgresql\]'"):
        make_store(PostgresUrl("postgresql://db.example/dice"))


def test_the_database_chooses_the_bus(tmp_path: Path) -> None:
    assert isinstance(make_bus(tmp_path / "db"), LocalEventBus)
    assert isinstance(make_bus(PostgresUrl("postgresql://db.example/dice")), RemoteEventBus)
