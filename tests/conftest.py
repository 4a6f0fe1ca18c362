"""How every test draws its examples: the same ones each time, unless asked to look further; and a PostgreSQL server."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from liarsdice.server.database_url import PostgresUrl
from tests.postgres_server import PostgresServer

# Tests run side by side already: more threads of linear algebra in each process would wait for each other's processor.
# NumPy reads this when it is first imported, by a test.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Tests start some hundred processes. Without stored bytecode, each would compile the package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("deep", deadline=None, max_examples=2_000, print_blob=True)
settings.load_profile("ci")  # pytest --hypothesis-profile=deep overrides it


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL server for all tests of this process that only use it."""
    with PostgresServer("-c", "fsync=off") as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> PostgresUrl:
    """A new database."""
    return PostgresUrl(postgres_server.create_database())
