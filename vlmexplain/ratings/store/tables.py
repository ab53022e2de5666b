"""The tables of the rating store; `migrations` makes them, a test holds both together."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

VERSION_TABLE = "rating_schema_version"

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

SESSIONS = Table(
    "rating_sessions",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("code", String(32), nullable=False),
    Column("code_digest", String(64), nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("state", String(10), nullable=False),
    Column("spec", JSON, nullable=False),
    Column("n_items", Integer, nullable=False),
    Column("revealed", Boolean, nullable=False),
    Column("imported", Boolean, nullable=False),
    Column("created_at", Double, nullable=False),  # all times: seconds since 1970, UTC
    Column("opened_at", Double),
    Column("closed_at", Double),
)

EVENTS = Table(
    "rating_events",  # what the organiser did to a session
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("session_id", ForeignKey("rating_sessions.id", ondelete="CASCADE"), nullable=False),
    Column("at", Double, nullable=False),
    Column("what", String(30), nullable=False),
    Column("detail", JSON),
    Index(None, "session_id"),
)

ITEMS = Table(
    "rating_items",
    METADATA,
    Column("session_id", ForeignKey("rating_sessions.id", ondelete="CASCADE"), primary_key=True),
    Column("item", Integer, primary_key=True, autoincrement=False),
    Column("caption_index", Integer, nullable=False),
    Column("query", Text, nullable=False),
    Column("ground_truth_image", Integer, nullable=False),
    Column("retrieved_image", Integer, nullable=False),
    Column("other_image", Integer),
    Column("metrics", JSON, nullable=False),
)

RATERS = Table(
    "rating_raters",
    METADATA,
    Column("session_id", ForeignKey("rating_sessions.id", ondelete="CASCADE"), primary_key=True),
    Column("rater", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),
    Column("joined_at", Double, nullable=False),
    UniqueConstraint("session_id", "name_key"),
)


def _rater_key() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["session_id", "rater"],
        ["rating_raters.session_id", "rating_raters.rater"],
        ondelete="CASCADE",
    )


def _assignment_key() -> ForeignKeyConstraint:
    columns = ["session_id", "rater", "item", "occurrence"]
    return ForeignKeyConstraint(
        columns, [f"rating_assignments.{name}" for name in columns], ondelete="CASCADE"
    )


TICKETS = Table(
    "rating_tickets",  # one a device that joined
    METADATA,
    Column("token_digest", String(64), primary_key=True),
    Column("session_id", String(32), nullable=False),
    Column("rater", Integer, nullable=False),
    Column("issued_at", Double, nullable=False),
    _rater_key(),
)

ASSIGNMENTS = Table(
    "rating_assignments",
    METADATA,
    Column("session_id", String(32), primary_key=True),
    Column("rater", Integer, primary_key=True, autoincrement=False),
    Column("item", Integer, primary_key=True, autoincrement=False),
    Column("occurrence", Integer, primary_key=True, autoincrement=False),  # 1: for consistency
    Column("position", Integer, nullable=False),  # the rater's own counting, from 1
    Column("status", String(10), nullable=False),  # open, answered, skipped, released
    Column("flipped", Boolean, nullable=False),  # the other image is shown on the left
    Column("version", Integer, nullable=False),  # of the current answer; 0: none
    Column("reserved_until", Double, nullable=False),
    Column("shown_at", Double, nullable=False),
    _rater_key(),
    ForeignKeyConstraint(
        ["session_id", "item"],
        ["rating_items.session_id", "rating_items.item"],
        ondelete="CASCADE",
    ),
    UniqueConstraint("session_id", "rater", "position"),
    Index(None, "session_id", "occurrence", "status", "item"),
)

SUBMISSIONS = Table(
    "rating_submissions",  # only ever added to: the newest version is the answer in force
    METADATA,
    Column("session_id", String(32), primary_key=True),
    Column("rater", Integer, primary_key=True, autoincrement=False),
    Column("submission_id", String(64), primary_key=True),
    Column("item", Integer, nullable=False),
    Column("occurrence", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("rating", Integer),
    Column("preference", String(10)),
    Column("classes", JSON, nullable=False),
    Column("comment", Text, nullable=False),
    Column("seconds", Double),
    Column("submitted_at", Double, nullable=False),
    _assignment_key(),
    UniqueConstraint("session_id", "rater", "item", "occurrence", "version"),
)

DRAFTS = Table(
    "rating_drafts",
    METADATA,
    Column("session_id", String(32), primary_key=True),
    Column("rater", Integer, primary_key=True, autoincrement=False),
    Column("item", Integer, primary_key=True, autoincrement=False),
    Column("occurrence", Integer, primary_key=True, autoincrement=False),
    Column("rating", Integer),
    Column("preference", String(10)),
    Column("classes", JSON, nullable=False),
    Column("comment", Text, nullable=False),
    Column("saved_at", Double, nullable=False),
    _assignment_key(),
)

ATTEMPTS = Table(
    "rating_attempts",  # wrong codes, by where they came from
    METADATA,
    Column("source_digest", String(64), primary_key=True),
    Column("failures", Integer, nullable=False),
    Column("last_at", Double, nullable=False),
    Column("blocked_until", Double, nullable=False),
)

AUDIT_MARKS = Table(
    "rating_audit_marks",
    METADATA,
    Column("gallery_id", String(64), primary_key=True),
    Column("caption_index", Integer, primary_key=True, autoincrement=False),  # -1: file taken in
    Column("verdict", String(20), nullable=False),
    Column("marked_at", Double, nullable=False),
)

FIT_MARKS = Table(
    "rating_fit_marks",  # an image fits a caption too, or does not
    METADATA,
    Column("gallery_id", String(64), primary_key=True),
    Column("caption_index", Integer, primary_key=True, autoincrement=False),
    Column("image_index", Integer, primary_key=True, autoincrement=False),
    Column("fits", Boolean, nullable=False),
    Column("marked_by", Text, nullable=False),  # as typed, may be empty
    Column("marked_at", Double, nullable=False),
)
