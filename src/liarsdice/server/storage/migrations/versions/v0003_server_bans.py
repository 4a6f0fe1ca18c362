"""Add the bans of the operator."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the table of bans."""
    op.create_table(
        "server_bans",
        sa.Column("scope", sa.String(12), primary_key=True),
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("ban", sa.Integer, nullable=False),
        sa.Column("until_ms", sa.BigInteger),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("note", sa.String(200), nullable=False),
    )


def downgrade() -> None:
    """Drop the table of bans."""
    op.drop_table("server_bans")
