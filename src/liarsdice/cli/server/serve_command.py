"""The options of `liarsdice serve`: one for each setting of the server."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from liarsdice.cli.arguments import setting_option
from liarsdice.runtime.blas_threads import use_one_thread


def serve(
    *,
    host: Annotated[str | None, setting_option("host")] = None,
    port: Annotated[str | None, setting_option("port")] = None,
    database: Annotated[str | None, setting_option("database")] = None,
    key_file: Annotated[str | None, setting_option("key_file")] = None,
    pace: Annotated[str | None, setting_option("pace")] = None,
    tables_per_minute: Annotated[str | None, setting_option("tables_per_minute")] = None,
    connections_per_minute: Annotated[str | None, setting_option("connections_per_minute")] = None,
    connections_per_address: Annotated[str | None, setting_option("connections_per_address")] = None,
    max_connections: Annotated[str | None, setting_option("max_connections")] = None,
    work_per_minute: Annotated[str | None, setting_option("work_per_minute")] = None,
    requests_per_minute: Annotated[str | None, setting_option("requests_per_minute")] = None,
    reviews_at_once: Annotated[str | None, setting_option("reviews_at_once")] = None,
    public_url: Annotated[str | None, setting_option("public_url")] = None,
    keep_days: Annotated[str | None, setting_option("keep_days")] = None,
    push_keys: Annotated[str | None, setting_option("push_keys")] = None,
    webhooks: Annotated[str | None, setting_option("webhooks")] = None,
    seats_per_address: Annotated[str | None, setting_option("seats_per_address")] = None,
    programs: Annotated[str | None, setting_option("programs")] = None,
    log_level: Annotated[str | None, setting_option("log_level")] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Run the server, to play in the browser with friends and bots."""
    flags = dict(locals())  # the parameters, which are called as the settings
    use_one_thread()
    from liarsdice.cli.server.serve import run

    run(flags, os.environ, open_page=open_page)
