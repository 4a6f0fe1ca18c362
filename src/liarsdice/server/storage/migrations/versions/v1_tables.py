"""Create the tables of the database, as release 1.0 has them."""

import sqlalchemy as sa
from alembic import op

revision = "1"
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
        sa.Column("talk_from_seq", sa.Integer, nullable=False, server_default="0"),
        sa.Column("talk_deleted", sa.Integer, nullable=False, server_default="0"),
    )
    op.create_index("tables_due", "tables", ["due_at_ms"])
    op.create_index("tables_listed", "tables", ["listed", "touched_at_ms"])
    op.create_table(
        "entries",
        sa.Column("code", sa.String(12), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("request_id", sa.String(80), nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "snapshots",
        sa.Column("code", sa.String(12), primary_key=True),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "tickets",
        sa.Column("ticket", sa.String(64), primary_key=True),
        sa.Column("code", sa.String(12), nullable=False),
        sa.Column("player", sa.Integer, nullable=False),
        sa.Column("until_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "server_bans",
        sa.Column("scope", sa.String(12), primary_key=True),
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("ban", sa.Integer, nullable=False),
        sa.Column("until_ms", sa.BigInteger),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("note", sa.String(200), nullable=False),
    )
    op.create_table(
        "program_tokens",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("scopes", sa.String(80), nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("until_ms", sa.BigInteger),
    )
    op.create_table(
        "presence",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("alive_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "groups",
        sa.Column("code", sa.String(12), primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("touched_at_ms", sa.BigInteger, nullable=False),
        sa.Column("due_at_ms", sa.BigInteger),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_index("groups_due", "groups", ["due_at_ms"])
    op.create_table(
        "group_results",
        sa.Column("code", sa.String(12), primary_key=True),
        sa.Column("match_table", sa.String(12), primary_key=True),
        sa.Column("match_number", sa.Integer, primary_key=True),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    """Drop all tables."""
    for name in (
        *("group_results", "groups", "presence", "program_tokens", "server_bans", "tickets", "snapshots", "entries"),
        "tables",
    ):
        op.drop_table(name)
