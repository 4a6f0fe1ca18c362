"""Alembic environment: runs the migrations on the connection that `migrate` passes; there is no configuration file."""

from alembic import context

from liarsdice.server.storage.db_schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
