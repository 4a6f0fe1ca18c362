"""`liarsdice verify`: checks that the dice of recorded matches follow from their seeds and that nothing was changed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from liarsdice.cli.arguments import read_file
from liarsdice.core.errors import MalformedError, RecordError, counted
from liarsdice.core.records.record import MAX_RECORD_BYTES
from liarsdice.play.verify_record import RecordCheck, check_reuse, verify_record

MAX_KEY_LIST_BYTES = 100_000
KEY = re.compile("[0-9a-fA-F]{64}")


def run(
    files: Sequence[str],
    *,
    key: str = "",
    key_list: str = "",
    promise: str = "",
    commitment: str = "",
    strict: bool = False,
) -> int:
    """Verify records and print what was verified. Returns 0.

    `key`, `key_list`, `promise`, `commitment`: the server's public key, a file of several ones, the promise of the
    match and a player's commitment, if they are known. Raises `MalformedError` for a promise or a commitment with
    several records or a file without keys, and `RecordError` if a record is damaged, unfinished or changed, if a die
    does not follow from the seeds, if the seed of the commitment is not in the dice, if two records share a seed, or,
    with `strict`, if no player's seed is in the dice.
    """
    if (promise or commitment) and len(files) > 1:
        raise MalformedError("a promise or a commitment belongs to one match; give it with one record")
    keys = [*([key] if key else []), *(_read_keys(key_list) if key_list else [])]
    checks = []
    for file in files:
        try:
            content = read_file(file, MAX_RECORD_BYTES)
            checks.append(verify_record(content, keys=keys, promise=promise, commitment=commitment))
        except RecordError as error:
            raise RecordError(f"{file}: {error}") from error
        if strict and not any(checks[-1].fairness.seeds):
            raise RecordError(f"{file}: no player's seed is in the dice, so the server alone made them (--strict)")
    check_reuse(checks)
    for file, check in zip(files, checks, strict=True):
        if len(files) > 1:
            print(f"{file}:")
        print(*_result_lines(check, known_key=bool(keys), known_promise=bool(promise)), sep="\n")
    print("This cannot show whether players told each other their dice, or whether the operator looked at them.")
    return 0


def _read_keys(file: str) -> list[str]:
    """Return the public keys in a file that `liarsdice admin promise-key export` wrote. Raises `MalformedError`."""
    keys = read_file(file, MAX_KEY_LIST_BYTES).decode("ascii", "replace").split()
    if not keys or not all(KEY.fullmatch(key) for key in keys):
        raise MalformedError(f"{file} has not one public key on each line")
    return keys


def _result_lines(check: RecordCheck, *, known_key: bool, known_promise: bool) -> list[str]:
    dice = check.dice
    seeds = sum(map(bool, check.fairness.seeds))
    rolled = f"{counted(dice.dice, 'die', 'dice')} in {counted(dice.rolls, 'roll')}"
    lines = [
        f"Every die follows from the seeds ({rolled}, rounds: {dice.rounds}).",
        f"Every seed is the one that was promised (seeds of players: {seeds}).",
    ]
    if check.withheld:
        seats = ", ".join(str(seat + 1) for seat in check.withheld)
        lines.append(f"These seats promised a seed and did not reveal it in time, so it is not in the dice: {seats}.")
    if unpromised := check.unpromised:
        seats = ", ".join(str(seat + 1) for seat in unpromised)
        lines.append(
            f"No seed was promised for these seats: {seats}. Bots promise none, but if the page of a player did, the"
            " server left it out (--commitment)."
        )
    if not seeds:
        lines.append("Beware: no player added a seed, so the server alone made the dice and could have chosen them.")
    if known_key:
        lines.append("The key that you named signs every byte of the record.")
    else:
        lines.append(f"This key signs every byte; compare it with the server's, or give --key: {check.fairness.key}")
    if not known_promise:
        lines.append(f"Compare this promise with the one at the table, or give --promise: {dice.promise}")
    return lines
