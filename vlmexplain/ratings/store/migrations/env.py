"""Alembic's entry: the migrations run on the connection that `migrate` holds."""

from __future__ import annotations

from alembic import context

from vlmexplain.ratings.store.tables import METADATA, VERSION_TABLE


def run() -> None:
    """Run the migrations inside the caller's transaction."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=METADATA,
        version_table=VERSION_TABLE,
        transactional_ddl=True,
        render_as_batch=True,
    )
    with context.begin_transaction():
        context.run_migrations()


if __name__ == "env_py":  # the name under which Alembic runs this file
    run()
