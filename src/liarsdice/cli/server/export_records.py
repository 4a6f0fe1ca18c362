"""`liarsdice admin export`: writes the records of the finished matches in a server's database to a folder."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from liarsdice.cli.stdio import EXIT_ERROR, print_error
from liarsdice.core.errors import UnavailableError
from liarsdice.play.verify_record import RecordSigner
from liarsdice.runtime.atomic_files import write_atomically
from liarsdice.server.errors import UnreadableTableError
from liarsdice.server.http.match_api import FinishedMatch, finished_matches
from liarsdice.server.storage.administration import Administration
from liarsdice.server.storage.signing_keys import read_signing_keys


def run(folder: str, database: Administration, key_file: Path, only: str | None = None) -> int:
    """Write every record that is not in the folder yet, of all tables or `only` the one with this code.

    The records are signed if the key file of the server exists. Returns 0, and 2 if the log of a table cannot be read.
    Raises `UnavailableError` if the database has no such table, the database or the key cannot be read, or the folder
    cannot be written.
    """
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnavailableError(f"cannot write to {folder}: {error.strerror}") from error
    signer = RecordSigner(*read_signing_keys(key_file)) if key_file.exists() else None
    written, present, status = 0, 0, 0
    for code, log in database.read_logs(only):
        if isinstance(log, UnreadableTableError):
            print_error(log)
            status = EXIT_ERROR
            continue
        try:
            for match in finished_matches(log):
                file = target / file_name(code, match)
                if file.exists():
                    present += 1
                else:
                    write_atomically(file, match.record().signed(signer).encode())
                    written += 1
        except UnreadableTableError as error:
            print_error(error)
            status = EXIT_ERROR
    print(f"Records written to {folder}: {written}. Records that were there already: {present}.")
    return status


def file_name(code: str, match: FinishedMatch) -> str:
    """Return the name of a record's file: the day on which the match ended (UTC), its table, and its number."""
    ended = datetime.fromtimestamp(match.ended_at_ms / 1000, UTC)
    return f"{ended:%Y%m%d}-{code}-{match.number}.jsonl"
