"""`liarsdice verify`: whether the dice of a recorded match are the ones that its seeds give."""

from __future__ import annotations

from liarsdice.cli.input_file import read_file
from liarsdice.core.errors import RecordError
from liarsdice.core.records.record import LONGEST_RECORD, read_record
from liarsdice.play.provable_dice import verify


def run(file: str) -> int:
    """Check a record and say what was found; what does not fit is an error."""
    try:
        checked = verify(read_record(read_file(file, LONGEST_RECORD)))
    except RecordError as error:
        raise RecordError(f"{file}: {error}") from error
    print(
        f"Every die follows from the seeds ({checked.dice} dice in {checked.rolls} rolls, rounds: {checked.rounds}),"
        " and the server's seed is the one that it promised."
    )
    print("What this cannot show: whether players told each other their dice, or whether the operator looked at them.")
    return 0
