"""Settings choose the store and the bus, and garbage collections stay short."""

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.server.bus.event_bus import LocalEventBus
from liarsdice.server.bus.postgres_bus import RemoteEventBus
from liarsdice.server.run import make_bus, make_store, tune_garbage_collector
from liarsdice.server.settings import PostgresUrl
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


@pytest.fixture
def tuned_collector() -> Iterator[None]:
    thresholds, callbacks = gc.get_threshold(), list(gc.callbacks)
    tune_garbage_collector()
    yield
    gc.callbacks[:] = callbacks
    gc.set_threshold(*thresholds)


@pytest.mark.usefixtures("tuned_collector")
def test_no_garbage_collection_looks_at_more_than_what_came_since_the_last_one() -> None:
    looked_at = []

    def record(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and info["generation"] == 2:
            looked_at.append(len(gc.get_objects()))

    gc.callbacks.append(record)
    kept: list[list[object]] = [[[]] for _ in range(300_000)]  # as a server keeps tables and connections
    assert len(looked_at) > 3
    assert max(looked_at) < len(kept) / 2
