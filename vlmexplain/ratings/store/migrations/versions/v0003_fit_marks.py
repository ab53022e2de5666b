"""Marks that an image fits a caption too, or does not: who, and when."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "v0003"
down_revision = "v0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "rating_fit_marks",
        sa.Column("gallery_id", sa.String(length=64), nullable=False),
        sa.Column("caption_index", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("image_index", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("fits", sa.Boolean(), nullable=False),
        sa.Column("marked_by", sa.Text(), nullable=False),
        sa.Column("marked_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint(
            "gallery_id", "caption_index", "image_index", name=op.f("pk_rating_fit_marks")
        ),
    )


def downgrade() -> None:
    """Remove the table."""
    op.drop_table("rating_fit_marks")
