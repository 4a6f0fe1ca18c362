"""The tables of the database, for whichever database it is."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, MetaData, String, Table

metadata = MetaData()

tables = Table(
    "tables",
    metadata,
    Column("code", String(12), primary_key=True),
    Column("head", Integer, nullable=False),
    Column("due_at_ms", BigInteger),
    Column("listed", Boolean, nullable=False),
    Column("touched_at_ms", BigInteger, nullable=False),
    Index("tables_due", "due_at_ms"),
    Index("tables_listed", "listed", "touched_at_ms"),
)

entries = Table(
    "entries",
    metadata,
    Column("code", String(12), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
    Column("wish", String(80), nullable=False),
    Column("body", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

tickets = Table(
    "tickets",
    metadata,
    Column("ticket", String(64), primary_key=True),
    Column("code", String(12), nullable=False),
    Column("player", Integer, nullable=False),
    Column("until_ms", BigInteger, nullable=False),
)

presence = Table(
    "presence",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("alive_at_ms", BigInteger, nullable=False),
)
