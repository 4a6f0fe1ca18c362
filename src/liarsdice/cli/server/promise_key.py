"""`liarsdice admin promise-key`: the key that signs the records of a server and stands in its promises."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from liarsdice.cli.server.access import Database, KeyFile, open_settings
from liarsdice.core.errors import UnavailableError
from liarsdice.server.settings import Settings

promise_key_app = typer.Typer(help="The key that signs the records of a server and stands in its promises.")


@promise_key_app.command("show")
def show(database: Database = None, key_file: KeyFile = None) -> None:
    """Print the public keys: the present one first, then those that were retired, the latest first."""
    present, *retired = public_keys(open_settings(database, key_file))
    print(f"{present}  present")
    for key in retired:
        print(f"{key}  retired")


@promise_key_app.command("export")
def export(
    file: Annotated[Path, typer.Argument(help="The new file.")], database: Database = None, key_file: KeyFile = None
) -> None:
    """Write all public keys to a file, one on each line, for `liarsdice verify --keys`."""
    from liarsdice.runtime.atomic_files import write_atomically

    keys = public_keys(open_settings(database, key_file))
    write_atomically(file, "".join(f"{key}\n" for key in keys).encode())
    print(f"Public keys written to {file}: {len(keys)}.")


@promise_key_app.command("rotate")
def rotate(database: Database = None, key_file: KeyFile = None) -> None:
    """Replace the key. A server uses the new one after its next start.

    Records that were signed stay valid under the old key, and it still signs matches that began under it.
    """
    from liarsdice.server.storage.audit_log import audited
    from liarsdice.server.storage.signing_keys import rotate_signing_key

    settings = open_settings(database, key_file)
    old, *_ = public_keys(settings)
    with audited(settings.key_base, "promise-key rotate", retired=old) as command:
        rotate_signing_key(settings.key_file)
        new, *_ = public_keys(settings)
        command.result = f"new key {new}"
    print(f"The new key is {new}. Restart the server, and publish the key.")


def public_keys(settings: Settings) -> tuple[str, ...]:
    """Return the public keys of a server, the present one first. Raises `UnavailableError` if it has none yet."""
    from liarsdice.play.verify_record import RecordSigner
    from liarsdice.server.storage.signing_keys import read_signing_keys

    if not settings.key_file.exists():
        raise UnavailableError(f"there is no key {settings.key_file}; a server creates it when it first starts")
    return RecordSigner(*read_signing_keys(settings.key_file)).public_keys
