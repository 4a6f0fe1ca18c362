"""`liarsdice verify`: checks that the dice of a recorded match follow from its seeds.

It is a module of its own, as each command is.
"""

from __future__ import annotations

from liarsdice.cli.arguments import read_file
from liarsdice.core.errors import RecordError
from liarsdice.core.records.record import MAX_RECORD_BYTES, read_record
from liarsdice.play.provable_dice import verify_dice


def run(file: str) -> int:
    """Check the dice of a record and print the result. Returns 0.

    Raises `RecordError` if the record is damaged or a die does not follow from the seeds.
    """
    try:
        verified = verify_dice(read_record(read_file(file, MAX_RECORD_BYTES)))
    except RecordError as error:
        raise RecordError(f"{file}: {error}") from error
    print(
        f"Every die follows from the seeds ({verified.dice} dice in {verified.rolls} rolls, rounds: {verified.rounds}),"
        " and the server's seed is the one that it had promised."
    )
    print("This cannot show whether players told each other their dice, or whether the operator looked at them.")
    return 0
