"""Where the tables are stored: a SQLite file, or a PostgreSQL database by its URL, which may contain a password."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import msgspec

from liarsdice.core.errors import MalformedError, UnavailableError

SCHEME = re.compile(r"([a-z0-9+]{1,30})://", re.IGNORECASE)
HOST = r"(?:[a-z0-9._-]*|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?"
POSTGRES_URL = re.compile(
    rf"postgres(?:ql)?://(?:[^@/?#]*@)?(?P<hosts>{HOST}(?:,{HOST})*)(?P<name>/[^@/?#]*)?(?:\?[^@#]*)?", re.IGNORECASE
)


class PostgresUrl(msgspec.Struct, frozen=True):
    """The URL of a PostgreSQL database. Printing it shows the host and the database only, never the password.

    >>> PostgresUrl("postgresql://ann:secret@db.example:5432/dice?password=secret")
    postgresql://db.example:5432/dice
    """

    url: str

    @property
    def name(self) -> str:
        """The name of the database, "" if the URL has none."""
        match = POSTGRES_URL.fullmatch(self.url)
        return (match["name"] or "").strip("/") if match else ""

    def __str__(self) -> str:
        match = POSTGRES_URL.fullmatch(self.url)
        return f"postgresql://{match['hosts']}{match['name'] or ''}" if match else "postgresql://"

    __repr__ = __str__


def parse_database_url(url: str) -> Path | PostgresUrl:
    """Return the file of a SQLite URL, or the URL of a PostgreSQL database.

    Raises `MalformedError` for another text, and `UnavailableError` for another kind of database. The errors do not
    contain the text, because it may contain a password.
    """
    scheme = SCHEME.match(url)
    if scheme is None:
        raise MalformedError("--database is an address such as sqlite:////var/lib/liars.db or postgresql://HOST/NAME")
    match scheme[1].lower():
        case "postgresql" | "postgres":
            return _postgres_url(url)
        case "sqlite":
            return _sqlite_path(url)
        case other:
            raise UnavailableError(f"tables are kept in SQLite (sqlite:///PATH) or PostgreSQL, not in {other}")


def require_postgresql() -> None:
    """Raise `UnavailableError` unless the driver of PostgreSQL is installed, which is an extra of the distribution."""
    if find_spec("asyncpg") is None or find_spec("greenlet") is None:
        raise UnavailableError(
            "tables in PostgreSQL need its driver; install it with: pip install 'liarsdice-engine[postgresql]'"
        )


def _postgres_url(url: str) -> PostgresUrl:
    if POSTGRES_URL.fullmatch(url) is None:
        raise MalformedError(
            "--database is an address such as postgresql://USER:PASSWORD@HOST:5432/NAME, in which the signs @ / ? # of"
            " a user name or a password are written as %40 %2F %3F %23"
        )
    return PostgresUrl(url)


def _sqlite_path(url: str) -> Path:
    import sqlalchemy as sa  # noqa: PLC0415  commands that need no database import this module, too

    try:
        path = sa.make_url(url).database
    except (sa.exc.ArgumentError, ValueError) as error:
        raise MalformedError("--database is an address such as sqlite:////var/lib/liars.db") from error
    if not path or path == ":memory:":
        raise MalformedError("--database needs a file: sqlite:///PATH")
    return Path(path)
