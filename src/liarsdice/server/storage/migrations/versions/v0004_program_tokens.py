"""Add the tokens that an operator gives to programs."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the table of tokens."""
    op.create_table(
        "program_tokens",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("scopes", sa.String(80), nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("until_ms", sa.BigInteger),
    )


def downgrade() -> None:
    """Drop the table of tokens."""
    op.drop_table("program_tokens")
