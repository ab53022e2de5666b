"""Marks of the audit, which were kept in a file a gallery before."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "v0002"
down_revision = "v0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "rating_audit_marks",
        sa.Column("gallery_id", sa.String(length=64), nullable=False),
        sa.Column("caption_index", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("verdict", sa.String(length=20), nullable=False),
        sa.Column("marked_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("gallery_id", "caption_index", name=op.f("pk_rating_audit_marks")),
    )


def downgrade() -> None:
    """Remove the table."""
    op.drop_table("rating_audit_marks")
