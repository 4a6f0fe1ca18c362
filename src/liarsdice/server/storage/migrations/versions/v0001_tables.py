"""Create the tables for table heads, their logs, seat tickets and the heartbeat of the server."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create all tables."""
    op.create_table(
        "tables",
        sa.Column("code", sa.String(12), primary_key=True),
        sa.Column("head", sa.Integer, nullable=False),
        sa.Column("due_at_ms", sa.BigInteger),
        sa.Column("listed", sa.Boolean, nullable=False),
        sa.Column("touched_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("tables_due", "tables", ["due_at_ms"])
    op.create_index("tables_listed", "tables", ["listed", "touched_at_ms"])
    op.create_table(
        "entries",
        sa.Column("code", sa.String(12), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("wish", sa.String(80), nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tickets",
        sa.Column("ticket", sa.String(64), primary_key=True),
        sa.Column("code", sa.String(12), nullable=False),
        sa.Column("player", sa.Integer, nullable=False),
        sa.Column("until_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "presence",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("alive_at_ms", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    """Drop all tables."""
    for name in ("presence", "tickets", "entries", "tables"):
        op.drop_table(name)
