"""`liarsdice admin token`: gives tokens to programs, lists them and revokes them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from liarsdice.cli.server.access import Database, existing_database, open_settings
from liarsdice.cli.stdio import align_columns, format_minute
from liarsdice.core.errors import MalformedError
from liarsdice.server.settings import TokenScope

if TYPE_CHECKING:
    from liarsdice.server.storage.store import ProgramToken

DAY_MS = 24 * 3_600_000
MAX_DAYS = 36_500
MAX_NAME_LENGTH = 40
HEAD = ("name", "scopes", "since (UTC)", "until (UTC)")

token_app = typer.Typer(help="Give tokens to programs that play here. Servers that run know of them within seconds.")


@token_app.command("add")
def add(
    name: Annotated[str, typer.Argument(help="A name for the program, which only you see.")],
    scope: Annotated[
        list[TokenScope],
        typer.Option(help="What it may do: look at tables, play, open tables. Repeat the option for more."),
    ],
    expires: Annotated[
        int | None,
        typer.Option(metavar="DAYS", min=1, max=MAX_DAYS, help="The number of days until it ends; by default never."),
    ] = None,
    database: Database = None,
) -> None:
    """Make a token and print it. It is shown this once; the database has only its hash."""
    if not 1 <= len(name) <= MAX_NAME_LENGTH or not name.isprintable() or name != name.strip():
        raise MalformedError(f"a name has 1 to {MAX_NAME_LENGTH} printable characters")
    from liarsdice.server.http.auth import hash_token, new_token
    from liarsdice.server.storage.audit_log import audited
    from liarsdice.server.storage.store import ProgramToken

    settings = open_settings(database)
    administration = existing_database(settings)
    scopes = tuple(known for known in TokenScope if known in scope)
    now_ms = int(time.time() * 1000)
    until_ms = None if expires is None else now_ms + expires * DAY_MS
    token = new_token()
    with audited(settings.key_base, "token add", name=name, scopes=" ".join(map(str, scopes)), days=expires or 0):
        administration.add_token(ProgramToken(hash_token(token), name, scopes, now_ms, until_ms))
    print(token)


@token_app.command("list")
def list_tokens(database: Database = None) -> None:
    """List the tokens that are valid."""
    administration = existing_database(open_settings(database))
    for line in token_lines(administration.list_tokens(), int(time.time() * 1000)):
        print(line)


@token_app.command("revoke")
def revoke(
    name: Annotated[str, typer.Argument(help="The name of the token, which `list` shows.")],
    database: Database = None,
) -> None:
    """End a token at once. Its seats stay at their tables, where bots play on for them."""
    from liarsdice.server.storage.audit_log import audited

    settings = open_settings(database)
    administration = existing_database(settings)
    with audited(settings.key_base, "token revoke", name=name):
        administration.revoke_token(name, int(time.time() * 1000))
    print(f"The token {name} is revoked.")


def token_lines(tokens: Sequence[ProgramToken], now_ms: int) -> list[str]:
    """Return a line for each valid token below a line of headings."""
    rows = [
        (
            token.name,
            " ".join(map(str, token.scopes)),
            format_minute(token.at_ms),
            "until revoked" if token.until_ms is None else format_minute(token.until_ms),
        )
        for token in tokens
        if token.is_valid(now_ms)
    ]
    return align_columns([HEAD, *rows])
