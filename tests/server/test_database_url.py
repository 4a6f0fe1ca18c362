"""The URL of a database names a SQLite file or a PostgreSQL database, and its password is never shown."""

from pathlib import Path

import pytest

from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.server.settings import PostgresUrl, parse_database_url

HIDDEN = "s3cr3t"


@pytest.mark.parametrize(
    "url, shown",
    [
        ("postgresql://ann:s3cr3t@db.example:5432/dice", "postgresql://db.example:5432/dice"),
        ("postgres://ann:s3cr3t@db.example/dice", "postgresql://db.example/dice"),
        ("postgresql://ann:s3cr3t%40%2F@[::1]:5432/dice", "postgresql://[::1]:5432/dice"),
        ("postgresql://ann@a.example:1,b.example:2/dice?password=s3cr3t", "postgresql://a.example:1,b.example:2/dice"),
        ("postgresql:///dice?host=/run/postgresql&password=s3cr3t", "postgresql:///dice"),
        ("postgresql://", "postgresql://"),
    ],
)
def test_a_postgresql_url_is_kept_and_shown_without_its_password(url: str, shown: str) -> None:
    database = parse_database_url(url)
    assert isinstance(database, PostgresUrl)
    assert database.url == url
    assert (str(database), repr(database), f"{database}") == (shown, shown, shown)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:s3cr3t@x@db.example/dice",
        "postgresql://ann:s3cr3t/x@db.example/dice",
        "postgresql://ann:x?s3cr3t@db.example/dice",
        "postgresql://ann:x#s3cr3t@db.example/dice",
        "postgresql://ann:s3cr3t/dice",
        "postgresql://db.example/dice?password=s3cr3t@x",
        "postgresql+asyncpg://ann:s3cr3t@db.example/dice",
        "mysql://ann:s3cr3t@db.example/dice",
        "ann:s3cr3t@db.example/dice",
        "sqlite://",
        "sqlite://ann:s3cr3t@db.example:x/dice",
        "",
    ],
)
def test_another_text_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(LiarsDiceError, match=r"sqlite:///|postgresql://") as refused:
        parse_database_url(url)
    assert isinstance(refused.value, MalformedError | UnavailableError)
    assert HIDDEN not in str(refused.value)


def test_a_sqlite_url_is_a_path() -> None:
    assert parse_database_url("sqlite:////var/lib/liars.db") == Path("/var/lib/liars.db")
