"""Settings choose the store and the bus."""

import sys
from pathlib import Path

import pytest

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.server.bus.event_bus import LocalEventBus
from liarsdice.server.bus.remote_event_bus import RemoteEventBus
from liarsdice.server.bus_url import parse_bus_url
from liarsdice.server.database_url import PostgresUrl
from liarsdice.server.run import cluster_of, make_bus, make_store
from liarsdice.server.settings import read_settings
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


def test_the_database_or_a_url_chooses_the_bus(tmp_path: Path) -> None:
    database = PostgresUrl("postgresql://db.example/dice")
    assert isinstance(make_bus(tmp_path / "db"), LocalEventBus)
    for url in (None, parse_bus_url("redis://bus.example"), parse_bus_url("nats://bus.example")):
        assert isinstance(make_bus(database, url), RemoteEventBus)


def test_nodes_are_of_one_cluster_if_they_have_the_same_keys_and_database() -> None:
    first, again, other, renamed = (
        cluster_of(keys, PostgresUrl(url).name)
        for keys, url in (
            ("a1", "postgresql://ann:secret@db.example/dice"),
            ("a1", "postgresql://10.0.0.1:5432/dice?sslmode=require"),
            ("b2", "postgresql://db.example/dice"),
            ("a1", "postgresql://db.example/test"),
        )
    )
    assert first == again
    assert len({first, other, renamed}) == 3


@pytest.mark.parametrize("scheme, module", [("redis", "redis.asyncio"), ("nats", "nats")])
def test_a_missing_driver_of_a_bus_says_what_to_install(
    scheme: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, f"liarsdice.server.bus.{scheme}_bus", raising=False)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UnavailableError, match=rf"pip install 'liarsdice-engine\[{scheme}\]'"):
        make_bus(PostgresUrl("postgresql://db.example/dice"), parse_bus_url(f"{scheme}://bus.example"))


def test_a_bus_without_postgresql_is_refused() -> None:
    with pytest.raises(MalformedError, match="several servers on one PostgreSQL database"):
        read_settings({"bus": "redis://bus.example"}, {})
