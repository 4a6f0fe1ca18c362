"""`liarsdice mcp`: serves the tables of a server to language models."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from liarsdice.core.errors import MalformedError
from liarsdice.runtime.public_api import import_optional

TOKEN_VARIABLE = "LIARSDICE_TOKEN"  # noqa: S105  the name of a variable
DEFAULT_SERVER = "http://127.0.0.1:8000"


def mcp(
    server: Annotated[
        str, typer.Option(metavar="URL", help="The server with the tables, such as https://dice.example.")
    ] = DEFAULT_SERVER,
    token: Annotated[
        str | None,
        typer.Option(
            help=f"The token that holds the agent's seats, by default ${TOKEN_VARIABLE}, or else a new one. Other"
            " accounts of the machine can read the command line, so prefer the variable."
        ),
    ] = None,
    http: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Serve many agents over streamable HTTP instead of one over standard input and output. Each sends its"
            " own token with every request, as `Authorization: Bearer TOKEN`.",
        ),
    ] = None,
) -> None:
    """Let language models play at a server's tables, by the Model Context Protocol (MCP)."""
    import_optional("mcp", "mcp", "the MCP server needs the package mcp")
    from liarsdice.mcp.server import run_http, run_stdio

    if not server.startswith(("http://", "https://")):
        raise MalformedError(f"--server is a URL such as {DEFAULT_SERVER}, not {server!r}")
    if http is None:
        run_stdio(server, token or os.environ.get(TOKEN_VARIABLE) or None)
        return
    if token is not None:
        raise MalformedError("--token is for one agent over standard input; with --http each agent sends its own")
    host, port = read_address(http)
    run_http(
        server, host, port, ready=lambda url: print(f"The MCP server runs at {url} (Ctrl-C stops it).", flush=True)
    )


def read_address(text: str) -> tuple[str, int]:
    """Return the host and the port of an address. Raises `MalformedError` for another text.

    >>> read_address("127.0.0.1:9000"), read_address("[::1]:0")
    (('127.0.0.1', 9000), ('::1', 0))
    """
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65_535:
        raise MalformedError(f"--http is HOST:PORT, such as 127.0.0.1:9000, not {text!r}")
    return host.removeprefix("[").removesuffix("]"), int(port)
