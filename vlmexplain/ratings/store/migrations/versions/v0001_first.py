"""Sessions, items, raters, assignments, answers with their history, drafts, attempts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "v0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "rating_attempts",
        sa.Column("source_digest", sa.String(length=64), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("last_at", sa.Double(), nullable=False),
        sa.Column("blocked_until", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("source_digest", name=op.f("pk_rating_attempts")),
    )
    op.create_table(
        "rating_sessions",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("code", sa.String(length=32), nullable=False),
        sa.Column("code_digest", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("n_items", sa.Integer(), nullable=False),
        sa.Column("revealed", sa.Boolean(), nullable=False),
        sa.Column("imported", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("opened_at", sa.Double(), nullable=True),
        sa.Column("closed_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rating_sessions")),
        sa.UniqueConstraint("code_digest", name=op.f("uq_rating_sessions_code_digest")),
    )
    op.create_table(
        "rating_events",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("session_id", sa.String(length=32), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("what", sa.String(length=30), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["rating_sessions.id"],
            name=op.f("fk_rating_events_rating_sessions"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rating_events")),
    )
    op.create_index(
        op.f("ix_rating_events_session_id"), "rating_events", ["session_id"], unique=False
    )
    op.create_table(
        "rating_items",
        sa.Column("session_id", sa.String(length=32), nullable=False),
        sa.Column("item", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("caption_index", sa.Integer(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("ground_truth_image", sa.Integer(), nullable=False),
        sa.Column("retrieved_image", sa.Integer(), nullable=False),
        sa.Column("other_image", sa.Integer(), nullable=True),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["rating_sessions.id"],
            name=op.f("fk_rating_items_rating_sessions"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("session_id", "item", name=op.f("pk_rating_items")),
    )
    op.create_table(
        "rating_raters",
        sa.Column("session_id", sa.String(length=32), nullable=False),
        sa.Column("rater", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("joined_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["rating_sessions.id"],
            name=op.f("fk_rating_raters_rating_sessions"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("session_id", "rater", name=op.f("pk_rating_raters")),
        sa.UniqueConstraint(
            "session_id", "name_key", name=op.f("uq_rating_raters_session_id_name_key")
        ),
    )
    op.create_table(
        "rating_assignments",
        sa.Column("session_id", sa.String(length=32), nullable=False),
        sa.Column("rater", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("item", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("occurrence", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("flipped", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("reserved_until", sa.Double(), nullable=False),
        sa.Column("shown_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id", "item"],
            ["rating_items.session_id", "rating_items.item"],
            name=op.f("fk_rating_assignments_rating_items"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["session_id", "rater"],
            ["rating_raters.session_id", "rating_raters.rater"],
            name=op.f("fk_rating_assignments_rating_raters"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "session_id", "rater", "item", "occurrence", name=op.f("pk_rating_assignments")
        ),
        sa.UniqueConstraint(
            "session_id",
            "rater",
            "position",
            name=op.f("uq_rating_assignments_session_id_rater_position"),
        ),
    )
    op.create_index(
        op.f("ix_rating_assignments_session_id_occurrence_status_item"),
        "rating_assignments",
        ["session_id", "occurrence", "status", "item"],
        unique=False,
    )
    op.create_table(
        "rating_tickets",
        sa.Column("token_digest", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=32), nullable=False),
        sa.Column("rater", sa.Integer(), nullable=False),
        sa.Column("issued_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id", "rater"],
            ["rating_raters.session_id", "rating_raters.rater"],
            name=op.f("fk_rating_tickets_rating_raters"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("token_digest", name=op.f("pk_rating_tickets")),
    )
    op.create_table(
        "rating_drafts",
        sa.Column("session_id", sa.String(length=32), nullable=False),
        sa.Column("rater", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("item", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("occurrence", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("rating", sa.Integer(), nullable=True),
        sa.Column("preference", sa.String(length=10), nullable=True),
        sa.Column("classes", sa.JSON(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("saved_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id", "rater", "item", "occurrence"],
            [
                "rating_assignments.session_id",
                "rating_assignments.rater",
                "rating_assignments.item",
                "rating_assignments.occurrence",
            ],
            name=op.f("fk_rating_drafts_rating_assignments"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "session_id", "rater", "item", "occurrence", name=op.f("pk_rating_drafts")
        ),
    )
    op.create_table(
        "rating_submissions",
        sa.Column("session_id", sa.String(length=32), nullable=False),
        sa.Column("rater", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("submission_id", sa.String(length=64), nullable=False),
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("occurrence", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Integer(), nullable=True),
        sa.Column("preference", sa.String(length=10), nullable=True),
        sa.Column("classes", sa.JSON(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.Column("submitted_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id", "rater", "item", "occurrence"],
            [
                "rating_assignments.session_id",
                "rating_assignments.rater",
                "rating_assignments.item",
                "rating_assignments.occurrence",
            ],
            name=op.f("fk_rating_submissions_rating_assignments"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "session_id", "rater", "submission_id", name=op.f("pk_rating_submissions")
        ),
        sa.UniqueConstraint(
            "session_id",
            "rater",
            "item",
            "occurrence",
            "version",
            name=op.f("uq_rating_submissions_session_id_rater_item_occurrence_version"),
        ),
    )


def downgrade() -> None:
    """Remove the tables."""
    op.drop_table("rating_submissions")
    op.drop_table("rating_drafts")
    op.drop_table("rating_tickets")
    op.drop_index(
        op.f("ix_rating_assignments_session_id_occurrence_status_item"),
        table_name="rating_assignments",
    )
    op.drop_table("rating_assignments")
    op.drop_table("rating_raters")
    op.drop_table("rating_items")
    op.drop_index(op.f("ix_rating_events_session_id"), table_name="rating_events")
    op.drop_table("rating_events")
    op.drop_table("rating_sessions")
    op.drop_table("rating_attempts")
