"""How every test draws its examples and its chance: the same each time, unless asked to look further; PostgreSQL."""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import groupby

import pytest
from hypothesis import HealthCheck, settings

from liarsdice.server.settings import PostgresUrl
from tests import chance
from tests.postgres_server import PostgresServer
from tests.schedule import ordered

# Tests run side by side already: more threads of linear algebra in each process would wait for each other's processor.
# NumPy reads this when it is first imported, by a test.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Tests start some hundred processes. Without stored bytecode, each would compile the package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A shell that starts the tests in the background lets them ignore Ctrl+C, and whatever they start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

chance.install()

# What collection makes stays until the end: looking for garbage in it takes a sixth of the time of collection.
gc.disable()

settings.register_profile(
    "ci",
    derandomize=True,
    max_examples=25,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],  # a busy machine is no failure
)
settings.register_profile("deep", deadline=None, max_examples=2_000, print_blob=True)
settings.load_profile("ci")  # pytest --hypothesis-profile=deep overrides it


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with long tests if several processes run them; one process keeps the order of the folders."""
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if processes > 1:
        by_file = groupby(items, lambda item: item.path)
        files = [(path.relative_to(config.rootpath).as_posix(), list(tests)) for path, tests in by_file]
        items[:] = ordered(files, processes)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let every test draw random numbers of its own, the same ones each time."""
    chance.reseed(item.nodeid)


def pytest_collection_finish() -> None:
    """Collect garbage from here on, but leave out what collection has made."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL server for all tests of this process that only use it."""
    with PostgresServer("-c", "fsync=off") as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[PostgresUrl]:
    """A new database. It goes after the test: the files of hundreds would take a minute to write and to delete."""
    url = postgres_server.create_database()
    yield PostgresUrl(url)
    postgres_server.drop_database(url)


@pytest.fixture
def few_matches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let values be fitted to few matches: to fit them to as many as for players takes many seconds."""
    fitted = import_module("liarsdice.analysis.fitted_values")
    monkeypatch.setattr(fitted, "MIN_MATCHES", 6)
    monkeypatch.setattr(fitted, "MIN_STATES", 100)
    fitted.fitted_values.cache_clear()
    yield
    fitted.fitted_values.cache_clear()
