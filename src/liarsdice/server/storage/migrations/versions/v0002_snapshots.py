"""Add snapshots of the states of tables, and count the old table talk that was deleted from their logs."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the table of snapshots and add the two columns about deleted talk."""
    op.create_table(
        "snapshots",
        sa.Column("code", sa.String(12), primary_key=True),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.add_column("tables", sa.Column("talk_from_seq", sa.Integer, nullable=False, server_default="0"))
    op.add_column("tables", sa.Column("talk_deleted", sa.Integer, nullable=False, server_default="0"))


def downgrade() -> None:
    """Drop the snapshots and the two columns."""
    op.drop_column("tables", "talk_deleted")
    op.drop_column("tables", "talk_from_seq")
    op.drop_table("snapshots")
