"""The tables of the database as SQLAlchemy metadata. Their columns change only by a migration."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import (
    URL,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    create_engine,
)

from liarsdice.core.errors import UnavailableError
from liarsdice.server.storage.database_file import WAL_SUFFIX

metadata = MetaData()

tables = Table(
    "tables",
    metadata,
    Column("code", String(12), primary_key=True),
    Column("head", Integer, nullable=False),
    Column("due_at_ms", BigInteger),
    Column("listed", Boolean, nullable=False),
    Column("touched_at_ms", BigInteger, nullable=False),
    Column("talk_from_seq", Integer, nullable=False, server_default="0"),
    Column("talk_deleted", Integer, nullable=False, server_default="0"),
    Index("tables_due", "due_at_ms"),
    Index("tables_listed", "listed", "touched_at_ms"),
)
"""One row a table: the seq of its last entry (`head`), its next deadline, and the time of its last entry.

Before the entry `talk_from_seq`, needless entries, most of them talk, were deleted from the log: `talk_deleted` in all.
"""

entries = Table(
    "entries",
    metadata,
    Column("code", String(12), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
    Column("request_id", String(80), nullable=False),
    Column("body", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
"""The logs: `body` is a `LogEntry` as JSON, `request_id` as in `LogRow`."""

snapshots = Table(
    "snapshots",
    metadata,
    Column("code", String(12), primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("body", LargeBinary, nullable=False),
)
"""At most one row a table: its state after an entry, as JSON, and the digest of the sources that computed it."""

tickets = Table(
    "tickets",
    metadata,
    Column("ticket", String(64), primary_key=True),
    Column("code", String(12), nullable=False),
    Column("player", Integer, nullable=False),
    Column("until_ms", BigInteger, nullable=False),
)
"""The hashes of one-time tickets to seats, and when they expire."""

server_bans = Table(
    "server_bans",
    metadata,
    Column("scope", String(12), primary_key=True),
    Column("hash", String(64), primary_key=True),
    Column("ban", Integer, nullable=False),
    Column("until_ms", BigInteger),
    Column("at_ms", BigInteger, nullable=False),
    Column("note", String(200), nullable=False),
)
"""What the operator's bans are recognised by (`ServerBan`). `until_ms` is null for a ban for good."""

program_tokens = Table(
    "program_tokens",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("name", String(40), nullable=False),
    Column("scopes", String(80), nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("until_ms", BigInteger),
)
"""The tokens of programs (`ProgramToken`), also those that have ended. `scopes` are separated by spaces."""

presence = Table(
    "presence",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("alive_at_ms", BigInteger, nullable=False),
)
"""One row: when a server last said that it is running."""

groups = Table(
    "groups",
    metadata,
    Column("code", String(12), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("touched_at_ms", BigInteger, nullable=False),
    Column("due_at_ms", BigInteger),
    Column("body", LargeBinary, nullable=False),
    Index("groups_due", "due_at_ms"),
)
"""One row a group: a `Group` as JSON, how often it has changed, and when its members are to be reminded of a night."""

group_results = Table(
    "group_results",
    metadata,
    Column("code", String(12), primary_key=True),
    Column("match_table", String(12), primary_key=True),
    Column("match_number", Integer, primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
)
"""The matches of the groups: each a `GroupResult` as JSON."""


LATEST_VERSION = "1"
"""The last migration in `migrations/versions`."""
VERSION_TABLE = "alembic_version"


def migrate(connection: Connection) -> None:
    """Run all migrations that are missing. Raises `UnavailableError` if the schema of the database is unknown."""
    version = schema_version(connection)
    if version == LATEST_VERSION:
        return
    from alembic import command  # noqa: PLC0415  see above
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise _unknown_schema(version) from error


def _unknown_schema(version: str | None, advice: str = "name another with --database") -> UnavailableError:
    return UnavailableError(
        f"the database was made by a newer release, or by one before 1.0 (schema {version}, this release knows"
        f" {LATEST_VERSION}); run the release that made it, or {advice}"
    )


def schema_version(connection: Connection) -> str | None:
    """Return the latest migration that a database has had, None for a database without one."""
    if not connection.dialect.has_table(connection, VERSION_TABLE):
        return None
    version: str | None = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return version


def migrate_file(path: Path) -> None:
    """Run all migrations that a SQLite file lacks. Raises as `migrate`, and `SQLAlchemyError` if that fails."""
    engine = create_engine(URL.create("sqlite", database=str(path)))
    try:
        with engine.begin() as connection:
            migrate(connection)
    finally:
        engine.dispose()


def require_own_file(path: Path, advice: str = "name another with --database") -> None:
    """Raise `UnavailableError` if a file is no database of a server that this release can read.

    A file that is missing or empty may become one. Writes nothing to it. `advice`: what to do, for messages.
    """
    try:
        if not path.exists() or (path.is_file() and path.stat().st_size == 0):
            return
        # without a log of writes, SQLite needs no file of its own to read
        unchanging = "" if path.with_name(path.name + WAL_SUFFIX).exists() else "&immutable=1"
        address = f"file:{quote(str(path.absolute()))}?mode=ro{unchanging}"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if names and VERSION_TABLE not in names:
                raise UnavailableError(f"{path} is a database of another program; {advice}")
            query = "SELECT version_num FROM alembic_version"
            versions = [version for (version,) in connection.execute(query)] if names else []
    except (OSError, sqlite3.Error) as error:
        raise UnavailableError(f"the database {path} cannot be used: {error}; {advice}") from error
    for version in versions:
        if version not in map(str, range(1, int(LATEST_VERSION) + 1)):
            raise _unknown_schema(version, advice)
